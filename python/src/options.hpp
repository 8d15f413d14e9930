// Sets options of a solver from Python's keywords.
#pragma once

#include <nanobind/nanobind.h>

#include "clchol/options.hpp"

namespace clchol::python {

/// Sets those options that are keys of `values`; the keys are the fields of clchol.Options, except
/// `progress`.
/// Throws nb::type_error for a value of a wrong type, InvalidArgument for a name that the option
/// does not know, and for an unknown key.  The library checks ranges when it reads the options.
void set_options(Options& options, const nanobind::dict& values);

}  // namespace clchol::python
