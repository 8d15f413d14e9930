#include "numeric/device/solve.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <type_traits>

#include "base/index_math.hpp"
#include "gpu_kernels/dense/trinv.hpp"
#include "gpu_kernels/fronts/front_solve.hpp"
#include "gpu_kernels/fronts/triangular_solve.hpp"

namespace clchol::numeric {
namespace {

// ---- Wave by wave -------------------------------------------------------------------------------

gpu::TriangleList list_triangles(std::span<const gpu::Front> fronts, Index block) {
  gpu::TriangleList list(block);
  for (const gpu::Front& front : fronts) {
    if (front.ncol == 0) continue;  // An imported front has no columns.
    list.append({front.panel, front.ldp, front.inverses, front.ncol, 0});
  }
  return list;
}

/// The plan's children.  Children that the CPU solves with have nupd = 0: they add nothing to their
/// parents, because the CPU adds their sums to X.
std::vector<gpu::Child> solved_children(const symbolic::SymbolicFactor& symbolic,
                                        const DevicePlan& plan) {
  std::vector<gpu::Child> children = plan.children;
  const std::vector<char> is_part = part_of_host(plan);
  for (std::size_t f = 0; f < plan.fronts.size(); ++f) {
    auto child = children.begin() + plan.fronts[f].child_begin;
    for (const Index c : symbolic.children(plan.super[f])) {
      if (symbolic.nupd(c) == 0) continue;
      if (is_part[c] != 0) child->nupd = 0;
      ++child;
    }
  }
  return children;
}

template <class T>
class SolveByWaves : public DeviceSolve<T> {
 public:
  SolveByWaves(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
               const DeviceFactor<T>& factor)
      : programs_(runtime.programs()),
        factor_(factor),
        block_(factor.plan().solve_block),
        trinv_(programs_, block_) {
    const DevicePlan& plan = factor.plan();
    const gpu::SolveCut cut{.block = block_};
    const std::vector<gpu::Child> children = solved_children(symbolic, plan);
    const gpu::FrontLists lists{.fronts = plan.fronts,
                                .children = children,
                                .relind = symbolic.relind,
                                .rowind = {},
                                .entry_source = {},
                                .entry_place = {}};
    for (Index s = 0; s < static_cast<Index>(plan.slabs.size()); ++s) {
      const PanelSlab& slab = plan.slabs[s];
      const Index count = s < plan.first_on_device() ? 0 : slab.end - slab.begin;
      const auto fronts =
          std::span(plan.fronts)
              .subspan(static_cast<std::size_t>(slab.begin), static_cast<std::size_t>(count));
      made_.triangles.push_back(list_triangles(fronts, block_));
    }
    for (auto& [slab, wave] : waves_of(plan)) {
      made_.waves.push_back({slab, gpu::make_forward_lists(lists, wave, cut),
                             gpu::make_backward_lists(plan.fronts, wave, cut)});
      num_slots_ = std::max(num_slots_, made_.waves.back().backward.num_slots);
    }
    list_bytes_ = made_.bytes();
    kernel_for(1);
  }

  bool is_by_tickets() const override { return false; }

  Offset inverse_entries(Index slab) const override {
    return factor_.plan().slabs[static_cast<std::size_t>(slab)].inverse_entries;
  }

  Offset bytes(Index) const override { return list_bytes_; }

  Offset workspace_entries(Index nrhs) const override {
    return vectors_entries(nrhs) + partial_entries(nrhs);
  }

  void allocate(gpu::Queue& queue) override {
    ranges_.resize(made_.triangles.size());
    for (std::size_t s = 0; s < ranges_.size(); ++s) {
      const gpu::TriangleList& list = made_.triangles[s];
      ranges_[s].triangles.emplace(queue, list.triangles(), list.blocks());
    }
    for (const auto& wave : made_.waves) {
      Range& range = ranges_[static_cast<std::size_t>(wave.slab)];
      range.forward.emplace_back(queue, wave.forward);
      range.backward.emplace_back(queue, wave.backward);
    }
    for (Range& range : ranges_) std::reverse(range.backward.begin(), range.backward.end());
    made_ = {};
  }

