// What is known of a scalar type at compile time.  Code asks these traits, and not the size of the
// type, which is the same for double and for a pair of floats.
#pragma once

#include <type_traits>

namespace clchol {

/// The type of a scalar's magnitude.
template <class T>
using RealOf = std::remove_const_t<T>;

/// Whether a scalar has the precision of double; else it has the precision of float.
template <class T>
inline constexpr bool kIsDouble = std::is_same_v<RealOf<T>, double>;

}  // namespace clchol
