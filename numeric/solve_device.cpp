#include "numeric/solve_device.hpp"

#include <algorithm>
#include <map>
#include <type_traits>

#include "gpu_kernels/front_solve.hpp"
#include "gpu_kernels/triangular_solve.hpp"
#include "gpu_kernels/trinv.hpp"

namespace clchol::numeric {
namespace {

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), static_cast<std::size_t>(array.size()));
}

// ---- Wave by wave -------------------------------------------------------------------------------

constexpr gpu::SolveCut kCut{.block = kSolveBlock};

gpu::TriangleBatch list_triangles(gpu::Queue& queue, const std::vector<gpu::Front>& fronts) {
  gpu::TriangleList list(kSolveBlock);
  for (const gpu::Front& front : fronts) {
    list.append({front.panel, front.ldp, front.inverses, front.ncol, 0});
  }
  return {queue, list.triangles(), list.blocks()};
}

template <class T>
class SolveByWaves : public DeviceSolve<T> {
 public:
  SolveByWaves(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
               const DeviceFactor<T>& factor)
      : programs_(runtime.programs()),
        factor_(factor),
        trinv_(programs_, kSolveBlock),
        triangles_(list_triangles(runtime.queue(), factor.plan().fronts)),
        inverses_(runtime.context(), factor.plan().inverse_entries) {
    const DevicePlan& plan = factor.plan();
    const gpu::FrontLists lists{.fronts = plan.fronts,
                                .children = plan.children,
                                .relind = span_of(symbolic.relind),
                                .rowind = {},
                                .entry_source = {},
                                .entry_place = {}};
    for (const std::vector<Index>& wave : plan.waves()) {
      forward_.emplace_back(runtime.queue(), gpu::make_forward_lists(lists, wave, kCut));
      backward_.emplace_back(runtime.queue(), gpu::make_backward_lists(plan.fronts, wave, kCut));
      num_slots_ = std::max(num_slots_, backward_.back().num_slots());
    }
    std::reverse(backward_.begin(), backward_.end());
  }

  void invert_blocks(gpu::Queue& queue) override {
    trinv_.run(queue, triangles_, factor_.panels(), inverses_);
  }

  void reserve(gpu::Queue& queue, Index nrhs) override {
    kernel_for(nrhs);
    if (nrhs <= max_nrhs_) return;
    vectors_ = {};  // Gives the memory back before more is taken.
    partial_ = {};
    max_nrhs_ = 0;
    vectors_ = gpu::DeviceBuffer<T>(queue.context(), factor_.plan().vector_rows * nrhs);
    partial_ = gpu::DeviceBuffer<T>(queue.context(), num_slots_ * kSolveBlock * nrhs);
    max_nrhs_ = nrhs;
  }

  void forward(gpu::Queue& queue, gpu::DeviceView<T> x, Index nrhs) override {
    gpu::TriangularSolve<T>& kernel = kernel_for(nrhs);
    for (const gpu::ForwardWave& wave : forward_) {
      kernel.forward(queue, factor_.lists(), wave, operands(x, nrhs));
    }
  }

  void backward(gpu::Queue& queue, gpu::DeviceView<T> x, Index nrhs) override {
    gpu::TriangularSolve<T>& kernel = kernel_for(nrhs);
    for (const gpu::BackwardWave& wave : backward_) {
      kernel.backward(queue, factor_.lists(), wave, operands(x, nrhs));
    }
  }

 private:
  gpu::SolveOperands<T> operands(gpu::DeviceView<T> x, Index nrhs) const {
    return {nrhs, factor_.panels(), inverses_, x, vectors_, partial_};
  }

  gpu::TriangularSolve<T>& kernel_for(Index nrhs) {
    const Index rhs = gpu::rhs_of_group(nrhs);
    const auto found = kernels_.find(rhs);
    if (found != kernels_.end()) return found->second;
    const gpu::SolveParams params{.block = kSolveBlock, .rhs = rhs};
    return kernels_.emplace(rhs, gpu::TriangularSolve<T>(programs_, params)).first->second;
  }

