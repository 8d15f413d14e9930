#include "numeric/solve_device.hpp"

#include <algorithm>

namespace clchol::numeric {
namespace {

constexpr gpu::SolveCut kCut{.block = kSolveBlock};

gpu::TriangleBatch list_triangles(gpu::Queue& queue, const std::vector<gpu::Front>& fronts) {
  gpu::TriangleList list(kSolveBlock);
  for (const gpu::Front& front : fronts) {
    list.append({front.panel, front.ldp, front.inverses, front.ncol, 0});
  }
  return {queue, list.triangles(), list.blocks()};
}

}  // namespace

template <class T>
DeviceSolve<T>::DeviceSolve(gpu::ProgramCache& programs, gpu::Queue& queue,
                            const symbolic::SymbolicFactor& symbolic, const DeviceFactor<T>& factor)
    : programs_(&programs),
      factor_(&factor),
      trinv_(programs, kSolveBlock),
      triangles_(list_triangles(queue, factor.plan().fronts)),
      inverses_(queue.context(), factor.plan().inverse_entries) {
  const DevicePlan& plan = factor.plan();
  const gpu::FrontLists lists{
      .fronts = plan.fronts,
      .children = plan.children,
      .relind = {symbolic.relind.data(), static_cast<std::size_t>(symbolic.relind.size())},
      .rowind = {},
      .entry_source = {},
      .entry_place = {}};
  for (const std::vector<Index>& wave : plan.waves()) {
    forward_.emplace_back(queue, gpu::make_forward_lists(lists, wave, kCut));
    backward_.emplace_back(queue, gpu::make_backward_lists(plan.fronts, wave, kCut));
    num_slots_ = std::max(num_slots_, backward_.back().num_slots());
  }
  std::reverse(backward_.begin(), backward_.end());
}

template <class T>
void DeviceSolve<T>::invert_blocks(gpu::Queue& queue) {
  trinv_.run(queue, triangles_, factor_->panels(), inverses_);
}

template <class T>
void DeviceSolve<T>::reserve(gpu::Queue& queue, Index nrhs) {
  kernel_for(nrhs);
  if (nrhs <= max_nrhs_) return;
  vectors_ = {};  // Gives the memory back before more is taken.
  partial_ = {};
  max_nrhs_ = 0;
  vectors_ = gpu::DeviceBuffer<T>(queue.context(), factor_->plan().vector_rows * nrhs);
  partial_ = gpu::DeviceBuffer<T>(queue.context(), num_slots_ * kSolveBlock * nrhs);
  max_nrhs_ = nrhs;
}

template <class T>
gpu::TriangularSolve<T>& DeviceSolve<T>::kernel_for(Index nrhs) {
  const Index rhs = gpu::rhs_of_group(nrhs);
  const auto found = kernels_.find(rhs);
  if (found != kernels_.end()) return found->second;
  const gpu::SolveParams params{.block = kSolveBlock, .rhs = rhs};
  return kernels_.emplace(rhs, gpu::TriangularSolve<T>(*programs_, params)).first->second;
}

template <class T>
gpu::SolveOperands<T> DeviceSolve<T>::operands(gpu::DeviceView<T> x, Index nrhs) const {
  if (nrhs > max_nrhs_) {
    throw InvalidArgument("device solve: " + std::to_string(nrhs) +
                          " right-hand sides, there is room for " + std::to_string(max_nrhs_));
  }
  return {nrhs, factor_->panels(), inverses_, x, vectors_, partial_};
}

template <class T>
void DeviceSolve<T>::forward(gpu::Queue& queue, gpu::DeviceView<T> x, Index nrhs) {
  const gpu::SolveOperands<T> o = operands(x, nrhs);
  gpu::TriangularSolve<T>& kernel = kernel_for(nrhs);
  for (const gpu::ForwardWave& wave : forward_) kernel.forward(queue, factor_->lists(), wave, o);
}

template <class T>
void DeviceSolve<T>::backward(gpu::Queue& queue, gpu::DeviceView<T> x, Index nrhs) {
  const gpu::SolveOperands<T> o = operands(x, nrhs);
  gpu::TriangularSolve<T>& kernel = kernel_for(nrhs);
  for (const gpu::BackwardWave& wave : backward_) kernel.backward(queue, factor_->lists(), wave, o);
}

template class DeviceSolve<double>;
template class DeviceSolve<float>;

}  // namespace clchol::numeric
