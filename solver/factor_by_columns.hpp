// Copies L to compressed columns, from the panels of any engine.
#pragma once

#include "clchol/clchol.hpp"
#include "solver/factorization.hpp"

namespace clchol::solver {

/// Returns all entries that the panels store on and below their diagonals, explicit zeros included.
/// Cost O(entries).
/// @param f  must hold a factor.
/// Throws DeviceError, std::bad_alloc.
template <class T>
CholeskyFactor<T> factor_by_columns(const symbolic::SymbolicFactor& symbolic,
                                    const Factorization<T>& f);

}  // namespace clchol::solver
