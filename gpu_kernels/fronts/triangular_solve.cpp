#include "gpu_kernels/fronts/triangular_solve.hpp"

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

DeviceView<const FrontSolveTile> range(const DeviceBuffer<FrontSolveTile>& tiles, Offset begin,
                                       Offset end) {
  return tiles.part(begin, end - begin);
}

void require_sides(Index nrhs) {
  if (nrhs < 1) {
    throw InvalidArgument("solve: nrhs = " + std::to_string(nrhs) + ", at least 1");
  }
}

}  // namespace

ForwardWave::ForwardWave(Queue& queue, const ForwardLists& lists)
    : tiles_(uploaded<FrontSolveTile>(queue, lists.tiles)),
      pieces_(uploaded<FrontSolvePiece>(queue, lists.pieces)),
      step_ptr_(lists.step_ptr) {}

BackwardWave::BackwardWave(Queue& queue, const BackwardLists& lists)
    : tiles_(uploaded<FrontSolveTile>(queue, lists.tiles)),
      whole_end_(lists.whole_end),
      partial_end_(lists.partial_end),
      step_ptr_(lists.step_ptr),
      num_slots_(lists.num_slots) {}

template <class T>
TriangularSolve<T>::TriangularSolve(ProgramCache& programs, const SolveParams& params)
    : params_(params) {
  if (!params.valid()) {
    throw InvalidArgument("solve: no such shape: " + params.build_options());
  }
  const std::string options = real_options<T>() + " " + params.build_options();
  forward_ = programs.program("forward_solve.cl", options).kernel("forward_solve");
  const Program& backward = programs.program("backward_solve.cl", options);
  whole_ = backward.kernel("backward_whole");
  partial_ = backward.kernel("backward_partial");
  sum_ = backward.kernel("backward_sum");
  step_ = backward.kernel("backward_step");
}

template <class T>
Grid TriangularSolve<T>::grid(Offset tiles, Index nrhs) const {
  const Index chunks = (nrhs + params_.rhs - 1) / params_.rhs;
  return {{static_cast<std::uint64_t>(params_.block), 1, 1},
          {static_cast<std::uint64_t>(tiles), static_cast<std::uint64_t>(chunks), 1}};
}

template <class T>
void TriangularSolve<T>::forward(Queue& queue, const FrontViews& lists, const ForwardWave& wave,
                                 const SolveOperands<T>& o) {
  require_sides(o.nrhs);
  for (std::size_t k = 0; k + 1 < wave.step_ptr_.size(); ++k) {
    const auto tiles = range(wave.tiles_, wave.step_ptr_[k], wave.step_ptr_[k + 1]);
    launch(queue, forward_, grid(tiles.size, o.nrhs), o.nrhs, tiles, wave.pieces_.view(),
           lists.fronts, lists.children, lists.relind, o.panels, o.inverses, o.x, o.vectors);
  }
}

template <class T>
void TriangularSolve<T>::backward(Queue& queue, const FrontViews& lists, const BackwardWave& wave,
                                  const SolveOperands<T>& o) {
  require_sides(o.nrhs);
  if (o.partial.size < wave.num_slots_ * params_.block * o.nrhs) {
    throw InvalidArgument("solve: partial has " + std::to_string(o.partial.size) + " entries for " +
                          std::to_string(wave.num_slots_) + " partial sums");
  }
  const auto whole = range(wave.tiles_, 0, wave.whole_end_);
  launch(queue, whole_, grid(whole.size, o.nrhs), o.nrhs, whole, lists.fronts, lists.rowind,
         o.panels, o.inverses, o.x);
  const auto partial = range(wave.tiles_, wave.whole_end_, wave.partial_end_);
  launch(queue, partial_, grid(partial.size, o.nrhs), o.nrhs, partial, lists.fronts, lists.rowind,
         o.panels, o.x, o.partial);
  const auto sums = range(wave.tiles_, wave.partial_end_, wave.step_ptr_.front());
  launch(queue, sum_, grid(sums.size, o.nrhs), o.nrhs, sums, lists.fronts, o.partial, o.x,
         o.vectors);
  for (std::size_t k = 0; k + 1 < wave.step_ptr_.size(); ++k) {
    const auto tiles = range(wave.tiles_, wave.step_ptr_[k], wave.step_ptr_[k + 1]);
    launch(queue, step_, grid(tiles.size, o.nrhs), o.nrhs, tiles, lists.fronts, o.panels,
           o.inverses, o.x, o.vectors);
  }
}

template class TriangularSolve<double>;
template class TriangularSolve<float>;

}  // namespace clchol::gpu