  void invert_blocks(gpu::Queue& queue, const SolveRange<T>& range) override {
    trinv_.run(queue, *lists_of(range).triangles, range.panels, range.inverses);
  }

  void reserve(gpu::Queue&, Index nrhs, gpu::DeviceView<T> workspace) override {
    kernel_for(nrhs);
    vectors_ = workspace.part(0, vectors_entries(nrhs));
    partial_ = workspace.part(vectors_entries(nrhs), partial_entries(nrhs));
  }

  gpu::DeviceView<T> update_vector(Index front, Index nrhs) const override {
    const gpu::Front& of = factor_.plan().fronts[static_cast<std::size_t>(front)];
    return vectors_.part((of.vector + of.ncol) * nrhs, Offset{of.nrow - of.ncol} * nrhs);
  }

  void forward(gpu::Queue& queue, const SolveRange<T>& range, gpu::DeviceView<T> x,
               Index nrhs) override {
    gpu::TriangularSolve<T>& kernel = kernel_for(nrhs);
    for (const gpu::ForwardWave& wave : lists_of(range).forward) {
      kernel.forward(queue, factor_.lists(), wave, operands(range, x, nrhs));
    }
  }

  void backward(gpu::Queue& queue, const SolveRange<T>& range, gpu::DeviceView<T> x,
                Index nrhs) override {
    gpu::TriangularSolve<T>& kernel = kernel_for(nrhs);
    for (const gpu::BackwardWave& wave : lists_of(range).backward) {
      kernel.backward(queue, factor_.lists(), wave, operands(range, x, nrhs));
    }
  }

 private:
  /// Lists of all ranges, on the host.
  struct Lists {
    struct Wave {
      Index slab;
      gpu::ForwardLists forward;
      gpu::BackwardLists backward;
    };
    std::vector<gpu::TriangleList> triangles;  // Diagonal blocks of each slab.
    std::vector<Wave> waves;                   // Waves of all slabs, from the leaves to the roots.

    Offset bytes() const {
      using gpu::bytes_in;
      Offset sum = 0;
      for (const gpu::TriangleList& list : triangles) {
        sum += bytes_in(list.triangles()) + bytes_in(list.blocks());
      }
      for (const Wave& wave : waves) {
        sum += bytes_in(wave.forward.tiles) + bytes_in(wave.forward.pieces) +
               bytes_in(wave.backward.tiles);
      }
      return sum;
    }
  };
  /// Lists of one range, on the device.
  struct Range {
    std::optional<gpu::TriangleBatch> triangles;
    std::vector<gpu::ForwardWave> forward;    // Waves from the leaves to the roots.
    std::vector<gpu::BackwardWave> backward;  // Waves from the roots to the leaves.
  };
  const Range& lists_of(const SolveRange<T>& range) const {
    return ranges_[static_cast<std::size_t>(range.slab)];
  }

  Offset vectors_entries(Index nrhs) const { return factor_.plan().vector_rows * nrhs; }
  Offset partial_entries(Index nrhs) const { return num_slots_ * block_ * nrhs; }

  gpu::SolveOperands<T> operands(const SolveRange<T>& range, gpu::DeviceView<T> x,
                                 Index nrhs) const {
    return {nrhs, range.panels, range.inverses, x, vectors_, partial_};
  }

  gpu::TriangularSolve<T>& kernel_for(Index nrhs) {
    const Index rhs = gpu::rhs_of_work_group(nrhs);
    const auto found = kernels_.find(rhs);
    if (found != kernels_.end()) return found->second;
    const gpu::SolveParams params{.block = block_, .rhs = rhs};
    return kernels_.emplace(rhs, gpu::TriangularSolve<T>(programs_, params)).first->second;
  }

