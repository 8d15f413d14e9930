// Bytes of memory that containers occupy.
#pragma once

#include "base/types.hpp"

namespace clchol {

/// Bytes that a container (a vector or a buffer) has allocated for its entries, spare capacity of a
/// vector included.
template <class V>
Offset bytes_of(const V& v) {
  if constexpr (requires { v.capacity(); }) {
    return static_cast<Offset>(v.capacity() * sizeof(v[0]));
  } else {
    return static_cast<Offset>(v.size()) * static_cast<Offset>(sizeof(v[0]));
  }
}

/// Sum of bytes_of() over several containers.
template <class... V>
Offset bytes_of_all(const V&... v) {
  return (bytes_of(v) + ...);
}

}  // namespace clchol
