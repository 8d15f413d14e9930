// The host's check of what kernels over fronts require of a panel.
#pragma once

#include <string>

#include "base/types.hpp"

namespace clchol::gpu {

/// Returns what is wrong with a panel of nrow x ncol entries; an empty text: nothing is wrong.
/// Kernels copy two values at once, so the panel's position and leading dimension must be even.
/// @param panel  position of entry (0, 0), in entries.
inline std::string fault_of_panel(Index nrow, Index ncol, Offset ldp, Offset panel) {
  if (ncol < 1 || nrow < ncol) {
    return std::to_string(nrow) + " rows and " + std::to_string(ncol) +
           " pivot columns; 1 <= ncol <= nrow";
  }
  if (ldp < nrow || ldp % 2 != 0) {
    return "leading dimension " + std::to_string(ldp) + "; even, at least " + std::to_string(nrow);
  }
  if (panel < 0 || panel % 2 != 0)
    return "panel at " + std::to_string(panel) + "; an even position";
  return {};
}

}  // namespace clchol::gpu
