// Names of options and of what reports say: the texts of to_string() in clchol/options.hpp and
// clchol/reports.hpp, and their meaning.
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

/// The inverse of to_string(ordering, effort); empty for any other text.
std::optional<NamedOrdering> ordering_named(std::string_view name);

}  // namespace clchol::solver
