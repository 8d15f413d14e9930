#include "gpu_kernels/reference/fronts.hpp"

#include <cmath>
#include <limits>

#include "base/assert.hpp"
#include "base/update_layout.hpp"
#include "gpu_kernels/reference/checked_entry.hpp"

namespace clchol::gpu::reference {
namespace {

/// Entry (i, j), i >= j, of a front, in its panel or in its update matrix.
template <class T>
T& entry(const Front& front, const FrontOperands<T>& operands, Index i, Index j) {
  if (j < front.ncol) return checked_entry(operands.panels, front.panel + i + j * front.ldp);
  return checked_entry(operands.updates,
                       front.update +
                           update_column_offset(front.nrow - front.ncol, j - front.ncol) + i -
                           front.ncol);
}

template <class T>
void scatter_front(const FrontLists& lists, const Front& front, const FrontOperands<T>& operands) {
  for (Index j = 0; j < front.ncol; ++j) {
    for (Index i = j; i < front.nrow; ++i) entry(front, operands, i, j) = 0;
  }
  // Only panels of fewer than 2^31 entries are supported: all offsets count from column 0.
  CLCHOL_ASSERT(front.ncol <= columns_of_base(front.ldp));
  for (Offset e = front.entry_begin; e < front.entry_end; ++e) {
    const Offset place = checked_entry(lists.entry_place, e);
    const Index row = static_cast<Index>(place % front.ldp);
    const Index column = static_cast<Index>(place / front.ldp);
    T value = checked_entry(operands.values, checked_entry(lists.entry_source, e));
    if (!operands.scale.empty()) {
      value *= checked_entry(operands.scale, checked_entry(lists.rowind, front.rows + row)) *
               checked_entry(operands.scale, front.first_column + column);
    }
    entry(front, operands, row, column) = value;
  }
}

template <class T>
void extend_add_front(const FrontLists& lists, const Front& front,
                      const FrontOperands<T>& operands) {
  for (Index c = front.child_begin; c < front.child_end; ++c) {
    const Child& child = checked_entry(lists.children, c);
    for (Index j = 0; j < child.nupd; ++j) {
      for (Index i = j; i < child.nupd; ++i) {
        entry(front, operands, checked_entry(lists.relind, child.relind + i),
              checked_entry(lists.relind, child.relind + j)) +=
            checked_entry(operands.from_updates,
                          child.update + update_column_offset(child.nupd, j) + i);
      }
    }
  }
}

template <class T>
PivotStatus<T> factor_front(const Front& front, const FrontOperands<T>& operands) {
  PivotStatus<T> status{kNone, 0, 0};
  for (Index k = 0; k < front.ncol; ++k) {
    const T pivot = entry(front, operands, k, k);
    const bool good =
        pivot >= std::numeric_limits<T>::min() && pivot <= std::numeric_limits<T>::max();
    if (!good && status.column == kNone) status = {k, 0, pivot};
    if (status.column != kNone) {
      for (Index i = k; i < front.nrow; ++i) entry(front, operands, i, k) = i == k;
      continue;
    }
    const T root = std::sqrt(pivot);
    for (Index i = k; i < front.nrow; ++i) entry(front, operands, i, k) /= root;
    for (Index j = k + 1; j < front.nrow; ++j) {
      for (Index i = j; i < front.nrow; ++i) {
        entry(front, operands, i, j) -= entry(front, operands, i, k) * entry(front, operands, j, k);
      }
    }
  }
  return status;
}

template <class T>
void zero_update(const Front& front, const FrontOperands<T>& operands) {
  for (Index j = front.ncol; j < front.nrow; ++j) {
    for (Index i = j; i < front.nrow; ++i) entry(front, operands, i, j) = 0;
  }
}

}  // namespace

template <class T>
void scatter(const FrontLists& lists, std::span<const Index> listed,
             const FrontOperands<T>& operands) {
  for (const Index f : listed) scatter_front(lists, checked_entry(lists.fronts, f), operands);
}

template <class T>
void extend_add(const FrontLists& lists, std::span<const Index> listed,
                const FrontOperands<T>& operands) {
  for (const Index f : listed) extend_add_front(lists, checked_entry(lists.fronts, f), operands);
}

template <class T>
void small_front(const FrontLists& lists, std::span<const Index> listed,
                 const FrontOperands<T>& operands) {
  for (const Index f : listed) {
    const Front& front = checked_entry(lists.fronts, f);
    scatter_front(lists, front, operands);
    zero_update(front, operands);
    extend_add_front(lists, front, operands);
    checked_entry(operands.status, f) = factor_front(front, operands);
  }
}

#define CLCHOL_INSTANTIATE(T)                                                                      \
  template void scatter<T>(const FrontLists&, std::span<const Index>, const FrontOperands<T>&);    \
  template void extend_add<T>(const FrontLists&, std::span<const Index>, const FrontOperands<T>&); \
  template void small_front<T>(const FrontLists&, std::span<const Index>, const FrontOperands<T>&)
CLCHOL_INSTANTIATE(double);
CLCHOL_INSTANTIATE(float);
#undef CLCHOL_INSTANTIATE

}  // namespace clchol::gpu::reference
