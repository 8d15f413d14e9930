// Transfers of slabs of panels without most of the entries above the diagonal.
//
// A panel is a column-major matrix with ncol columns.  The entries above its diagonal have no
// meaning, and no kernel reads them, except in the squares on the diagonal.  In a square panel they
// are half of the entries.  A wide panel is therefore moved in block columns, without the rows
// above the square on the diagonal of each block column:
//
//     block columns of a wide panel        Other panels, and the first block column of each wide
//         0     1     2                    panel, are contiguous in the slab.  They are moved as a
//      +-----+-----+-----+                 whole.
//      |     | not moved |
//      |     +-----+     |
//      |     |     |     |
//      |     |     +-----+
//      |     |     |     |
//      +-----+-----+-----+
//
// All offsets and sizes count entries.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace clchol::numeric {

/// Returns whether a panel of ncol columns is moved in block columns.
/// @param block  Columns of a block column.  0: every panel is moved as a whole.
constexpr bool is_wide(Index ncol, Index block) { return block > 0 && ncol / 2 >= block; }

/// Returns the number of entries that are not moved with the first `columns` columns of a panel of
/// ncol columns: the sum over j < columns of (j / block) * block.  0 if the panel is not wide.
constexpr Offset entries_not_moved(Index ncol, Index columns, Index block) {
  if (!is_wide(ncol, block)) return 0;
  const Offset whole = columns / block, last = columns % block;
  return block * (block * (whole * (whole - 1) / 2) + whole * last);
}

/// A rectangle of entries of a slab: `columns` times `rows` contiguous entries.  The first entries
/// of consecutive columns are `ld` entries apart.
struct SlabRectangle {
  Offset begin = 0;  ///< Offset in the slab of the first entry.
  Offset rows = 0, columns = 1, ld = 0;
};

/// A wide panel.
struct WidePanel {
  Offset begin = 0;  ///< Offset of the panel in its slab.
  Offset ld = 0;     ///< Leading dimension of the panel.
  Index ncol = 0;    ///< Number of columns of the panel.
};

/// The wide panels of a factor.
struct WidePanels {
  Index block = 0;  ///< Columns of a block column.
  /// Wide panels of each slab, in ascending order of their offsets.  Empty: no panel is wide.
  std::vector<std::vector<WidePanel>> slabs = {};

  /// Calls use(rectangle) for the SlabRectangles that together hold the entries [begin, end) of a
  /// slab that are moved, in ascending order of their offsets.  `begin` and `end` must not be
  /// offsets inside of a column of a wide panel.
  template <class Use>
  void for_rectangles(Index slab, Offset begin, Offset end, const Use& use) const;
};

template <class Use>
void WidePanels::for_rectangles(Index slab, Offset begin, Offset end, const Use& use) const {
  const auto use_contiguous = [&](Offset to) {
    if (begin < to) use(SlabRectangle{.begin = begin, .rows = to - begin, .ld = to - begin});
  };
  const auto panels = slabs.empty() ? std::span<const WidePanel>()
                                    : std::span(slabs[static_cast<std::size_t>(slab)]);
  for (const WidePanel& panel : panels) {
    const auto column_at = [&](Offset offset) {
      return std::clamp<Offset>((offset - panel.begin) / panel.ld, 0, panel.ncol);
    };
    const Offset end_of_panel = panel.begin + panel.ld * panel.ncol;
    if (begin >= end_of_panel) continue;
    if (end <= panel.begin + panel.ld * block) break;
    const Offset first = std::max<Offset>(block, begin < panel.begin ? 0 : column_at(begin));
    if (begin < panel.begin + panel.ld * first) use_contiguous(panel.begin + panel.ld * first);
    const Offset last = column_at(end);
    for (Offset j = first; j < last;) {
      const Offset square = j / block * block, next = std::min(square + block, last);
      use(SlabRectangle{.begin = panel.begin + panel.ld * j + square,
                        .rows = panel.ld - square,
                        .columns = next - j,
                        .ld = panel.ld});
      j = next;
    }
    begin = std::min(end, end_of_panel);
  }
  use_contiguous(end);
}

}  // namespace clchol::numeric
