// Makes a solver use devices that the caller has opened.  Not part of builds without OpenCL.
#pragma once

#include "clchol/clchol.hpp"
#include "solver/device/engine_choice.hpp"

namespace clchol::solver {

/// Makes the solver factor on these devices from now on, whatever Options::engine and
/// Options::devices say.  Drops the present factor.
/// @param devices  at least one.
template <class T>
void use_devices(SparseCholesky<T>& solver, const OpenDevices& devices);

/// Chooses and opens devices as the next factorization would.  The next factorization then uses the
/// devices that are open.
/// @return the open devices; empty: the factorization uses the CPU.
/// Throws as choose_engine(); InvalidArgument when no matrix has been analysed.
template <class T>
OpenDevices open_chosen_devices(SparseCholesky<T>& solver, const DeviceAccess& devices);

}  // namespace clchol::solver