  gpu::ProgramCache& programs_;
  const DeviceFactor<T>& factor_;
  Index block_;  // Order of the inverted diagonal blocks.
  gpu::Trinv<T> trinv_;
  Lists made_;  // Lists on the host; empty after allocate().
  Offset list_bytes_ = 0;
  std::vector<Range> ranges_;                         // Lists of each slab, on the device.
  std::map<Index, gpu::TriangularSolve<T>> kernels_;  // Key: right-hand sides of a work-group.
  Offset num_slots_ = 0;                              // Most partial sums of any wave.
  gpu::DeviceView<T> vectors_, partial_;              // Fronts' vectors, and partial sums.
};

// ---- By tickets ---------------------------------------------------------------------------------

Offset most_local_bytes() {
  Offset most = 0;
  for (Index rhs = 1; rhs <= gpu::kMostSolveSides; rhs *= 2) {
    most = std::max(most, gpu::front_solve_params(rhs).local_bytes());
  }
  return most;
}

bool can_solve_by_tickets(const gpu::Capabilities& can) {
  return can.mma_m16n8k16.present && can.bulk_copy.present && can.forward_progress.present &&
         most_local_bytes() <= static_cast<Offset>(can.static_local_bytes);
}

gpu::FrontSolveLists list_solve(const symbolic::SymbolicFactor& symbolic, const DevicePlan& plan,
                                int threads) {
  const std::vector<gpu::SolveFrontInput> fronts = solve_fronts(symbolic, plan);
  return gpu::make_front_solve({.fronts = fronts,
                                .relind = symbolic.relind,
                                .num_rows = static_cast<Offset>(symbolic.super_rowind.size())},
                               {.threads = threads});
}

class SolveByTickets : public DeviceSolve<double> {
 public:
  SolveByTickets(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
                 const DeviceFactor<double>& factor, int threads)
      : programs_(runtime.programs()),
        factor_(factor),
        blocks_(programs_),
        lists_(list_solve(symbolic, factor.plan(), threads)),
        list_bytes_(gpu::front_solve_bytes(lists_)) {
    for (std::size_t g = 0; g + 1 < lists_.groups.size(); ++g) {
      inverse_entries_.push_back(lists_.groups[g + 1].inverses - lists_.groups[g].inverses);
    }
    note_vectors(factor.plan());
    kernel_for(1);
  }

  bool is_by_tickets() const override { return true; }

  Offset inverse_entries(Index slab) const override { return inverse_entries_[at(slab)]; }

  Offset bytes(Index nrhs) const override {
    return list_bytes_ +
           gpu::FrontSolve::workspace_bytes(lists_.sizes, gpu::front_solve_params(nrhs).rhs);
  }

  Offset workspace_entries(Index nrhs) const override {
    return gpu::FrontSolve::workspace_entries(lists_.sizes, gpu::front_solve_params(nrhs).rhs,
                                              nrhs);
  }

  void allocate(gpu::Queue& queue) override {
    plan_ = gpu::upload_front_solve(queue, lists_, factor_.lists().rowind());
    lists_ = {};
    lists_.sizes = plan_.sizes;
  }

  void invert_blocks(gpu::Queue& queue, const SolveRange<double>& range) override {
    blocks_.run(queue, plan_, range.slab, range.panels, range.inverses);
  }

  void reserve(gpu::Queue& queue, Index nrhs, gpu::DeviceView<double> workspace) override {
    const gpu::FrontSolve& kernel = kernel_for(nrhs);
    const Index rhs = kernel.params().rhs;
    if (rhs > workspace_rhs_) {
      workspace_ = {};  // Frees the old memory before new memory is allocated.
      workspace_rhs_ = 0;
      workspace_ = kernel.workspace(queue, plan_, workspace, nrhs);
      workspace_rhs_ = rhs;
    }
    workspace_.values = workspace;
    workspace_.blocks = gpu::FrontSolve::vector_blocks(plan_.sizes, rhs, nrhs);
  }

