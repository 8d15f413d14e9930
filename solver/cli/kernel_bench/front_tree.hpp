// The fronts of a model problem as the library's own analysis finds them, for kernels over fronts.
#pragma once

#include <string>
#include <vector>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::cli {

/// Lists as the kernels take them, and sizes of the buffers that their places count in.  Every
/// update matrix and every vector has a place of its own.
struct FrontTree {
  std::vector<gpu::Front> fronts;      // Children before parents.
  std::vector<Index> parent;           // Of each front; kNone: a root.
  std::vector<Offset> rows_in_parent;  // Where its update rows begin in relind.
  std::vector<gpu::Child> children;
  std::vector<Index> relind, rowind;
  std::vector<std::uint32_t> entry_source;
  std::vector<Offset> entry_ptr;  // By column of the factor.  Length n + 1.
  std::vector<Index> entry_place;
  std::vector<std::vector<Index>>
      waves;  // Fronts by height: leaves first, children before parents.
  Index n = 0;
  Offset panel_entries = 0, update_entries = 0, vector_rows = 0, inverse_entries = 0;

  gpu::FrontLists lists() const {
    return {fronts, children, relind, rowind, entry_source, entry_place};
  }
  /// All fronts, children first.
  std::vector<Index> all() const;
  /// Entries of all panels from the diagonals down.
  double factor_entries() const;
};

/// @param problem  of solver/generate.hpp.
/// @param block    order of the inverted diagonal blocks.
FrontTree make_front_tree(const std::string& problem, Index block);

}  // namespace clchol::cli
