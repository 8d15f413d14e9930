#include "gpu_kernels/reference/triangular_solve.hpp"

#include <algorithm>

#include "gpu_kernels/reference/checked_entry.hpp"

namespace clchol::gpu::reference {
namespace {

template <class T>
const T& entry_of_l(const Front& front, std::span<const T> panels, Index i, Index j) {
  return checked_entry(panels, front.panel + i + j * front.ldp);
}

template <class T>
void forward_front(const FrontLists& lists, const Front& front, const SolveOperands<T>& o,
                   Index r) {
  const auto w = [&](Index i) -> T& {
    return checked_entry(o.vectors, (front.vector + i) * o.nrhs + r);
  };
  const auto x = [&](Index i) -> T& {
    return checked_entry(o.x, Offset{front.first_column + i} * o.nrhs + r);
  };
  for (Index i = 0; i < front.nrow; ++i) w(i) = i < front.ncol ? x(i) : T{0};
  for (Index c = front.child_begin; c < front.child_end; ++c) {
    const Child& child = checked_entry(lists.children, c);
    for (Index k = 0; k < child.nupd; ++k) {
      w(checked_entry(lists.relind, child.relind + k)) +=
          checked_entry(o.vectors, (child.vector + k) * o.nrhs + r);
    }
  }
  for (Index j = 0; j < front.ncol; ++j) {
    x(j) = w(j) / entry_of_l(front, o.panels, j, j);
    for (Index i = j + 1; i < front.nrow; ++i) {
      w(i) -= entry_of_l(front, o.panels, i, j) * x(j);
    }
  }
}

template <class T>
void backward_front(const FrontLists& lists, const Front& front, const SolveOperands<T>& o,
                    Index r) {
  const auto x = [&](Index i) -> T& {
    return checked_entry(o.x, Offset{checked_entry(lists.rowind, front.rows + i)} * o.nrhs + r);
  };
  for (Index j = front.ncol - 1; j >= 0; --j) {
    for (Index i = j + 1; i < front.nrow; ++i) {
      x(j) -= entry_of_l(front, o.panels, i, j) * x(i);
    }
    x(j) /= entry_of_l(front, o.panels, j, j);
  }
}

}  // namespace

template <class T>
void forward_solve(const FrontLists& lists, std::span<const Index> wave,
                   const SolveOperands<T>& operands) {
  for (const Index f : wave) {
    for (Index r = 0; r < operands.nrhs; ++r) {
      forward_front(lists, checked_entry(lists.fronts, f), operands, r);
    }
  }
}

template <class T>
void backward_solve(const FrontLists& lists, std::span<const Index> wave,
                    const SolveOperands<T>& operands) {
  for (const Index f : wave) {
    for (Index r = 0; r < operands.nrhs; ++r) {
      backward_front(lists, checked_entry(lists.fronts, f), operands, r);
    }
  }
}

template <class T>
void invert_diagonal_blocks(std::span<const Front> fronts, Index block, std::span<const T> panels,
                            std::span<T> inverses) {
  for (const Front& front : fronts) {
    for (Index first = 0; first < front.ncol; first += block) {
      const Index width = std::min(block, front.ncol - first);
      const Offset begin = front.inverses + Offset{first} * block;
      const auto w = [&](Index i, Index j) -> T& {
        return checked_entry(inverses, begin + i + Offset{j} * block);
      };
      for (Index j = 0; j < block; ++j) {
        for (Index i = 0; i < block; ++i) w(i, j) = i == j;
        // Solves L w = e_j: w is column j of the inverse.
        for (Index i = j; i < width; ++i) {
          for (Index k = j; k < i; ++k) {
            w(i, j) -= entry_of_l(front, panels, first + i, first + k) * w(k, j);
          }
          w(i, j) /= entry_of_l(front, panels, first + i, first + i);
        }
      }
    }
  }
}

#define CLCHOL_INSTANTIATE(T)                                                                \
  template void forward_solve<T>(const FrontLists&, std::span<const Index>,                  \
                                 const SolveOperands<T>&);                                   \
  template void backward_solve<T>(const FrontLists&, std::span<const Index>,                 \
                                  const SolveOperands<T>&);                                  \
  template void invert_diagonal_blocks<T>(std::span<const Front>, Index, std::span<const T>, \
                                          std::span<T>)
CLCHOL_INSTANTIATE(double);
CLCHOL_INSTANTIATE(float);
#undef CLCHOL_INSTANTIATE

}  // namespace clchol::gpu::reference
