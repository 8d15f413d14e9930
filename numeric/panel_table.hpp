// A table of the locations of L's panels in memory.  All engines (CPU, devices) describe their
// panels by such a table, so that each engine can read panels that another engine has computed.
//
// For every engine, the panel of supernode s is a column-major matrix of nrow(s) x ncol(s) entries,
// with its rows in the order of SymbolicFactor::rows(s).  The panel's entries above the diagonal
// are undefined.  A slab is a memory range that holds the panels of consecutive groups of fronts.
// The engine chooses each panel's slab, offset in the slab and leading dimension.
#pragma once

#include <functional>
#include <numeric>
#include <vector>

#include "base/types.hpp"

namespace clchol::numeric {

/// Number of entries after the end of a slab in host memory that must be readable, because the
/// CPU's kernels load whole SIMD vectors.
inline constexpr Offset kPanelSlack = 16;

/// Location of a panel.
struct PanelPlace {
  Index slab = 0;    // Number of the slab that holds the panel.
  Offset begin = 0;  // Offset of the panel's entry (0, 0) in the slab, in entries.
  Offset ld = 0;     // Leading dimension: at least the number of the panel's rows.
};

/// Locations of all panels of a factor.
struct PanelTable {
  std::vector<PanelPlace> place;   // Location of each supernode's panel.  Length nsuper.
  std::vector<Offset> slab_sizes;  // Number of entries of each slab.  Length: number of slabs.

  /// Returns the number of entries of all slabs together.
  Offset entries() const {
    return std::accumulate(slab_sizes.begin(), slab_sizes.end(), Offset{0});
  }
};

/// Columns [begin, end) of the panel of supernode s in host memory.  Entry (i, j), i >= j, is
/// data[i + j * ld].  The entry (0, 0) is in memory if `begin` is 0.
template <class T>
struct PanelColumns {
  Index s, begin, end;
  const T* data;
  Offset ld;
};

/// A function that receives columns of panels.  The columns are in memory until it returns.
template <class T>
using VisitColumns = std::function<void(const PanelColumns<T>& columns)>;

}  // namespace clchol::numeric
