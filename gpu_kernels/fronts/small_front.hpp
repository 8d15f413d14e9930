// Assembles small fronts, factors their pivot columns and computes their update matrices.  One
// launch does this for many fronts; each front is in local memory and registers.  There are three
// kernels for this work; a SmallFrontForm chooses one of them:
//
//   kernels/fronts/small_front.cl         for any device
//   kernels/fronts/small_front_rows.cl    for fronts of at most 64 rows, on devices with warps;
//                                         above 16 rows, the device must have fp64 tensor cores
//   kernels/fronts/small_front_tiles.cl   for fronts of more than 32 rows, on devices with warps
//                                         and fp64 tensor cores
//
// size_classes() sorts the fronts by their number of rows into size classes, once for all
// factorizations.  One launch factors the listed fronts of one class.  The order of the terms of
// each sum depends only on the list of children (FrontLists::children) and on the size class, so
// results are bitwise reproducible.  run() enqueues and does not wait.
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

/// One size class: its kernel, and the values of the macros with which the kernel is built.
struct SmallFrontParams {
  SmallFrontForm form = SmallFrontForm::kPlain;
  // Greatest number of rows of a front, a multiple of 8.  Each front takes the local memory of a
  // front with this number of rows.
  Index rows = 32;
  // Number of work-items for each front.  When `items` equals `rows`, each work-item computes one
  // row of the triangular solve in the panel.
  Index items = 32;
  // Number of fronts that a work-group computes at once.  When `items` is less than the size of a
  // warp, several fronts share a warp.
  Index fronts = 2;
  // kRows, kTiles: number of columns of a child's update matrix that a warp loads at once.  While
  // these loads are under way, the warp adds the columns that it loaded before.
  Index parts = 8;
  // kRows, kTiles: maximum number of registers of a work-item.  0: the compiler's choice.
  Index registers = 0;
  Index wide = 8;  // kRows: number of columns that are factored in registers at once.

  /// Returns the number of work-items of a work-group.
  Index work_group_size() const { return items * fronts; }
  /// Returns the bytes of local memory of a work-group.
  /// @param value_bytes  bytes of an entry of a matrix: sizeof(T).
  std::uint64_t local_bytes(std::size_t value_bytes) const;
  /// Returns whether all parameters are in the kernel's range.
  /// - All forms: `rows` is a positive multiple of 8 and at most 256; `items` and `fronts` are at
  ///   least 1; a work-group has at most 1024 work-items.
  /// - kRows and kTiles: `parts` is 1 to 32; `registers` is at least 0.
  /// - kRows: `rows` is at most 64; a work-group is a whole number of warps.  `items` is
  ///   min(rows, 32); if `rows` is 24 or 32, `items` may also be 16.  If `rows` is at most 16,
  ///   `wide` equals `rows`; otherwise `wide` is 8 or 16.
  /// - kTiles: `rows` is a multiple of 32; `items` equals `rows`; `fronts` is at most 7.
  bool valid() const;
  /// Returns whether the kernels of both classes compute the same bits of a front that both have
  /// room for: of form kRows above 16 rows, with equal `wide`, every entry is a sum of the same
  /// terms in the same order.
  bool has_bits_of(const SmallFrontParams& other) const;
  /// Returns the compiler options that set the kernel's macros and register limit.
  std::string build_options() const;
};

/// Returns size classes of form kPlain for 16, 32, 64, 96 and 128 rows, ascending.  Where a class
/// would have more work-items in a work-group than the device allows, `fronts` is halved until it
/// is 1, and then `items`.  Classes that need too much local memory are left out.
/// @param max_work_group_size  greatest number of work-items of a work-group on the device.
/// @param static_local_bytes   greatest number of bytes of local memory that a kernel may declare.
/// @param value_bytes          bytes of an entry: sizeof(T).
std::vector<SmallFrontParams> small_front_classes(std::uint64_t max_work_group_size,
                                                  std::uint64_t static_local_bytes,
                                                  std::size_t value_bytes);

/// Returns size classes for a device with these capabilities, ascending in rows.  First come, for
/// double only, the classes of form kRows for 8 to 48 rows and the classes of form kTiles for 64 to
/// 128 rows, as far as the device can run them; both forms are faster than kPlain.  Then come the
/// kPlain classes that have more rows.  Parameters in the tuning data (kernel "small_front",
/// variants "rows_8" to "tiles_128") replace the default parameters of the kRows and kTiles
/// classes.
/// @param value_bytes  bytes of an entry: sizeof(T).
std::vector<SmallFrontParams> small_front_classes(const Capabilities& capabilities,
                                                  const Tuning& tuning, std::size_t value_bytes);

