// Reference implementations, on one thread of the CPU, of the kernels that assemble and factor
// fronts.  Operands and results are those of the kernels.
#pragma once

#include <span>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::gpu::reference {

/// What the functions below read and write.
template <class T>
struct FrontOperands {
  std::span<const T> values;  // Values of A's lower triangle.
  // Diagonal of the scaling S, ordered as the permuted matrix: fronts receive the entries of S A S.
  // Length n.  Empty: no scaling.
  std::span<const T> scale;
  std::span<const T> from_updates;   // Update matrices that Child::update is an offset into.
  std::span<T> panels;               // Panels that Front::panel is an offset into.
  std::span<T> updates;              // Update matrices that Front::update is an offset into.
  std::span<PivotStatus<T>> status;  // First failed pivot of each front.  Indexed by front.
};

// In all functions, `listed` has indices in lists.fronts.  Panels must have fewer than 2^31
// entries.

/// kernels/fronts/small_front.cl: assembles and factors the listed fronts, of any size.
template <class T>
void small_front(const FrontLists& lists, std::span<const Index> listed,
                 const FrontOperands<T>& operands);

/// kernels/fronts/scatter.cl: initializes the panels of the listed fronts.  On and below the
/// diagonal, an entry becomes the entry of A in its row and column, or zero where A has no entry.
template <class T>
void scatter(const FrontLists& lists, std::span<const Index> listed,
             const FrontOperands<T>& operands);

/// kernels/fronts/extend_add.cl: adds the children's update matrices to the panels and update
/// matrices of the listed fronts.
template <class T>
void extend_add(const FrontLists& lists, std::span<const Index> listed,
                const FrontOperands<T>& operands);

}  // namespace clchol::gpu::reference
