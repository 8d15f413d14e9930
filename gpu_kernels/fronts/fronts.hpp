// Describes a forest of fronts for the kernels that assemble, factor and solve: includes the
// structs that host and kernels share (kernels/fronts/front_args.h), and declares the lists that
// members of these structs are indices into.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "base/types.hpp"
// Must come after base/types.hpp, whose types they use.
#include "gpu_kernels/dense/pivot_status.hpp"
#include "gpu_kernels/kernels/fronts/front_args.h"

namespace clchol::gpu {

static_assert(sizeof(Front) == 88 && alignof(Front) == 8);
static_assert(sizeof(Child) == 32 && alignof(Child) == 8);
static_assert(sizeof(ScatterTile) == 32 && alignof(ScatterTile) == 8);
static_assert(sizeof(ExtendAddTile) == 24);
static_assert(sizeof(ExtendAddPiece) == 20);
static_assert(sizeof(FrontSolveTile) == 32);
static_assert(sizeof(FrontSolvePiece) == 12);

/// The lists of a forest of fronts, in host memory.  They depend on the pattern of A alone.  Not
/// owned.
struct FrontLists {
  std::span<const Front> fronts;    // All fronts.
  std::span<const Child> children;  // A front has the elements [child_begin, child_end).
  std::span<const Index> relind;    // Relative indices of all children, one child after another.
  std::span<const Index> rowind;    // Rows in the permuted matrix of all fronts, front by front.
  // Index in A's values of each entry of A, front by front.  A front has the elements [entry_begin,
  // entry_end).
  std::span<const std::uint32_t> entry_source;
  // Offset of each entry of A in the panel of its front, from make_entry_places().  Indexed as
  // entry_source.
  std::span<const Index> entry_place;
};

/// Returns the number of neighbouring columns of a panel that share one base column.  The offsets
/// in FrontLists::entry_place are relative to the first entry of the base column, because they have
/// 32 bits.  A panel of 2^31 entries or more has several base columns.
/// @param ldp  leading dimension of the panel.
constexpr Index columns_of_base(Offset ldp) {
  constexpr Offset kMost = std::numeric_limits<Index>::max();
  const Offset columns = kMost / (ldp > 0 ? ldp : 1);
  return static_cast<Index>(columns > 0 ? columns : 1);
}
/// Returns the base column of column `column` of a panel: 0 in panels of fewer than 2^31 entries.
constexpr Index base_column(Offset ldp, Index column) {
  return column / columns_of_base(ldp) * columns_of_base(ldp);
}

/// Returns FrontLists::entry_place, the offset of each entry of A in the panel of its front.  The
/// entry in row r and column c of a front has the offset r + (c - base_column(ldp, c)) * ldp.
/// Elements [entry_begin, entry_end) of the result belong to the entries of one front, column by
/// column.  Fronts with entry_begin = entry_end have no elements.
/// @param entry_ptr  index in entry_row of the first entry of each column.  Indexed by the column
///                   in the permuted matrix.  Length n + 1.
/// @param entry_row  row of each entry within its front.
/// @param threads    number of host threads.
std::vector<Index> make_entry_places(std::span<const Front> fronts,
                                     std::span<const Offset> entry_ptr,
                                     std::span<const Index> entry_row, int threads = 1);

}  // namespace clchol::gpu
