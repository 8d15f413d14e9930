// Solves by the CPU with some subtrees of a factor whose other fronts another engine solves with:
// the door through which an engine leaves panels to the CPU without knowing how it solves.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/rows_view.hpp"
#include "numeric/panel_table.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// For one thread at a time.  T: double, float.
template <class T>
class PartSolve {
 public:
  PartSolve() = default;
  PartSolve(const PartSolve&) = delete;
  PartSolve& operator=(const PartSolve&) = delete;
  virtual ~PartSolve() = default;

  /// Bytes that solves with nrhs right-hand sides take, the panels left out.
  virtual Offset bytes(Index nrhs) const = 0;
  /// Makes room for X, n rows in the final numbering, which the solves from here on work in.
  /// Throws std::bad_alloc.
  virtual RowsView<T> reserve(Index nrhs) = 0;

  /// The panels that solves read from here on.
  /// @param slabs  of the table, each with kPanelSlack values behind it; null: none of the part.
  virtual void set_panels(std::vector<T*> slabs) = 0;

  /// X := L^-1 X in the part's rows; rows of fronts above the part are left with what the part adds
  /// to them.  Other rows are neither read nor written.
  virtual void forward() = 0;
  /// X := L^-T X in the part's rows, given those of fronts above the part.
  virtual void backward() = 0;
};

/// @param factor   outlives the result.
/// @param is_part  by supernode: whether it is in the part; then so are all its descendants.
/// @param table    of all panels.
template <class T>
std::unique_ptr<PartSolve<T>> make_part_solve(const symbolic::SymbolicFactor& factor,
                                              std::span<const char> is_part, PanelTable table,
                                              int threads);

}  // namespace clchol::numeric
