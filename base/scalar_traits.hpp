// Properties of a scalar type at compile time.  Code uses these traits and not the size of the
// type, because sizeof(double) is also the size of a pair of floats.
#pragma once

#include <type_traits>

namespace clchol {

/// The type of the magnitude of a scalar: the scalar type itself, without const.
template <class T>
using RealOf = std::remove_const_t<T>;

/// Whether a scalar has the precision of double; else it has the precision of float.
template <class T>
inline constexpr bool kIsDouble = std::is_same_v<RealOf<T>, double>;

}  // namespace clchol
