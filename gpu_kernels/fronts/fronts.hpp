// Fronts as the kernels see them: the structs that host and kernels share
// (kernels/fronts/front_args.h), and the lists that these structs index.
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

/// Lists in host memory that depend on the pattern alone.  Not owned.
struct FrontLists {
  std::span<const Front> fronts;
  std::span<const Child> children;  // Children [child_begin, child_end) belong to a front.
  std::span<const Index> relind;    // Relative indices of all children, one child after another.
  std::span<const Index> rowind;    // Row numbers of all fronts, one front after another.
  // Position in A's values of each entry of A, front by front: [entry_begin, entry_end) of a front.
  std::span<const std::uint32_t> entry_source;
  // Offset of the same entry in the front's panel: see make_entry_places().
  std::span<const Index> entry_place;
};

/// Number of neighbouring columns of a panel whose entries' offsets count from one column, the base
/// column.  Offsets are 32-bit numbers, so panels of 2^31 entries or more have several base
/// columns.
constexpr Index columns_of_base(Offset ldp) {
  constexpr Offset kMost = std::numeric_limits<Index>::max();
  const Offset columns = kMost / (ldp > 0 ? ldp : 1);
  return static_cast<Index>(columns > 0 ? columns : 1);
}
/// The base column of a column: 0 in panels of fewer than 2^31 entries.
constexpr Index base_column(Offset ldp, Index column) {
  return column / columns_of_base(ldp) * columns_of_base(ldp);
}

/// Returns FrontLists::entry_place, the offset of each of A's entries in its panel.  An entry in
/// row r and column c of a front has the offset r + (c - base_column(ldp, c)) * ldp.  Elements
/// [entry_begin, entry_end) of the result are a front's entries, column by column.  Fronts with
/// entry_begin = entry_end are skipped.
/// @param entry_ptr  start of each column's entries in entry_row.  Indexed by the column's number.
/// @param entry_row  row in its front of each entry.
std::vector<Index> make_entry_places(std::span<const Front> fronts,
                                     std::span<const Offset> entry_ptr,
                                     std::span<const Index> entry_row, int threads = 1);

}  // namespace clchol::gpu