  gpu::DeviceView<double> update_vector(Index front, Index nrhs) const override {
    const auto& [row, num_rows] = vectors_.at(front);
    return workspace_.values.part(row * nrhs, num_rows * nrhs);
  }

  void forward(gpu::Queue& queue, const SolveRange<double>& range, gpu::DeviceView<double> x,
               Index nrhs) override {
    kernel_for(nrhs).forward(queue, plan_, workspace_, range.slab,
                             {nrhs, range.panels, range.inverses, x});
  }

  void backward(gpu::Queue& queue, const SolveRange<double>& range, gpu::DeviceView<double> x,
                Index nrhs) override {
    kernel_for(nrhs).backward(queue, plan_, workspace_, range.slab,
                              {nrhs, range.panels, range.inverses, x});
  }

 private:
  /// Notes where the workspace holds the update vectors that are handed over.  Only parts have such
  /// vectors, and the device solves with all fronts of a part: lists_.order has the plan's numbers.
  void note_vectors(const DevicePlan& plan) {
    std::vector<char> is_handed(plan.fronts.size(), 0);
    for (const auto* handed : {&plan.imported, &plan.exported}) {
      for (const HandedUpdate& update : *handed) is_handed[at(update.front)] = 1;
    }
    for (std::size_t place = 0; place < lists_.order.size(); ++place) {
      const Index front = lists_.order[place];
      if (is_handed[at(front)] == 0) continue;
      const gpu::Front& of = plan.fronts[at(front)];
      vectors_[front] = {lists_.fronts[place].vector, of.nrow - of.ncol};
    }
  }
  gpu::FrontSolve& kernel_for(Index nrhs) {
    const gpu::FrontSolveParams params = gpu::front_solve_params(nrhs, lists_.sizes);
    const auto found = kernels_.find(params.rhs);
    if (found != kernels_.end()) return found->second;
    return kernels_.emplace(params.rhs, gpu::FrontSolve(programs_, params)).first->second;
  }

  gpu::ProgramCache& programs_;
  const DeviceFactor<double>& factor_;
  gpu::FrontSolveBlocks blocks_;
  gpu::FrontSolveLists lists_;  // After allocate() only the member `sizes` is left.
  Offset list_bytes_;
  std::vector<Offset> inverse_entries_;  // Entries of the inverted blocks of each slab.
  // First row in the workspace, and number of rows, of each update vector that is handed over.
  // Key: front of the plan.
  std::map<Index, std::pair<Offset, Offset>> vectors_;
  gpu::FrontSolvePlan plan_;
  std::map<Index, gpu::FrontSolve> kernels_;  // Key: right-hand sides of a launch.
  gpu::FrontSolveWorkspace workspace_;        // For launches of workspace_rhs_ or fewer.
  Index workspace_rhs_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<DeviceSolve<T>> make_device_solve(gpu::DeviceRuntime& runtime,
                                                  const symbolic::SymbolicFactor& symbolic,
                                                  const DeviceFactor<T>& factor,
                                                  [[maybe_unused]] int threads) {
  if constexpr (std::is_same_v<T, double>) {
    if (can_solve_by_tickets(runtime.capabilities())) {
      return std::make_unique<SolveByTickets>(runtime, symbolic, factor, threads);
    }
  }
  return std::make_unique<SolveByWaves<T>>(runtime, symbolic, factor);
}

template std::unique_ptr<DeviceSolve<double>> make_device_solve(gpu::DeviceRuntime&,
                                                                const symbolic::SymbolicFactor&,
                                                                const DeviceFactor<double>&, int);
template std::unique_ptr<DeviceSolve<float>> make_device_solve(gpu::DeviceRuntime&,
                                                               const symbolic::SymbolicFactor&,
                                                               const DeviceFactor<float>&, int);

}  // namespace clchol::numeric
