// Small functions of indices.
#pragma once

#include <cstddef>

#include "base/types.hpp"

namespace clchol {

/// Returns i as a subscript of a standard container, for i >= 0.
constexpr std::size_t at(Offset i) { return static_cast<std::size_t>(i); }

/// Returns a / b rounded up, for a >= 0 and b > 0.
constexpr Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

}  // namespace clchol
