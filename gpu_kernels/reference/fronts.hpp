// Reference implementations of the kernels that assemble and factor fronts: same operands and
// results, one thread.
#pragma once

#include <span>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::gpu::reference {

/// What the functions read and write.  Positions in the lists count from the begin of the spans.
template <class T>
struct FrontOperands {
  std::span<const T> values;        // Values of A's lower triangle.
  std::span<const T> scale;         // Diagonal of D in the factor's order.  Empty: A is not scaled.
  std::span<const T> from_updates;  // The children's update matrices.
  std::span<T> panels;
  std::span<T> updates;
  std::span<PivotStatus<T>> status;  // One for each front of the lists.
};

/// kernels/fronts/small_front.cl: assembles and factors the listed fronts, of any size.
template <class T>
void small_front(const FrontLists& lists, std::span<const Index> listed,
                 const FrontOperands<T>& operands);

/// kernels/fronts/scatter.cl: on and below the diagonal, entries of the listed fronts' panels
/// become A's entries, or zero where A has none.
template <class T>
void scatter(const FrontLists& lists, std::span<const Index> listed,
             const FrontOperands<T>& operands);

/// kernels/fronts/extend_add.cl: adds the children's update matrices to the panels and update
/// matrices of the listed fronts.
template <class T>
void extend_add(const FrontLists& lists, std::span<const Index> listed,
                const FrontOperands<T>& operands);

}  // namespace clchol::gpu::reference
