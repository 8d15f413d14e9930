// Small fronts, many in one launch, each assembled in local memory and factored there or in
// registers: kernels/fronts/small_front.cl, which runs everywhere; where work-items come in warps,
// kernels/fronts/small_front_rows.cl up to 16 rows, with fp64 tensor cores up to 64, and
// kernels/fronts/small_front_tiles.cl for more.
//
// Fronts are sorted into size classes once (size_classes()); a class is one kernel and one launch.
// Sums are in an order that the lists alone decide: the same bits at every run.  Nothing waits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/devices/tuning.hpp"
#include "gpu_kernels/fronts/front_views.hpp"
#include "gpu_kernels/runtime/capabilities.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The kernel of a size class.
enum class SmallFrontForm {
  kPlain,  // small_front.cl
  kRows,   // small_front_rows.cl: a multiple of 8 up to 64, whole warps; double alone.
  kTiles,  // small_front_tiles.cl: rows a multiple of 32, at most 7 fronts; double alone.
};

/// The shape of one size class; twin of the parameters of the kernel file.
struct SmallFrontParams {
  SmallFrontForm form = SmallFrontForm::kPlain;
  Index rows = 32;   // Of the largest front: a multiple of 8.  Raising it costs local memory.
  Index items = 32;  // Work-items of a front; as many as rows keeps every one busy in the solves.
  Index fronts = 2;  // Of a work-group: small ones share a wave.
  Index parts = 8;   // Not of kPlain: columns of children that a warp loads at once.
  Index registers = 0;  // Not of kPlain: most of a work-item; 0: as many as the compiler takes.
  Index wide = 8;       // Of kRows: columns of a block, 8 or 16, at most rows.

  Index group_size() const { return items * fronts; }
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  /// rows a multiple of 8, at most 256; items and fronts at least 1, group at most 1024.  What
  /// forms ask for beside that; there items is rows, in kRows at most 32, and of 17 to 32 rows 16
  /// too.
  bool valid() const;
  /// The only place that writes these options.
  std::string build_options() const;
};

/// Classes of 16, 32, 64, 96 and 128 rows, as far as the device's groups and local memory go.
std::vector<SmallFrontParams> small_front_classes(std::uint64_t max_work_group_size,
                                                  std::uint64_t static_local_bytes,
                                                  std::size_t value_bytes);

/// The same for a device of which more is known: with the capabilities for them, the forms that are
/// faster, in the shapes of the tuning data ("small_front", variants "rows_8" to "tiles_128").
std::vector<SmallFrontParams> small_front_classes(const Capabilities& capabilities,
                                                  const Tuning& tuning, std::size_t value_bytes);

/// The listed fronts by the smallest class that has their rows; the last list has those that are
/// too large for any.  Order is kept.  @param classes  ascending in rows.
std::vector<std::vector<Index>> size_classes(std::span<const Front> fronts,
                                             std::span<const Index> listed,
                                             std::span<const SmallFrontParams> classes);

/// The class that the fronts of each class go with: those of a class of fewer than `least` fronts
/// join the next larger class that has any, for a launch costs more than room does.
/// @param counts  fronts of each class.
std::vector<Index> joined_classes(std::vector<Index> counts, Index least);

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
  /// Throws InvalidArgument for parameters that are not valid() or a form without this T,
  /// BuildError.
  SmallFront(ProgramCache& programs, const SmallFrontParams& params);

  /// Assembles and factors the listed fronts, none of more than params.rows rows or a leading
  /// dimension of 4096; a list without fronts does nothing.  Status of the fronts that are not
  /// listed is left alone. Throws InvalidArgument when status has another size than the list of
  /// fronts.
  void run(Queue& queue, const FrontBuffers& lists, DeviceView<const Index> listed,
           const SmallFrontOperands<T>& operands);

  const SmallFrontParams& params() const { return params_; }

 private:
  SmallFrontParams params_;
  Kernel kernel_;
};

}  // namespace clchol::gpu
