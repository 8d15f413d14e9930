// Access to arrays with a check of the subscript in debug builds.
#pragma once

#include <cstddef>

#include "base/assert.hpp"
#include "base/types.hpp"

namespace clchol::gpu::reference {

/// Returns the entry of the span at the place, 0 <= place < size.
template <class Span>
auto& checked_entry(Span span, Offset place) {
  CLCHOL_ASSERT(place >= 0 && place < static_cast<Offset>(span.size()));
  return span[static_cast<std::size_t>(place)];
}

}  // namespace clchol::gpu::reference