  gpu::ProgramCache& programs_;
  const DeviceFactor<T>& factor_;
  gpu::Trinv<T> trinv_;
  gpu::TriangleBatch triangles_;
  gpu::DeviceBuffer<T> inverses_;
  std::map<Index, gpu::TriangularSolve<T>> kernels_;  // By right-hand sides of a work-group.
  std::vector<gpu::ForwardWave> forward_;             // From the leaves to the roots.
  std::vector<gpu::BackwardWave> backward_;           // From the roots to the leaves.
  Offset num_slots_ = 0;                              // Partial sums of the largest wave.
  Index max_nrhs_ = 0;
  gpu::DeviceBuffer<T> vectors_, partial_;  // For max_nrhs_ right-hand sides.
};

// ---- By tickets ---------------------------------------------------------------------------------

bool can_solve_by_tickets(const gpu::Capabilities& can) {
  return can.mma_m16n8k16.present && can.async_copy.present && can.forward_progress.present;
}

gpu::FrontSolvePlan upload_lists(gpu::Queue& queue, const symbolic::SymbolicFactor& symbolic,
                                 const DevicePlan& plan) {
  const std::vector<gpu::SolveFrontInput> fronts = solve_fronts(symbolic, plan);
  const auto rowind = span_of(symbolic.super_rowind);
  return gpu::upload_front_solve(queue,
                                 {.fronts = fronts,
                                  .relind = span_of(symbolic.relind),
                                  .num_rows = static_cast<Offset>(rowind.size())},
                                 rowind, {});
}

class SolveByTickets : public DeviceSolve<double> {
 public:
  SolveByTickets(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
                 const DeviceFactor<double>& factor)
      : programs_(runtime.programs()),
        factor_(factor),
        trinv_(programs_, kSolveBlock),
        plan_(upload_lists(runtime.queue(), symbolic, factor.plan())),
        inverses_(runtime.context(), plan_.inverse_entries) {}

  void invert_blocks(gpu::Queue& queue) override {
    trinv_.run(queue, plan_.triangles, factor_.panels(), inverses_);
  }

  void reserve(gpu::Queue& queue, Index nrhs) override { solver_for(queue, nrhs); }

  void forward(gpu::Queue& queue, gpu::DeviceView<double> x, Index nrhs) override {
    const Solver& s = solver_for(queue, nrhs);
    s.kernel.forward(queue, plan_, s.workspace, {nrhs, factor_.panels(), inverses_, x});
  }

  void backward(gpu::Queue& queue, gpu::DeviceView<double> x, Index nrhs) override {
    const Solver& s = solver_for(queue, nrhs);
    s.kernel.backward(queue, plan_, s.workspace, {nrhs, factor_.panels(), inverses_, x});
  }

 private:
  struct Solver {
    gpu::FrontSolve kernel;
    gpu::FrontSolveWorkspace workspace;
  };

  const Solver& solver_for(gpu::Queue& queue, Index nrhs) {
    const gpu::FrontSolveParams params = gpu::front_solve_params(nrhs);
    const auto found = solvers_.find(params.rhs);
    if (found != solvers_.end()) return found->second;
    gpu::FrontSolve kernel(programs_, params);
    gpu::FrontSolveWorkspace workspace = kernel.workspace(queue, plan_);
    return solvers_.emplace(params.rhs, Solver{std::move(kernel), std::move(workspace)})
        .first->second;
  }

  gpu::ProgramCache& programs_;
  const DeviceFactor<double>& factor_;
  gpu::Trinv<double> trinv_;
  gpu::FrontSolvePlan plan_;
  gpu::DeviceBuffer<double> inverses_;
  std::map<Index, Solver> solvers_;  // By right-hand sides of a launch.
};

}  // namespace

template <class T>
std::unique_ptr<DeviceSolve<T>> make_device_solve(gpu::DeviceRuntime& runtime,
                                                  const symbolic::SymbolicFactor& symbolic,
                                                  const DeviceFactor<T>& factor) {
  if constexpr (std::is_same_v<T, double>) {
    if (can_solve_by_tickets(runtime.capabilities())) {
      return std::make_unique<SolveByTickets>(runtime, symbolic, factor);
    }
  }
  return std::make_unique<SolveByWaves<T>>(runtime, symbolic, factor);
}

template std::unique_ptr<DeviceSolve<double>> make_device_solve(gpu::DeviceRuntime&,
                                                                const symbolic::SymbolicFactor&,
                                                                const DeviceFactor<double>&);
template std::unique_ptr<DeviceSolve<float>> make_device_solve(gpu::DeviceRuntime&,
                                                               const symbolic::SymbolicFactor&,
                                                               const DeviceFactor<float>&);

}  // namespace clchol::numeric
