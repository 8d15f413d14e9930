// Names of enumeration values: the texts that to_string() returns (clchol/options.hpp,
// clchol/reports.hpp), and their inverse.
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

/// Inverse of to_string(ordering, effort); empty when the text is not the name of an ordering.
std::optional<NamedOrdering> ordering_named(std::string_view name);

}  // namespace clchol::solver
