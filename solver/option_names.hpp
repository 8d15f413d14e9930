// Names of enumeration values.  The source file defines to_string(), which clchol/options.hpp and
// clchol/reports.hpp declare; this header declares the way back, from a name to the value.
#pragma once

#include <optional>
#include <string_view>

#include "clchol/options.hpp"

namespace clchol::solver {

/// An ordering and, for nested dissection, its effort.
struct NamedOrdering {
  Ordering ordering = Ordering::kAuto;
  OrderingEffort effort = OrderingEffort::kBalanced;
};

/// @return the ordering and the effort for which to_string(ordering, effort) returns `name`;
///         std::nullopt when `name` is not the name of an ordering.
std::optional<NamedOrdering> ordering_named(std::string_view name);

}  // namespace clchol::solver
