// The costs by which an analysis predicts the time that an engine takes for a factorization.  The
// analysis merges fronts and compares orderings by this time.
#pragma once

#include "ordering/choice.hpp"
#include "symbolic/front_cost.hpp"

namespace clchol::solver {

/// Costs of one engine.  The default values are the costs of the CPU; open_device.hpp reads the
/// costs of a device from its tuning data.
struct AnalysisCosts {
  symbolic::FrontCost front;      ///< Cycles of a front, by which fronts are merged.
  ordering::ChoiceOptions order;  ///< Costs by which Ordering::kAuto chooses a method.

  friend bool operator==(const AnalysisCosts&, const AnalysisCosts&) = default;
};

}  // namespace clchol::solver
