// Makes the fronts of a model problem, by the library's analysis, for benchmarks of kernels over
// fronts.
#pragma once

#include <string>
#include <vector>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::cli {

/// The kernels' lists of fronts (gpu_kernels/fronts/fronts.hpp), and the sizes of the buffers that
/// the lists refer to.  No two update matrices and no two vectors share memory.
struct FrontTree {
  std::vector<gpu::Front> fronts;      // Children before parents.
  std::vector<Index> parent;           // Parent of each front; kNone: a root.
  std::vector<Offset> rows_in_parent;  // Start of each front's indices in relind.
  std::vector<gpu::Child> children;
  std::vector<Index> relind, rowind;
  std::vector<std::uint32_t> entry_source;
  std::vector<Offset> entry_ptr;  // Start of each column's entries of A.  Length n + 1.
  std::vector<Index> entry_place;
  std::vector<std::vector<Index>> waves;  // Fronts of each height: leaves first.
  Index n = 0;                            // Order of the matrix.
  Offset panel_entries = 0, update_entries = 0, vector_rows = 0, inverse_entries = 0;

  gpu::FrontLists lists() const {
    return {fronts, children, relind, rowind, entry_source, entry_place};
  }
  /// Numbers of all fronts, children before parents.
  std::vector<Index> all() const;
  /// Entries of all panels on and below the diagonal.
  double factor_entries() const;
};

/// @param problem  name of a model problem, as for solver::make_model_problem().
/// @param block    order of the inverted diagonal blocks.
FrontTree make_front_tree(const std::string& problem, Index block);

}  // namespace clchol::cli
