// Checks on the host whether a panel has the sizes and the alignment that kernels need.
#pragma once

#include <string>

#include "base/types.hpp"

namespace clchol::gpu {

/// Checks the sizes and the alignment of a panel of nrow x ncol entries.  Kernels copy two entries
/// at once, so `panel` and `ldp` must be even.
/// @return  text that says which size or offset is invalid; empty when the panel is valid.
/// @param ldp    leading dimension.
/// @param panel  offset of entry (0, 0) in the panels' buffer, in entries.
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
