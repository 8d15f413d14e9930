// Interface for solves by the CPU with some subtrees of a factor, while another engine, such as a
// device, solves with the other fronts.  By this interface that engine can leave fronts to the CPU
// without knowing how the CPU solves.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/rows_view.hpp"
#include "numeric/panel_table.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Solves with the fronts of a *part* of a factor: some subtrees of the assembly tree.
/// Not thread-safe.  T: double, float.
template <class T>
class PartSolve {
 public:
  PartSolve() = default;
  PartSolve(const PartSolve&) = delete;
  PartSolve& operator=(const PartSolve&) = delete;
  virtual ~PartSolve() = default;

  /// Bytes of host memory that solves with nrhs right-hand sides need, without the panels.
  virtual Offset bytes(Index nrhs) const = 0;
  /// Allocates X (n x nrhs) and a workspace for the following solves.  forward() and backward()
  /// overwrite this X.
  /// @return view of X, its rows in the order of L's rows.
  /// Throws std::bad_alloc.
  virtual RowsView<T> reserve(Index nrhs) = 0;

  /// Sets the panels that the following solves read.  Must be called again whenever the entries of
  /// the panels have changed.
  /// @param slabs  Address of each slab of make_part_solve()'s `table`.  kPanelSlack more entries
  ///               behind each slab must be readable.  Null: no panel of the part is in the slab.
  virtual void set_panels(std::vector<T*> slabs) = 0;

  /// Forward solve, X := L^-1 X, with the part's fronts.  Solves for the rows of X that are pivot
  /// columns of the part, and updates the rows that are pivot columns of fronts above the part.
  /// Other rows are neither read nor written.
  virtual void forward() = 0;
  /// Backward solve, X := L^-T X, with the part's fronts.  Solves for the rows of X that are pivot
  /// columns of the part.  The rows that are pivot columns of fronts above the part must have been
  /// solved for before, and are only read.
  virtual void backward() = 0;
};

/// Makes an object that solves with a part of a factor on the CPU.
/// @param factor   Must outlive the result.
/// @param is_part  Length nsuper.  1: the supernode and all its descendants belong to the part.
/// @param table    Locations of all panels of the factor.
/// @param threads  Host threads that solve.
template <class T>
std::unique_ptr<PartSolve<T>> make_part_solve(const symbolic::SymbolicFactor& factor,
                                              std::span<const char> is_part, PanelTable table,
                                              int threads);

}  // namespace clchol::numeric
