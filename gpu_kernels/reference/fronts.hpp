// The plain twins of the kernels that assemble and factor fronts: same contracts, one thread.
#pragma once

#include <span>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::gpu::reference {

/// What the twins read and write; spans begin where the views do.
template <class T>
struct FrontOperands {
  std::span<const T> values;
  std::span<const T> scale;  // Empty: A as it is.
  std::span<const T> from_updates;
  std::span<T> panels;
  std::span<T> updates;
  std::span<PivotStatus<T>> status;
};

/// kernels/fronts/small_front.cl, for fronts of any size.
template <class T>
void small_front(const FrontLists& lists, std::span<const Index> listed,
                 const FrontOperands<T>& operands);

/// kernels/fronts/scatter.cl: panels := A's entries from the diagonal down, zeros elsewhere.
template <class T>
void scatter(const FrontLists& lists, std::span<const Index> listed,
             const FrontOperands<T>& operands);

/// kernels/fronts/extend_add.cl: the children's updates into the panels and updates of the listed
/// fronts.
template <class T>
void extend_add(const FrontLists& lists, std::span<const Index> listed,
                const FrontOperands<T>& operands);

}  // namespace clchol::gpu::reference
