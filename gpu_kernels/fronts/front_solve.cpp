#include "gpu_kernels/fronts/front_solve.hpp"

#include <algorithm>
#include <utility>

#include "base/index_math.hpp"

namespace clchol::gpu {
namespace {

// GROUP and WARPS of the kernels.  COPIERS + BRINGERS of front_solve.cl is 4 for any RHS; only the
// sum of kCopiers and kBringers matters.
constexpr Offset kSolveWorkGroup = 128, kSolveWarps = 4, kCopiers = 2, kBringers = 2;

/// Entries of one partial sum: SLOT of front_solve.cl.
Offset slot_size(Index rhs) { return kSolveWorkGroup * 4 * ((rhs + 7) / 8); }

/// Words of FrontSolveWorkspace::tagged: two for each value.
Offset tagged_size(Index rows, Index rhs) { return Offset{2} * rows * rhs; }

/// Entries of the update vectors of one block of right-hand sides, rounded up to whole cache lines,
/// so that the partial sums behind them begin at a cache line.
Offset vectors_size(const FrontSolveSizes& sizes, Index rhs) {
  constexpr Offset kLine = 16;
  return (sizes.vector_rows * rhs + kLine - 1) / kLine * kLine;
}

std::vector<TriangleBatch> triangles_of(Queue& queue, const FrontSolveLists& lists) {
  std::vector<TriangleBatch> batches;
  for (std::size_t g = 0; g + 1 < lists.groups.size(); ++g) {
    TriangleList list(kSolveBlock);
    for (Index p = lists.groups[g].front; p < lists.groups[g + 1].front; ++p) {
      const SolveFront& front = lists.fronts[static_cast<std::size_t>(p)];
      if (front.ncol == 0) continue;
      list.append({front.panel, front.ldp, front.inverses, front.ncol, 0});
    }
    batches.emplace_back(queue, list.triangles(), list.blocks());
  }
  return batches;
}

void check_factor(const FrontSolvePlan& plan, Index group, DeviceView<const double> panels,
                  DeviceView<const double> inverses) {
  if (group < 0 || group >= plan.sizes.num_groups) {
    throw InvalidArgument("front_solve: group " + std::to_string(group) + ", the plan has " +
                          std::to_string(plan.sizes.num_groups));
  }
  if (inverses.offset % 2 != 0 || panels.offset % 2 != 0) {
    throw InvalidArgument("front_solve: panels or inverses begin at an odd place of their buffer");
  }
  if (inverses.size < plan.inverse_entries(group)) {
    throw InvalidArgument("front_solve: inverses has " + std::to_string(inverses.size) +
                          " entries, at least " + std::to_string(plan.inverse_entries(group)));
  }
}

// The launches of one group for one block of right-hand sides, in one direction.
struct SolvePart {
  const FrontSolvePlan& plan;
  FrontSolveWorkspace& workspace;
  const FrontSolveOperands& operands;
  Index rhs;           // FrontSolveParams::rhs, right-hand sides of a launch at most.
  Index first, count;  // Right-hand sides [first, first + count) are solved.
  Index group;

  const SolveGroup& begin() const { return plan.groups[at(group)]; }
  const SolveGroup& end() const { return plan.groups[at(group) + 1]; }

  DeviceView<double> vectors() const {
    const Offset size = vectors_size(plan.sizes, rhs);
    return workspace.values.part(first / rhs % workspace.blocks * size, size);
  }
  /// Partial sums lie behind the update vectors of all blocks of right-hand sides.
  DeviceView<double> partial_sums() const {
    return workspace.values.part(workspace.blocks * vectors_size(plan.sizes, rhs),
                                 plan.sizes.num_slots * slot_size(rhs));
  }

  /// Calls run() with the arguments that all kernels have in common.
  template <class Run>
  void with_operands(const Run& run) const {
    const FrontSolveOperands& o = operands;
    run(o.nrhs, first, count, plan.fronts.view(), plan.source_ptr.view(), plan.sources.view(),
        plan.rowind, o.panels, o.inverses, o.x, vectors());
  }

  void run_subtrees(Queue& queue, const Kernel& kernel) const {
    const Index subtrees = end().subtree - begin().subtree;
    if (subtrees == 0) return;
    with_operands([&](const auto&... all) {
      launch(queue, kernel, covering(subtrees * (kSolveWorkGroup / kSolveWarps), kSolveWorkGroup),
             all..., subtrees, plan.subtree_ptr.part(begin().subtree, Offset{subtrees} + 1));
    });
  }

