// Locations of the panels of L.  All engines use this table, so each engine can read the panels
// that another engine has computed.
//
// The panel of supernode s is column-major, nrow(s) x ncol(s), its rows in the order of rows(s),
// for every engine.  Its entries above the diagonal are undefined.  An engine chooses the slab that
// a panel is in, the panel's offset in the slab and its leading dimension.
#pragma once

#include <numeric>
#include <vector>

#include "base/types.hpp"

namespace clchol::numeric {

/// Values behind each slab in host memory that the CPU may read, because it loads whole vectors.
inline constexpr Offset kPanelSlack = 16;

/// Location of a panel, in values of the scalar type.
struct PanelPlace {
  Index slab = 0;
  Offset begin = 0;  // Offset of the panel in the slab.
  Offset ld = 0;     // Leading dimension, at least the number of the panel's rows.
};

struct PanelTable {
  std::vector<PanelPlace> place;   // Location of each supernode's panel.  Length nsuper.
  std::vector<Offset> slab_sizes;  // Values of each slab.  Length: slabs.

  Offset entries() const {
    return std::accumulate(slab_sizes.begin(), slab_sizes.end(), Offset{0});
  }
};

}  // namespace clchol::numeric
