// Copies L from the panels of an engine, of any kind, to compressed columns.
#pragma once

#include "clchol/clchol.hpp"
#include "solver/factorization.hpp"

namespace clchol::solver {

/// Number of entries of L by columns: all entries on and below the diagonals of the panels, also
/// the explicit zeros of amalgamation.
Offset entries_by_columns(const symbolic::SymbolicFactor& symbolic);

/// Writes L by columns, numbered as in the permuted matrix, into the caller's arrays.  Cost
/// O(entries of L).
/// @param f       must hold a factor.
/// @param colptr  first entry of each column.  Length n + 1.
/// @param rowind  rows, ascending in a column.  Length entries_by_columns().
/// @param values  entries of L, in the order of rowind.  Length entries_by_columns().
/// Throws DeviceError, FileError, std::bad_alloc; the arrays are undefined then.
template <class T>
void write_factor_by_columns(const symbolic::SymbolicFactor& symbolic, const Factorization<T>& f,
                             std::span<Offset> colptr, std::span<Index> rowind,
                             std::span<T> values);

/// The same as a copy.  Throws what write_factor_by_columns() throws.
template <class T>
CholeskyFactor<T> factor_by_columns(const symbolic::SymbolicFactor& symbolic,
                                    const Factorization<T>& f);

}  // namespace clchol::solver
