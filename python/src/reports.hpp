// Reports as dictionaries, whose keys are the names of the members in clchol/reports.hpp.  The
// classes in clchol/reports.py have these fields.
//
// kNone and empty optionals become None, enumerations their names.
#pragma once

#include <nanobind/nanobind.h>

#include "clchol/clchol.hpp"

namespace clchol::python {

nanobind::dict as_dict(const AnalysisReport& report);
nanobind::dict as_dict(const FactorReport& report);
nanobind::dict as_dict(const SolveReport& report);
nanobind::dict as_dict(const HostMode& mode);
nanobind::dict as_dict(const DeviceMode& mode);

}  // namespace clchol::python
