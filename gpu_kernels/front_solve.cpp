#include "gpu_kernels/front_solve.hpp"

#include <algorithm>

namespace clchol::gpu {
namespace {

constexpr Offset kGroup = 128, kWarps = 4;  // GROUP and WARPS of the kernel files.

/// SLOT of the kernel file.
Offset slot_size(Index rhs) { return kGroup * 4 * ((rhs + 7) / 8); }

TriangleBatch triangles_of(Queue& queue, const FrontSolveLists& lists) {
  TriangleList list(kSolveBlock);
  for (std::size_t p = static_cast<std::size_t>(lists.num_subtree_fronts); p < lists.fronts.size();
       ++p) {
    const SolveFront& front = lists.fronts[p];
    list.append({front.panel, front.ldp, front.inverses, front.ncol, 0});
  }
  return {queue, list.triangles(), list.blocks()};
}

/// launch(operands of all kernels...) for every few right-hand sides.
template <class Launch>
void for_each_part(const FrontSolvePlan& plan, const FrontSolveWorkspace& workspace,
                   const FrontSolveOperands& o, Index rhs, const Launch& launch) {
  if (o.nrhs < 1) {
    throw InvalidArgument("front_solve: nrhs = " + std::to_string(o.nrhs) + ", at least 1");
  }
  if (o.inverses.size < plan.inverse_entries) {
    throw InvalidArgument("front_solve: inverses has " + std::to_string(o.inverses.size) +
                          " entries, at least " + std::to_string(plan.inverse_entries));
  }
  for (Index first = 0; first < o.nrhs; first += rhs) {
    launch(o.nrhs, first, std::min(rhs, o.nrhs - first), plan.fronts.view(), plan.source_ptr.view(),
           plan.sources.view(), plan.rowind.view(), o.panels, o.inverses, o.x,
           workspace.vectors.view());
  }
}

}  // namespace

bool FrontSolveParams::valid() const {
  const bool power = rhs == 1 || rhs == 2 || rhs == 4 || rhs == 8 || rhs == kMostSolveSides;
  return power && registers >= 0 && registers <= 255 && groups_per_unit > 0 &&
         groups_per_unit <= 16;
}

std::string FrontSolveParams::build_options() const {
  std::string options = "-DRHS=" + std::to_string(rhs);
  if (registers > 0) options += " -cl-nv-maxrregcount=" + std::to_string(registers);
  return options;
}

FrontSolveParams front_solve_params(Index nrhs) {
  FrontSolveParams params;
  while (params.rhs < std::min(nrhs, kMostSolveSides)) params.rhs *= 2;
  return params;
}

FrontSolvePlan upload_front_solve(Queue& queue, const FrontSolveInput& input,
                                  std::span<const Index> rowind, const FrontSolveOptions& options) {
  const FrontSolveLists lists = make_front_solve(input, options);
  return {uploaded<SolveFront>(queue, lists.fronts),
          uploaded<Index>(queue, lists.subtree_ptr),
          uploaded<Index>(queue, lists.source_ptr),
          uploaded<Index>(queue, lists.sources),
          uploaded<Index>(queue, rowind),
          uploaded<SolveTicket>(queue, lists.forward),
          uploaded<SolveTicket>(queue, lists.backward),
          triangles_of(queue, lists),
          lists.inverse_entries,
          lists.vector_rows,
          lists.num_slots,
          lists.num_counters};
}

FrontSolve::FrontSolve(ProgramCache& programs, const FrontSolveParams& params) : params_(params) {
  if (!params.valid()) {
    throw InvalidArgument("front_solve: no such shape: " + params.build_options());
  }
  const Program& tiles = programs.program("front_solve.cl", params.build_options());
  forward_ = tiles.kernel("front_solve_forward");
  backward_ = tiles.kernel("front_solve_backward");
  const Program& subtrees = programs.program("subtree_solve.cl", params.build_options());
  subtree_forward_ = subtrees.kernel("subtree_forward");
  subtree_backward_ = subtrees.kernel("subtree_backward");
  compute_units_ = programs.context().device().description.compute_units;
}

FrontSolveWorkspace FrontSolve::workspace(Queue& queue, const FrontSolvePlan& plan) const {
  return {{queue.context(), plan.vector_rows * params_.rhs},
          {queue.context(), plan.num_slots * slot_size(params_.rhs)},
          {queue.context(), Offset{plan.num_counters} + 1}};
}

void FrontSolve::forward(Queue& queue, const FrontSolvePlan& plan,
                         const FrontSolveWorkspace& workspace,
                         const FrontSolveOperands& operands) const {
  const Offset groups = std::min(plan.forward.size(), compute_units_ * params_.groups_per_unit);
  for_each_part(plan, workspace, operands, params_.rhs, [&](const auto&... all) {
    launch(queue, subtree_forward_, covering(plan.num_subtrees() * (kGroup / kWarps), kGroup),
           all..., plan.num_subtrees(), plan.subtree_ptr.view());
    if (groups == 0) return;
    fill<Index>(queue, workspace.counters, 0);
    launch(queue, forward_, groups_of(kGroup, groups), all...,
           static_cast<Index>(plan.forward.size()), plan.forward.view(), workspace.counters.view(),
           workspace.counters.part(plan.num_counters, 1));
  });
}

void FrontSolve::backward(Queue& queue, const FrontSolvePlan& plan,
                          const FrontSolveWorkspace& workspace,
                          const FrontSolveOperands& operands) const {
  const Offset groups = std::min(plan.backward.size(), compute_units_ * params_.groups_per_unit);
  for_each_part(plan, workspace, operands, params_.rhs, [&](const auto&... all) {
    if (groups > 0) {
      fill<Index>(queue, workspace.counters, 0);
      launch(queue, backward_, groups_of(kGroup, groups), all...,
             static_cast<Index>(plan.backward.size()), plan.backward.view(),
             workspace.counters.view(), workspace.counters.part(plan.num_counters, 1),
             workspace.partial.view());
    }
    launch(queue, subtree_backward_, covering(plan.num_subtrees() * (kGroup / kWarps), kGroup),
           all..., plan.num_subtrees(), plan.subtree_ptr.view());
  });
}

}  // namespace clchol::gpu
