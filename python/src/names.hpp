// Names of the values of enumerations, as Python sees them.
#pragma once

#include <array>

#include "clchol/clchol.hpp"

namespace clchol::python {

// In the order of the values.
inline constexpr std::array<const char*, 7> kOrderings{"auto", "amd",     "md",   "mmd",
                                                       "nd",   "natural", "given"};
inline constexpr std::array<const char*, 3> kEfforts{"fast", "balanced", "best"};
inline constexpr std::array<const char*, 4> kPrecisions{"auto", "double", "single", "mixed"};
inline constexpr std::array<const char*, 3> kScalings{"never", "auto", "always"};
inline constexpr std::array<const char*, 4> kErrorChecks{"auto", "every_solve", "first_solve",
                                                         "never"};
inline constexpr std::array<const char*, 3> kEngines{"auto", "cpu", "opencl"};
inline constexpr std::array<const char*, 3> kTriangles{"lower", "upper", "both"};

inline const auto& names_of(Ordering) { return kOrderings; }
inline const auto& names_of(OrderingEffort) { return kEfforts; }
inline const auto& names_of(Precision) { return kPrecisions; }
inline const auto& names_of(Scaling) { return kScalings; }
inline const auto& names_of(ErrorChecks) { return kErrorChecks; }
inline const auto& names_of(EngineKind) { return kEngines; }
inline const auto& names_of(Triangle) { return kTriangles; }

template <class E>
const char* name_of(E value) {
  return names_of(value).at(static_cast<std::size_t>(value));
}

}  // namespace clchol::python
