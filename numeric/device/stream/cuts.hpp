// The ways to divide the fronts of a streamed factor into groups, strips and slabs from which
// plan_stream() chooses (plan.hpp).
#pragma once

#include <vector>

#include "numeric/device/stream/plan.hpp"

namespace clchol::numeric {

/// Returns the cuts that plan_stream() tries, with the smallest groups and strips last.  Empty if a
/// panel does not fit into one buffer or into the arena.  Cost O(nsuper).
std::vector<StreamCut> stream_cuts(const symbolic::SymbolicFactor& factor,
                                   const StreamBudget& budget);

}  // namespace clchol::numeric
