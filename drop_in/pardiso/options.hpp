// What the parameters of a call ask for, as options of clchol.
#pragma once

#include "clchol/clchol.hpp"
#include "drop_in/pardiso/call.hpp"

namespace clchol::drop_in {

/// Checks parameters that are read.  Throws Refusal with the number of one that has no meaning or
/// asks for what is not there.
template <class I>
void check_parameters(const Parameters<I>& iparm);

/// Returns the options of an analysis and of its factorizations: those of the environment, with the
/// ordering and the scratch file of the parameters.
/// Throws Refusal, and what options_from_environment() throws.
template <class I>
Options options_of(const Call<I>& call);

/// Returns the options of a solve.
template <class I>
SolveOptions solve_options_of(const Parameters<I>& iparm);

}  // namespace clchol::drop_in
