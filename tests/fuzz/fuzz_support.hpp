// Checks that the fuzz targets share.
#pragma once

#include <cstdlib>
#include <string>

namespace clchol::fuzz {

/// Aborts the program, which the fuzzer reports as a finding, unless `claim` is true.
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
