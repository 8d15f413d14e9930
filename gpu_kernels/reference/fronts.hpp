// Reference implementations, on one thread of the CPU, of the kernels that assemble and factor
// fronts.  Operands and results are those of the kernels.
#pragma once

#include <span>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::gpu::reference {

/// Matrices and results that small_front(), scatter() and extend_add() read and write.
template <class T>
struct FrontOperands {
  // Values of A's lower triangle.  FrontLists::entry_source has indices into `values`.
  std::span<const T> values;
  // Diagonal of the scaling S, numbered as the rows of the permuted matrix: the panels receive the
  // entries of S A S.  Length n.  Empty: no scaling, the panels receive the entries of A.
  std::span<const T> scale;
  // Update matrices of all children.  A child's matrix begins at the offset Child::update.
  std::span<const T> from_updates;
  std::span<T> panels;  // Panels of all fronts.  A front's panel begins at offset Front::panel.
  // Update matrices of the listed fronts.  Each begins at the offset Front::update.  small_front()
  // overwrites and extend_add() adds to these matrices.  May be the memory of from_updates, but no
  // update matrix that is written may overlap one that is read.
  std::span<T> updates;
  // Receives the first failed pivot of each front that small_front() factors.  Indexed by front.
  std::span<PivotStatus<T>> status;
};

// Parameters of all functions below:
//   lists     lists of the forest of fronts.  Each panel must have fewer than 2^31 entries.
//   listed    indices in lists.fronts of the fronts that the function computes.
//   operands  matrices of the fronts.

/// Assembles and factors the listed fronts, as kernels/fronts/small_front.cl does.  Unlike the
/// kernel, this function accepts fronts of any size.
template <class T>
void small_front(const FrontLists& lists, std::span<const Index> listed,
                 const FrontOperands<T>& operands);

/// Writes A's entries into the panels of the listed fronts, and zeros where A has no entry, as
/// kernels/fronts/scatter.cl does.  Writes only entries on and below the diagonal.
template <class T>
void scatter(const FrontLists& lists, std::span<const Index> listed,
             const FrontOperands<T>& operands);

/// Adds the children's update matrices to the panels and update matrices of the listed fronts, as
/// kernels/fronts/extend_add.cl does.
template <class T>
void extend_add(const FrontLists& lists, std::span<const Index> listed,
                const FrontOperands<T>& operands);

}  // namespace clchol::gpu::reference
