// Bytes that arrays take.
#pragma once

#include "base/types.hpp"

namespace clchol {

/// Bytes that a container has allocated for its entries.
template <class V>
Offset bytes_of(const V& v) {
  if constexpr (requires { v.capacity(); }) {
    return static_cast<Offset>(v.capacity() * sizeof(v[0]));
  } else {
    return static_cast<Offset>(v.size()) * static_cast<Offset>(sizeof(v[0]));
  }
}

/// Bytes that several containers have allocated for their entries.
template <class... V>
Offset bytes_of_all(const V&... v) {
  return (bytes_of(v) + ...);
}

}  // namespace clchol
