// L by columns, out of the panels of whichever engine holds it.
#pragma once

#include "clchol/clchol.hpp"
#include "solver/factorization.hpp"

namespace clchol::solver {

/// All entries that the panels store on and below their diagonals.  Cost O(entries).
/// @param f  has a factor.
/// Throws DeviceError, std::bad_alloc.
template <class T>
CholeskyFactor<T> factor_by_columns(const symbolic::SymbolicFactor& symbolic,
                                    const Factorization<T>& f);

}  // namespace clchol::solver
