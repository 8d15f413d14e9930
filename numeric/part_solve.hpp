// Interface for solves by the CPU with some subtrees of a factor, while another engine solves with
// the other fronts.  It lets an engine leave panels to the CPU without knowing how the CPU solves.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/rows_view.hpp"
#include "numeric/panel_table.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Solves with a part of a factor: some subtrees.  One thread at a time may call member functions.
/// T: double, float.
template <class T>
class PartSolve {
 public:
  PartSolve() = default;
  PartSolve(const PartSolve&) = delete;
  PartSolve& operator=(const PartSolve&) = delete;
  virtual ~PartSolve() = default;

  /// Bytes of host memory that solves with nrhs right-hand sides need, without the panels.
  virtual Offset bytes(Index nrhs) const = 0;
  /// Allocates X, n rows in the final numbering, for the following solves.
  /// @return view of X.
  /// Throws std::bad_alloc.
  virtual RowsView<T> reserve(Index nrhs) = 0;

  /// Sets the panels that the following solves read.
  /// @param slabs  Address of each slab of the table, with kPanelSlack values behind the slab; null
  ///               for a slab without panels of the part.
  virtual void set_panels(std::vector<T*> slabs) = 0;

  /// X := L^-1 X in the part's rows.  Adds the part's contributions to rows of fronts above the
  /// part.  Other rows are neither read nor written.
  virtual void forward() = 0;
  /// X := L^-T X in the part's rows.  The rows of fronts above the part must have their final
  /// values.
  virtual void backward() = 0;
};

/// Makes the solves with a part of a factor.
/// @param factor   Must outlive the result.
/// @param is_part  1 for each supernode in the part; then all its descendants must be in the part.
/// @param table    Locations of all panels.
template <class T>
std::unique_ptr<PartSolve<T>> make_part_solve(const symbolic::SymbolicFactor& factor,
                                              std::span<const char> is_part, PanelTable table,
                                              int threads);

}  // namespace clchol::numeric
