// Makes the fronts of a model problem (solver/generate.hpp) by the library's analysis, as operands
// for benchmarks of the kernels that assemble, factor and solve with fronts.
#pragma once

#include <string>
#include <vector>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::cli {

/// The lists of all fronts of one matrix, as gpu::FrontLists (gpu_kernels/fronts/fronts.hpp)
/// describes them, and the sizes of the buffers that the lists refer to.  Each update matrix and
/// each vector of a front has memory of its own.
struct FrontTree {
  std::vector<gpu::Front> fronts;           // All fronts, children before parents.
  std::vector<Index> parent;                // Index of each front's parent; kNone: a root.
  std::vector<Offset> rows_in_parent;       // Index in relind of each front's first relative index.
  std::vector<gpu::Child> children;         // Children of all fronts, front by front.
  std::vector<Index> relind, rowind;        // Relative indices; row numbers of the fronts' rows.
  std::vector<std::uint32_t> entry_source;  // Index in A's values of each entry of A in a panel.
  // Index in entry_source of the first entry of A in each column of the permuted matrix.
  // Length n + 1.
  std::vector<Offset> entry_ptr;
  std::vector<Index> entry_place;  // Offset, in the panel of its front, of each entry of A.
  // Indices of the fronts of each height.  waves[0] has the leaves; the height of another front is
  // one more than the greatest height of its children.
  std::vector<std::vector<Index>> waves;
  Index n = 0;  // Order of the matrix.
  // Sizes of the buffers: entries of all panels, entries of all update matrices, rows of the solve
  // workspace (SolveOperands::vectors), and entries of all inverted diagonal blocks.
  Offset panel_entries = 0, update_entries = 0, vector_rows = 0, inverse_entries = 0;

  /// Views of the lists.
  gpu::FrontLists lists() const {
    return {fronts, children, relind, rowind, entry_source, entry_place};
  }
  /// Indices of all fronts: 0, 1, ..., fronts.size() - 1.
  std::vector<Index> all() const;
  /// Number of entries of L: entries of all panels on and below the diagonal.
  double factor_entries() const;
};

/// Generates the model problem, orders and analyses its matrix, and makes the lists of its fronts.
/// @param problem  name of a model problem, as for solver::make_model_problem().
/// @param block    order of the inverted diagonal blocks.
FrontTree make_front_tree(const std::string& problem, Index block);

}  // namespace clchol::cli
