// A solver on devices that somebody else has opened.  Not part of builds without OpenCL.
#pragma once

#include "clchol/clchol.hpp"
#include "solver/device/engine_choice.hpp"

namespace clchol::solver {

/// From here on the solver factors on these devices, at least one, whatever Options::device says; a
/// factor that was there is dropped.
template <class T>
void use_devices(SparseCholesky<T>& solver, const OpenDevices& devices);

/// Chooses among these devices as the next factorization would, which takes those that are open
/// then.  None: it takes the CPU.
/// Throws as choose_engine(); InvalidArgument when no matrix has been analysed.
template <class T>
OpenDevices open_chosen_devices(SparseCholesky<T>& solver, const DeviceAccess& devices);

}  // namespace clchol::solver
