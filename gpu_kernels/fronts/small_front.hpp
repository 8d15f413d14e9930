// Assembles small fronts and factors their pivot columns, many fronts in one launch, each in local
// memory and registers.  Three kernels do the same work; a SmallFrontForm chooses one:
//
//   kernels/fronts/small_front.cl         for any device
//   kernels/fronts/small_front_rows.cl    for fronts of at most 64 rows, on devices with warps;
//                                         above 16 rows, the device must have fp64 tensor cores
//   kernels/fronts/small_front_tiles.cl   for fronts of more than 32 rows, on devices with warps
//                                         and fp64 tensor cores
//
// size_classes() sorts the fronts by their number of rows into size classes, once for all
// factorizations.  The fronts of a class take one launch of one kernel.  The lists alone determine
// the order of sums, so results are bitwise reproducible.  run() only enqueues.
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
  kPlain,  // small_front.cl.
  kRows,   // small_front_rows.cl, which computes with double only.
  kTiles,  // small_front_tiles.cl, which computes with double only.
};

/// One size class: its kernel, and the macros of the kernel file.
struct SmallFrontParams {
  SmallFrontForm form = SmallFrontForm::kPlain;
  Index rows = 32;  // Greatest number of rows of a front, a multiple of 8.  Sets the local memory.
  // Work-items for each front.  With items = rows, each work-item has one row of the triangular
  // solve in the panel.
  Index items = 32;
  Index fronts = 2;  // Fronts for each work-group.  Several small fronts share a warp.
  Index parts = 8;   // kRows, kTiles: columns of a child's update matrix that a warp loads at once.
  // kRows, kTiles: maximum number of registers of a work-item.  0: the compiler's choice.
  Index registers = 0;
  Index wide = 8;  // kRows: columns of a block, which is factored in registers.

  /// Returns the number of work-items of a work-group.
  Index work_group_size() const { return items * fronts; }
  /// Returns the bytes of local memory of a work-group.
  /// @param value_bytes  bytes of an entry: sizeof(T).
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  /// Returns whether all parameters are in the kernel's range.
  /// - All forms: `rows` is a positive multiple of 8 and at most 256; `items` and `fronts` are at
  ///   least 1; a work-group has at most 1024 work-items.
  /// - kRows and kTiles: `parts` is 1 to 32; `registers` is at least 0.
  /// - kRows: `rows` is at most 64; work-groups are whole warps; `items` is min(rows, 32), or 16
  ///   for 17 to 32 rows; `wide` is `rows` for at most 16 rows, and 8 or 16 for more rows.
  /// - kTiles: `rows` is a multiple of 32; `items` equals `rows`; `fronts` is at most 7.
  bool valid() const;
  /// Returns the compiler options that set the kernel's macros and register limit.
  std::string build_options() const;
};

/// Returns size classes of form kPlain for 16, 32, 64, 96 and 128 rows, ascending.  Work-groups
/// larger than the device allows get fewer fronts, then fewer work-items.  Classes that need too
/// much local memory are left out.
/// @param max_work_group_size  greatest number of work-items that the device allows.
/// @param static_local_bytes   greatest number of bytes of local memory that the device allows.
/// @param value_bytes          bytes of an entry: sizeof(T).
std::vector<SmallFrontParams> small_front_classes(std::uint64_t max_work_group_size,
                                                  std::uint64_t static_local_bytes,
                                                  std::size_t value_bytes);

/// Returns size classes for a device with these capabilities, ascending in rows.  For double, on
/// devices that can run them, classes of 8 to 48 rows have the form kRows and classes of 64 to 128
/// rows the form kTiles.  Both forms are faster than kPlain.  Parameters in the tuning data (kernel
/// "small_front", variants "rows_8" to "tiles_128") replace the default parameters.  Then come the
/// kPlain classes that have more rows.
/// @param value_bytes  bytes of an entry: sizeof(T).
std::vector<SmallFrontParams> small_front_classes(const Capabilities& capabilities,
                                                  const Tuning& tuning, std::size_t value_bytes);

/// Sorts the listed fronts into size classes.  A front belongs to the smallest class with at least
/// its number of rows.  Returns one list of fronts for each class, then the list of the fronts that
/// are larger than all classes.  The lists keep the order of `listed`.
/// @param listed   indices in `fronts` of the fronts to sort.
/// @param classes  size classes, ascending in rows.
std::vector<std::vector<Index>> size_classes(std::span<const Front> fronts,
                                             std::span<const Index> listed,
                                             std::span<const SmallFrontParams> classes);

/// Returns for each class the index of the class whose launch factors the class's fronts: the class
/// itself or a larger class.  A class with fewer than `least` fronts joins the next larger class
/// that has any fronts, because a launch of its own would cost more than unused local memory.
/// @param counts  number of fronts in each class, classes ascending in rows.
std::vector<Index> joined_classes(std::vector<Index> counts, Index least);

/// What a launch reads and writes.
template <class T>
struct SmallFrontOperands {
  DeviceView<const T> values;  // Values of A's lower triangle.
  // Diagonal of the scaling S, ordered as the permuted matrix: S A S is factored.  Length n.
  // Empty: no scaling.
  DeviceView<const T> scale;
  DeviceView<const T> from_updates;  // Buffer that Child::update is an offset into.
  DeviceView<T> panels;              // Buffer that Front::panel is an offset into.
  // Buffer that Front::update is an offset into.  May be the buffer of from_updates, if the
  // matrices that are written do not overlap the children's.
  DeviceView<T> updates;
  // First failed pivot of each front in FrontBuffers::fronts().  Indexed by front.
  DeviceView<PivotStatus<T>> status;
};

/// The kernel of one size class.  T: double, float.
///
/// Not thread-safe.  All commands of one object go to one in-order queue at a time: finish one
/// queue before using another.
template <class T>
class SmallFront {
 public:
  /// Builds the kernel.  Throws InvalidArgument for parameters that are not valid() and for a form
  /// other than kPlain with T = float, and BuildError.
  SmallFront(ProgramCache& programs, const SmallFrontParams& params);

  /// Enqueues the assembly and factorization of the listed fronts, which also write their elements
  /// of `status`; other elements of `status` do not change.  The fronts must have at most
  /// params().rows rows, and in forms kRows and kTiles leading dimensions of panels below 4096.  An
  /// empty list enqueues nothing.
  /// @param listed  indices in lists.fronts() of the fronts.
  /// Throws InvalidArgument when `status` does not have one element for each front of
  /// lists.fronts().
  void run(Queue& queue, const FrontBuffers& lists, DeviceView<const Index> listed,
           const SmallFrontOperands<T>& operands);

  const SmallFrontParams& params() const { return params_; }

 private:
  SmallFrontParams params_;
  Kernel kernel_;
};

}  // namespace clchol::gpu