/// Sorts the listed fronts into size classes.  A front belongs to the smallest class whose `rows`
/// is at least the front's number of rows.
/// @param listed   indices in `fronts` of the fronts to sort.
/// @param classes  size classes, ascending in rows.
/// @return  one list of indices in `fronts` for each class, then one list for the fronts that have
///          too many rows for every class.  Each list has the order of `listed`.
std::vector<std::vector<Index>> size_classes(std::span<const Front> fronts,
                                             std::span<const Index> listed,
                                             std::span<const SmallFrontParams> classes);

/// Joins size classes that have few fronts to larger classes, because a launch for few fronts costs
/// more than the local memory that small fronts leave unused in a larger class.  A class with fewer
/// than `least` fronts, including the fronts of the classes that have joined it, joins the next
/// larger class that has any fronts.
/// @param counts  number of fronts in each class, classes ascending in rows.
/// @return  for each class, the index of the class whose launch factors its fronts: the class's own
///          index, or the index of a larger class.
std::vector<Index> joined_classes(std::vector<Index> counts, Index least);

/// Joins size classes as joined_classes() does, but takes consecutive classes of the same bits
/// (SmallFrontParams::has_bits_of()) as one class.  A class joins others of other bits only if it
/// has fewer than `least` fronts, or than a 64th of all fronts.  The counts are those of a whole
/// factor: then a front's bits do not depend on how the factor is divided.
/// @return  for each class, its own index, or that of the first class of the bits that it gets.
std::vector<Index> joined_by_bits(const std::vector<Index>& counts,
                                  std::span<const SmallFrontParams> classes, Index least);

/// Joins size classes as joined_classes() does, but each only with classes of the same bits.
std::vector<Index> joined_of_same_bits(const std::vector<Index>& counts,
                                       std::span<const SmallFrontParams> classes, Index least);

/// What a launch reads and writes.
template <class T>
struct SmallFrontOperands {
  // Values of A's lower triangle, which FrontLists::entry_source has indices into.
  DeviceView<const T> values;
  // Diagonal of the scaling S, ordered as the permuted matrix.  S A S is factored instead of A.
  // Length n.  Empty: no scaling.
  DeviceView<const T> scale;
  // Buffer of the children's update matrices, which begin at the offsets Child::update.
  DeviceView<const T> from_updates;
  DeviceView<T> panels;  // Buffer of the panels, which begin at the offsets Front::panel.
  // Buffer of the fronts' update matrices, which begin at the offsets Front::update.  May be the
  // buffer of from_updates, but no update matrix that is written may overlap one that is read.
  DeviceView<T> updates;
  // First failed pivot of each front in FrontViews::fronts.  Indexed by front.
  DeviceView<PivotStatus<T>> status;
};

/// Factors the fronts of one size class.  T: double, float.
///
/// Not thread-safe.  All commands of one object go to one in-order queue at a time: finish one
/// queue before using another.
template <class T>
class SmallFront {
 public:
  /// Builds the kernel.  Throws InvalidArgument for parameters that are not valid(), and for a form
  /// other than kPlain with T = float.  Throws BuildError when the device's compiler refuses the
  /// kernel.
  SmallFront(ProgramCache& programs, const SmallFrontParams& params);

  /// Enqueues one launch, which assembles and factors the listed fronts and writes the elements of
  /// operands.status that belong to them; other elements of operands.status do not change.  Each
  /// listed front must have at most params().rows rows.  In forms kRows and kTiles, Front::ldp must
  /// be below 4096.
  /// @param listed  indices in lists.fronts of the fronts.  Empty: nothing is enqueued.
  /// Throws InvalidArgument when `status` does not have one element for each front of
  /// lists.fronts.
  void run(Queue& queue, const FrontViews& lists, DeviceView<const Index> listed,
           const SmallFrontOperands<T>& operands);

  const SmallFrontParams& params() const { return params_; }

 private:
  SmallFrontParams params_;
  Kernel kernel_;
};

}  // namespace clchol::gpu
