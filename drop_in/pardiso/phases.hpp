// The phases of PARDISO: analysis, factorization, solve, release.
#pragma once

#include "drop_in/pardiso/call.hpp"

namespace clchol::drop_in {

/// Does what the phase of the call asks for.  Throws nothing: what fails is told in a line.
template <class I>
Error run(Call<I> call) noexcept;

}  // namespace clchol::drop_in
