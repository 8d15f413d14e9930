// Makes a solver use devices that the caller has opened.  The functions of clchol/opencl.hpp and
// the command's traces use this file.  Builds without OpenCL do not compile this file.
#pragma once

#include "clchol/clchol.hpp"
#include "solver/device/engine_choice.hpp"

namespace clchol::solver {

/// Makes all later factorizations of the solver use these devices, whatever Options::engine and
/// Options::devices say.  Drops the solver's present factor.
/// @param devices  The devices.  Must have at least one element.
template <class T>
void use_devices(SparseCholesky<T>& solver, const OpenDevices& devices);

/// Chooses the engine and opens devices as the next factorization of the solver would do.  The next
/// factorization then uses these open devices.
/// @return the open devices.  Empty: the next factorization uses the CPU.
/// Throws as choose_engine(), and InvalidArgument when the solver has analysed no matrix.
template <class T>
OpenDevices open_chosen_devices(SparseCholesky<T>& solver, const DeviceAccess& devices);

}  // namespace clchol::solver
