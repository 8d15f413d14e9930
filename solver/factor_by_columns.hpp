// Copies L from the panels of an engine, of any kind, to compressed columns.
#pragma once

#include "clchol/clchol.hpp"
#include "solver/factorization.hpp"

namespace clchol::solver {

/// Returns L by columns, numbered as in the permuted matrix.  The result has all entries on and
/// below the diagonals of the panels, also the explicit zeros of amalgamation.  Cost O(entries of
/// L).
/// @param f  must hold a factor.
/// Throws DeviceError, std::bad_alloc.
template <class T>
CholeskyFactor<T> factor_by_columns(const symbolic::SymbolicFactor& symbolic,
                                    const Factorization<T>& f);

}  // namespace clchol::solver
