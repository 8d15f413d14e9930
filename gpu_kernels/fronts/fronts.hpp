// The structs that kernels over fronts share with the host, and the lists that go with them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "base/types.hpp"
// In this order: it uses the types.
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

/// What the pattern alone decides, on the host; not owned.
struct FrontLists {
  std::span<const Front> fronts;
  std::span<const Child> children;              // Front f's are [child_begin, child_end).
  std::span<const Index> relind;                // Of all children.
  std::span<const Index> rowind;                // Of all fronts.
  std::span<const std::uint32_t> entry_source;  // Position of each entry in A's values.
  std::span<const Index> entry_place;           // And in its panel: make_entry_places().
};

/// Columns of a panel whose places count from the same column: places are 32-bit numbers.
constexpr Index columns_of_base(Offset ldp) {
  constexpr Offset kMost = std::numeric_limits<Index>::max();
  const Offset columns = kMost / (ldp > 0 ? ldp : 1);
  return static_cast<Index>(columns > 0 ? columns : 1);
}
/// The column that the places of a column's entries count from: 0 but for panels of 2^31 entries.
constexpr Index base_column(Offset ldp, Index column) {
  return column / columns_of_base(ldp) * columns_of_base(ldp);
}

/// Places of A's entries: entry e in row r and column c of a front goes to
/// r + (c - base_column) * ldp.  Entries of a front's columns are [entry_begin, entry_end) of what
/// is returned, column by column; a front that has none there is left out.
/// @param entry_ptr  start of each column's entries in entry_row, by number of the column.
/// @param entry_row  row of each entry in its front.
std::vector<Index> make_entry_places(std::span<const Front> fronts,
                                     std::span<const Offset> entry_ptr,
                                     std::span<const Index> entry_row, int threads = 1);

}  // namespace clchol::gpu
