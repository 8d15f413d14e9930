// A solver on a device that somebody else has opened.  Not part of builds without OpenCL.
#pragma once

#include "clchol/clchol.hpp"
#include "solver/open_device.hpp"

namespace clchol::solver {

/// From here on the solver factors on this device, whatever Options::device says; a factor that was
/// there is dropped.
template <class T>
void use_device(SparseCholesky<T>& solver, const OpenDevice& device);

}  // namespace clchol::solver
