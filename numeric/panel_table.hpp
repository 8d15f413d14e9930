// Where the panels of L are: one description for all engines, so that each can read what another
// has made.
//
// The panel of supernode s is column-major, nrow(s) x ncol(s), its rows in the order of rows(s),
// whichever engine made it; above its diagonal it is undefined.  What engines choose is the slab
// that a panel is in, its place there and its leading dimension.
#pragma once

#include <numeric>
#include <vector>

#include "base/types.hpp"

namespace clchol::numeric {

/// Values behind each slab in host memory that the CPU may read: it loads whole vectors.
inline constexpr Offset kPanelSlack = 16;

/// In values of the scalar type.
struct PanelPlace {
  Index slab = 0;
  Offset begin = 0;  // In the slab.
  Offset ld = 0;     // At least the panel's rows.
};

struct PanelTable {
  std::vector<PanelPlace> place;   // Of each supernode's panel.  Length nsuper.
  std::vector<Offset> slab_sizes;  // Values of each slab.

  Offset entries() const {
    return std::accumulate(slab_sizes.begin(), slab_sizes.end(), Offset{0});
  }
};

}  // namespace clchol::numeric
