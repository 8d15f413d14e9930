// Describes a forest of fronts in host memory, for the kernels that assemble, factor and solve.
// This header includes kernels/fronts/front_args.h, which defines the structs Front and Child for
// both host and kernels.  FrontLists has the lists of fronts and children, and the lists of indices
// that Front and Child refer to.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "base/types.hpp"
// The next two headers use types of base/types.hpp and must come after it.
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

/// The lists of a forest of fronts: views of host memory that the caller owns.  The contents of the
/// lists depend on the pattern of A alone.
struct FrontLists {
  std::span<const Front> fronts;  // All fronts of the forest.
  // Children of all fronts.  Front F has the elements [F.child_begin, F.child_end).
  std::span<const Child> children;
  // Relative indices of all children.  Child C has the elements [C.relind, C.relind + C.nupd).
  std::span<const Index> relind;
  // Row numbers of the fronts' rows, numbered as in the permuted matrix, front by front.  Row i of
  // front F has the element F.rows + i.
  std::span<const Index> rowind;
  // For each entry of A in a panel: index of the entry's value in the list of A's values.  Front F
  // has the elements [F.entry_begin, F.entry_end), column by column.
  std::span<const std::uint32_t> entry_source;
  // For each entry of A, in the order of entry_source: offset of the entry in the panel of its
  // front, in entries, as make_entry_places() returns it.
  std::span<const Index> entry_place;
};

/// Returns the number of columns of a column range of a panel: the greatest number of columns that
/// have fewer than 2^31 entries together, but at least 1.
///
/// Offsets in a panel of 2^31 entries or more exceed the 32 bits of FrontLists::entry_place.
/// Therefore such a panel is cut into column ranges, and an offset is counted from the first entry
/// of the first column of its range, the base column.  A smaller panel is one range.
/// @param ldp  leading dimension of the panel.
constexpr Index columns_of_base(Offset ldp) {
  constexpr Offset kMost = std::numeric_limits<Index>::max();
  const Offset columns = kMost / (ldp > 0 ? ldp : 1);
  return static_cast<Index>(columns > 0 ? columns : 1);
}
/// Returns the base column of column `column` of a panel: the first column of the column range, as
/// columns_of_base() defines it, that contains `column`.
/// @param ldp  leading dimension of the panel.
constexpr Index base_column(Offset ldp, Index column) {
  return column / columns_of_base(ldp) * columns_of_base(ldp);
}

/// Returns the list FrontLists::entry_place: the offset of each entry of A in the panel of its
/// front, in entries, counted from row 0 of the entry's base column.  The entry in row r and column
/// c of a front has the offset r + (c - base_column(ldp, c)) * ldp.  Front F has the elements
/// [F.entry_begin, F.entry_end) of the result, column by column; the range may be empty.
/// @param entry_ptr  index in entry_row of the first entry of each column of the permuted matrix.
///                   Length n + 1.
/// @param entry_row  row of each entry of A, numbered within the front.
/// @param threads    number of host threads.
std::vector<Index> make_entry_places(std::span<const Front> fronts,
                                     std::span<const Offset> entry_ptr,
                                     std::span<const Index> entry_row, int threads = 1);

}  // namespace clchol::gpu