  /// Launches a kernel whose work-groups draw tickets [first_ticket, last_ticket) of a list.
  template <class... More>
  void run_tickets(Queue& queue, const Kernel& kernel, const DeviceBuffer<SolveTicket>& tickets,
                   Index first_ticket, Index last_ticket, Offset most_work_groups,
                   const More&... more) const {
    const Index number = last_ticket - first_ticket;
    if (number == 0) return;
    fill<Index>(queue, workspace.counters, 0);
    workspace.tag = static_cast<Index>(static_cast<std::uint32_t>(workspace.tag) + 1U);  // Wraps.
    with_operands([&](const auto&... all) {
      launch(queue, kernel,
             work_groups_of(kSolveWorkGroup + 32 * (kCopiers + kBringers),
                            std::min<Offset>(number, most_work_groups)),
             all..., number, tickets.part(first_ticket, number), workspace.counters.view(),
             workspace.counters.part(plan.sizes.num_counters, 1), workspace.tagged.view(),
             workspace.tag, more...);
    });
  }
};

}  // namespace

bool FrontSolveParams::valid() const {
  const bool power = rhs == 1 || rhs == 2 || rhs == 4 || rhs == 8 || rhs == kMostSolveSides;
  return power && stages >= 2 && stages <= 8 && registers >= 0 && registers <= 255 &&
         work_groups_per_unit > 0 && work_groups_per_unit <= 16;
}

Offset FrontSolveParams::local_bytes() const {
  // LD_BACKWARD (the larger leading dimension of blocks), LD_SIDES and SIDES_ROOMS of the kernel
  // file.  kRest: bytes of barriers and drawn tickets.
  constexpr Offset kLdBlock = kSolveBlock + 8, kRest = 512;
  const Offset ld_sides = rhs < 4 ? rhs : rhs + 4, sides_rooms = rhs < 8 ? 6 : 3;
  const Offset values = stages * kLdBlock + (sides_rooms + 1) * ld_sides;
  return kSolveBlock * values * Offset{sizeof(double)} + kRest;
}

std::string FrontSolveParams::build_options() const {
  std::string options = "-DRHS=" + std::to_string(rhs) + " -DSTAGES=" + std::to_string(stages);
  if (spans) options += " -DSPANS=1";
  if (registers > 0) options += " -cl-nv-maxrregcount=" + std::to_string(registers);
  return options;
}

FrontSolveParams front_solve_params(Index nrhs, const FrontSolveSizes& sizes) {
  FrontSolveParams params;
  params.spans = sizes.has_spans;
  while (params.rhs < std::min(nrhs, kMostSolveSides)) params.rhs *= 2;
  // The most stages with which two work-groups fit in a compute unit's local memory.
  params.stages = params.rhs == 1 ? 3 : 2;
  return params;
}

FrontSolvePlan upload_front_solve(Queue& queue, const FrontSolveLists& lists,
                                  DeviceView<const Index> rowind) {
  return {uploaded<SolveFront>(queue, lists.fronts),
          uploaded<Index>(queue, lists.subtree_ptr),
          uploaded<Index>(queue, lists.source_ptr),
          uploaded<Index>(queue, lists.sources),
          rowind,
          uploaded<SolveTicket>(queue, lists.forward),
          uploaded<SolveTicket>(queue, lists.backward),
          uploaded<SolveWait>(queue, lists.waits),
          lists.groups,
          triangles_of(queue, lists),
          uploaded<SolveCoupling>(queue, lists.couplings),
          lists.coupling_ptr,
          lists.sizes};
}

Offset front_solve_bytes(const FrontSolveLists& lists) {
  Offset triangles = 0;
  for (std::size_t p = at(lists.num_subtree_fronts); p < lists.fronts.size(); ++p) {
    const Offset blocks = (lists.fronts[p].ncol + kSolveBlock - 1) / kSolveBlock;
    triangles += Offset{sizeof(LowerTriangle)} + blocks * Offset{sizeof(TriangleBlock)};
  }
  return bytes_in(lists.fronts) + bytes_in(lists.subtree_ptr) + bytes_in(lists.source_ptr) +
         bytes_in(lists.sources) + bytes_in(lists.forward) + bytes_in(lists.backward) +
         bytes_in(lists.waits) + bytes_in(lists.couplings) + triangles;
}

FrontSolveBlocks::FrontSolveBlocks(ProgramCache& programs)
    : trinv_(programs, kSolveBlock),
      couple_(programs.program("couple_blocks.cl", "").kernel("couple_blocks")) {}

void FrontSolveBlocks::run(Queue& queue, const FrontSolvePlan& plan, Index group,
                           DeviceView<const double> panels, DeviceView<double> inverses) {
  check_factor(plan, group, panels, inverses);
  trinv_.run(queue, plan.triangles[at(group)], panels, inverses);
  for (Index l = plan.groups[at(group)].coupling; l < plan.groups[at(group) + 1].coupling; ++l) {
    const Index begin = plan.coupling_ptr[at(l)], number = plan.coupling_ptr[at(l + 1)] - begin;
    launch(queue, couple_, work_groups_of(kSolveWorkGroup, 2 * Offset{number}),
           plan.couplings.part(begin, number), panels, inverses);
  }
}

Offset FrontSolve::workspace_entries(const FrontSolveSizes& sizes, Index rhs, Index nrhs) {
  return vector_blocks(sizes, rhs, nrhs) * vectors_size(sizes, rhs) +
         sizes.num_slots * slot_size(rhs);
}

Offset FrontSolve::workspace_bytes(const FrontSolveSizes& sizes, Index rhs) {
  return tagged_size(sizes.tagged_rows, rhs) * Offset{sizeof(Offset)} +
         (Offset{sizes.num_counters} + 1) * Offset{sizeof(Index)};
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

FrontSolveWorkspace FrontSolve::workspace(Queue& queue, const FrontSolvePlan& plan,
                                          DeviceView<double> values, Index nrhs) const {
  const Offset wanted = workspace_entries(plan.sizes, params_.rhs, nrhs);
  if (values.size < wanted || values.offset % 2 != 0) {
    throw InvalidArgument("front_solve: a workspace of " + std::to_string(values.size) +
                          " values at " + std::to_string(values.offset) + ", at least " +
                          std::to_string(wanted) + " at an even place");
  }
  DeviceBuffer<Offset> tagged(queue.context(), tagged_size(plan.sizes.tagged_rows, params_.rhs));
  fill<Offset>(queue, tagged, 0).wait();  // Solves may be enqueued to another queue.
  return {values,
          vector_blocks(plan.sizes, params_.rhs, nrhs),
          std::move(tagged),
          0,
          {queue.context(), Offset{plan.sizes.num_counters} + 1}};
}

void FrontSolve::check(const FrontSolvePlan& plan, const FrontSolveWorkspace& workspace,
                       Index group, const FrontSolveOperands& operands) const {
  if (plan.sizes.has_spans && !params_.spans) {
    throw InvalidArgument("front_solve: kernels without spans for a plan with them");
  }
  if (operands.nrhs < 1) {
    throw InvalidArgument("front_solve: nrhs = " + std::to_string(operands.nrhs) + ", at least 1");
  }
  if (workspace.blocks < vector_blocks(plan.sizes, params_.rhs, operands.nrhs)) {
    throw InvalidArgument("front_solve: the workspace is for fewer right-hand sides than " +
                          std::to_string(operands.nrhs));
  }
  check_factor(plan, group, operands.panels, operands.inverses);
}

void FrontSolve::forward(Queue& queue, const FrontSolvePlan& plan, FrontSolveWorkspace& workspace,
                         Index group, const FrontSolveOperands& operands) const {
  check(plan, workspace, group, operands);
  for (Index first = 0; first < operands.nrhs; first += params_.rhs) {
    const Index count = std::min(params_.rhs, operands.nrhs - first);
    const SolvePart part{plan, workspace, operands, params_.rhs, first, count, group};
    part.run_subtrees(queue, subtree_forward_);
    part.run_tickets(queue, forward_, plan.forward, part.begin().forward, part.end().forward,
                     most_work_groups());
  }
}

void FrontSolve::backward(Queue& queue, const FrontSolvePlan& plan, FrontSolveWorkspace& workspace,
                          Index group, const FrontSolveOperands& operands) const {
  check(plan, workspace, group, operands);
  for (Index first = 0; first < operands.nrhs; first += params_.rhs) {
    const Index count = std::min(params_.rhs, operands.nrhs - first);
    const SolvePart part{plan, workspace, operands, params_.rhs, first, count, group};
    part.run_tickets(queue, backward_, plan.backward, part.begin().backward, part.end().backward,
                     most_work_groups(), part.partial_sums(), plan.waits.view());
    part.run_subtrees(queue, subtree_backward_);
  }
}

}  // namespace clchol::gpu
