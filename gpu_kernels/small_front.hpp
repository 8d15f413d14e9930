// Small fronts, many in one launch, each assembled and factored in local memory:
// kernels/small_front.cl.
//
// Fronts are sorted into size classes once (size_classes()); a class is one kernel and one launch.
// Sums are in an order that the lists alone decide: the same bits at every run.  Nothing waits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/front_views.hpp"
#include "gpu_kernels/launch.hpp"
#include "gpu_kernels/program_cache.hpp"

namespace clchol::gpu {

/// The shape of one size class; twin of the parameters of the kernel file.
struct SmallFrontParams {
  Index rows = 32;   // Of the largest front: a multiple of 8.  Raising it costs local memory.
  Index items = 32;  // Work-items of a front; as many as rows keeps every one busy in the solves.
  Index fronts = 2;  // Of a work-group: small ones share a wave.

  Index group_size() const { return items * fronts; }
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  /// rows a multiple of 8, at most 256; items and fronts at least 1, group at most 1024.
  bool valid() const;
  /// The only place that writes these options.
  std::string build_options() const;
};

/// Classes of 16, 32, 64, 96 and 128 rows, as far as the device's groups and local memory go.
std::vector<SmallFrontParams> small_front_classes(std::uint64_t max_work_group_size,
                                                  std::uint64_t static_local_bytes,
                                                  std::size_t value_bytes);

/// The listed fronts by the smallest class that has their rows; the last list has those that are
/// too large for any.  Order is kept.  @param classes  ascending in rows.
std::vector<std::vector<Index>> size_classes(std::span<const Front> fronts,
                                             std::span<const Index> listed,
                                             std::span<const SmallFrontParams> classes);

/// What a launch reads and writes.
template <class T>
struct SmallFrontOperands {
  DeviceView<const T> values;        // Of A's lower triangle.
  DeviceView<const T> scale;         // Diagonal of D in the factor's order, or empty.
  DeviceView<const T> from_updates;  // Where the children's updates lie.
  DeviceView<T> panels;
  DeviceView<T> updates;
  DeviceView<PivotStatus<T>> status;  // One for each front of the lists.
};

/// One size class; for one thread and one queue at a time.  T: double, float.
template <class T>
class SmallFront {
 public:
  /// Throws InvalidArgument for parameters that are not valid(), BuildError.
  SmallFront(ProgramCache& programs, const SmallFrontParams& params);

  /// Assembles and factors the listed fronts, none of more than params.rows rows; a list without
  /// fronts does nothing.  Status of the fronts that are not listed is left alone.
  /// Throws InvalidArgument when status has another size than the list of fronts.
  void run(Queue& queue, const FrontBuffers& lists, DeviceView<const Index> listed,
           const SmallFrontOperands<T>& operands);

  const SmallFrontParams& params() const { return params_; }

 private:
  SmallFrontParams params_;
  Kernel kernel_;
};

}  // namespace clchol::gpu
