// Interface by which another engine, such as a device, leaves some subtrees of a factor to the CPU
// in a solve, and solves with all other fronts itself.  numeric/cpu/part_solve.cpp implements the
// interface, and numeric/device/host_solve.cpp calls it.
//
// In a solve, the engine calls forward() for the CPU's subtrees, solves forward and backward with
// the fronts above these subtrees, and then calls backward() for the CPU's subtrees.  Between these
// steps, the engine moves rows between its own X and the X of reserve().
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/rows_view.hpp"
#include "numeric/panel_table.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Solves with the fronts of a *part* of a factor: here, some whole subtrees of the assembly tree.
/// reserve() and set_panels() must be called before forward() and backward().  n is the order of
/// the factor.
/// Not thread-safe.  T: double, float.
template <class T>
class PartSolve {
 public:
  PartSolve() = default;
  PartSolve(const PartSolve&) = delete;
  PartSolve& operator=(const PartSolve&) = delete;
  virtual ~PartSolve() = default;

  /// Returns the bytes of host memory that this object needs for solves with nrhs right-hand sides.
  /// The panels are not included.
  virtual Offset bytes(Index nrhs) const = 0;
  /// Allocates X (n x nrhs, set to zero) and a workspace for the following solves.  forward() and
  /// backward() solve in place in this X.
  /// @return view of X, whose rows have the order of L's rows.
  /// Throws std::bad_alloc.
  virtual RowsView<T> reserve(Index nrhs) = 0;

  /// Sets the panels that the following solves read.  Must be called again whenever the entries of
  /// the panels have changed.
  /// @param slabs  Address of each slab of the panel table, the argument `table` of
  ///               make_part_solve().  After the end of each slab, kPanelSlack more entries must be
  ///               readable.  An address may be null if no panel of the part is in the slab.
  virtual void set_panels(std::vector<T*> slabs) = 0;

  /// Forward solve, X := L^-1 X, with the part's fronts.  Row j of X belongs to column j of L.
  /// Solves for the rows of the part's pivot columns, and adds the part's contributions to rows of
  /// fronts above the part.  All other rows of X are neither read nor written.
  virtual void forward() = 0;
  /// Backward solve, X := L^-T X, with the part's fronts.  Solves for the rows of the part's pivot
  /// columns.  Precondition: X already has the solution in the rows of the fronts above the part;
  /// these rows are only read.
  virtual void backward() = 0;
};

/// Makes an object that solves with a part of a factor on the CPU.
/// @param factor   Must outlive the result.
/// @param is_part  For each supernode: 1 if its front belongs to the part, else 0.  If a front
///                 belongs to the part, all its descendants must, too.  Length nsuper.
/// @param table    Locations of all panels of the factor.
/// @param threads  Number of host threads that solve.
template <class T>
std::unique_ptr<PartSolve<T>> make_part_solve(const symbolic::SymbolicFactor& factor,
                                              std::span<const char> is_part, PanelTable table,
                                              int threads);

}  // namespace clchol::numeric
