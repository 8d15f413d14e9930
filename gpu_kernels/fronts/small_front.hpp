// Assembles and factors small fronts, many in one launch, each in local memory and registers.
// Kernels, one for each form:
//
//   kernels/fronts/small_front.cl         any device
//   kernels/fronts/small_front_rows.cl    devices with warps, and above 16 rows fp64 tensor cores;
//                                         fronts of at most 64 rows
//   kernels/fronts/small_front_tiles.cl   devices with warps and fp64 tensor cores; larger fronts
//
// size_classes() sorts fronts into size classes once.  A class has one kernel and one launch.  The
// lists alone decide the order of sums, so results are bitwise reproducible.  run() only enqueues.
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
  kRows,   // small_front_rows.cl; T = double only.
  kTiles,  // small_front_tiles.cl; T = double only.
};

/// The shape of one size class; the macros of the kernel file.
struct SmallFrontParams {
  SmallFrontForm form = SmallFrontForm::kPlain;
  Index rows = 32;   // Rows of the largest front: a multiple of 8.  More rows: more local memory.
  Index items = 32;  // Work-items of a front.  With items = rows, all are busy in the solves.
  Index fronts = 2;  // Fronts of a work-group: small fronts share a warp.
  Index parts = 8;   // kRows, kTiles: columns of children that a warp loads at once.
  Index registers = 0;  // kRows, kTiles: most registers of a work-item; 0: the compiler's choice.
  Index wide = 8;       // kRows: columns of a block.

  /// Work-items of a work-group.
  Index work_group_size() const { return items * fronts; }
  /// Bytes of local memory of a work-group, for values of value_bytes bytes.
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  /// All forms: rows is a multiple of 8 and at most 256; items and fronts are at least 1; a
  /// work-group has at most 1024 work-items.
  /// kRows and kTiles: parts is 1 to 32.
  /// kRows: rows is at most 64; work-groups are whole warps; items = min(rows, 32), or 16 for 17 to
  /// 32 rows; wide = rows for at most 16 rows, else 8 or 16.
  /// kTiles: rows is a multiple of 32; items = rows; fronts is at most 7.
  bool valid() const;
  /// The compiler options; no other function writes them.
  std::string build_options() const;
};

/// Classes of form kPlain, of 16, 32, 64, 96 and 128 rows.  Work-groups are made smaller where the
/// device requires it.  Classes that need too much local memory are left out.
std::vector<SmallFrontParams> small_front_classes(std::uint64_t max_work_group_size,
                                                  std::uint64_t static_local_bytes,
                                                  std::size_t value_bytes);

/// Classes for a device with these capabilities, ascending in rows.  For doubles, and where the
/// device can run them, they have the faster forms: kRows for 8 to 48 rows, kTiles for 64 to 128,
/// in the shapes of the tuning data ("small_front", variants "rows_8" to "tiles_128").  Larger
/// classes have the form kPlain.
std::vector<SmallFrontParams> small_front_classes(const Capabilities& capabilities,
                                                  const Tuning& tuning, std::size_t value_bytes);

/// Sorts the listed fronts by the smallest class that has their rows.  Returns one list for each
/// class, then a list of the fronts that are too large for all.  Lists keep the order of `listed`.
/// @param classes  ascending in rows.
std::vector<std::vector<Index>> size_classes(std::span<const Front> fronts,
                                             std::span<const Index> listed,
                                             std::span<const SmallFrontParams> classes);

/// Returns, for each class, the class in whose launch its fronts go.  A class of fewer than `least`
/// fronts joins the next larger class that has any fronts, because a launch costs more than unused
/// local memory.
/// @param counts  number of fronts of each class.
std::vector<Index> joined_classes(std::vector<Index> counts, Index least);

/// What a launch reads and writes.
template <class T>
struct SmallFrontOperands {
  DeviceView<const T> values;  // Values of A's lower triangle.
  DeviceView<const T> scale;   // Diagonal of D in the factor's order.  Empty: A is not scaled.
  DeviceView<const T> from_updates;  // The children's update matrices.
  DeviceView<T> panels;
  DeviceView<T> updates;              // May be the buffer of from_updates.
  DeviceView<PivotStatus<T>> status;  // One for each front of the lists, listed or not.
};

/// The kernel of one size class.  An object is for one thread and one queue at a time.  T is double
/// or float.
template <class T>
class SmallFront {
 public:
  /// Throws InvalidArgument for parameters that are not valid() or a form that does not have T,
  /// BuildError.
  SmallFront(ProgramCache& programs, const SmallFrontParams& params);

  /// Enqueues: assembles and factors the listed fronts, and writes their status.  They must have at
  /// most params.rows rows and a leading dimension below 4096.  Nothing is enqueued for an empty
  /// list.  The status of other fronts is not touched.
  /// @param listed  numbers of the fronts.
  /// Throws InvalidArgument when the sizes of `status` and the list of fronts differ.
  void run(Queue& queue, const FrontBuffers& lists, DeviceView<const Index> listed,
           const SmallFrontOperands<T>& operands);

  const SmallFrontParams& params() const { return params_; }

 private:
  SmallFrontParams params_;
  Kernel kernel_;
};

}  // namespace clchol::gpu
