// A solver on a device that somebody else has opened.  Not part of builds without OpenCL.
#pragma once

#include "clchol/clchol.hpp"
#include "solver/device/engine_choice.hpp"

namespace clchol::solver {

/// From here on the solver factors on this device, whatever Options::device says; a factor that was
/// there is dropped.
template <class T>
void use_device(SparseCholesky<T>& solver, const OpenDevice& device);

/// Chooses among these devices as the next factorization would, which takes the one that is open
/// then.  Null: it takes the CPU.
/// Throws as choose_engine(); InvalidArgument when no matrix has been analysed.
template <class T>
OpenDevice open_chosen_device(SparseCholesky<T>& solver, const DeviceAccess& devices);

}  // namespace clchol::solver
