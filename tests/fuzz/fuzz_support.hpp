// What the fuzz targets share.
#pragma once

#include <cstdlib>
#include <string>

namespace clchol::fuzz {

/// Ends the program, which the fuzzer takes for a finding, unless the claim holds.
inline void require(bool claim) {
  if (!claim) std::abort();
}

inline bool is_one_printable_line(const std::string& message) {
  for (char c : message) {
    if (c < ' ' || c > '~') return false;
  }
  return !message.empty();
}

}  // namespace clchol::fuzz
