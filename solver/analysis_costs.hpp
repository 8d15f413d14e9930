// What the models of the analysis take an engine's time for.
#pragma once

#include "ordering/choice.hpp"
#include "symbolic/front_cost.hpp"

namespace clchol::solver {

/// The CPU's, until a device says otherwise.
struct AnalysisCosts {
  symbolic::FrontCost front;      ///< What fronts are merged by, and orders compared.
  ordering::ChoiceOptions order;  ///< What `auto` chooses an ordering by.

  friend bool operator==(const AnalysisCosts&, const AnalysisCosts&) = default;
};

}  // namespace clchol::solver
