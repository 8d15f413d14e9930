// The costs by which an analysis predicts the time of an engine.
#pragma once

#include "ordering/choice.hpp"
#include "symbolic/front_cost.hpp"

namespace clchol::solver {

/// The default values are the costs of the CPU.
struct AnalysisCosts {
  symbolic::FrontCost front;      ///< Costs by which fronts are merged and orders compared.
  ordering::ChoiceOptions order;  ///< Costs by which Ordering::kAuto chooses a method.

  friend bool operator==(const AnalysisCosts&, const AnalysisCosts&) = default;
};

}  // namespace clchol::solver
