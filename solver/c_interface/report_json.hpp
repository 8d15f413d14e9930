// Reports as JSON texts: objects whose keys are the names of the members in clchol/reports.hpp.
//
// Enumerations are texts, as in options; a member without a value is null.  DeviceSetup is an
// object "device_setup" within a factor's report.
#pragma once

#include <string>
#include <vector>

#include "clchol/reports.hpp"

namespace clchol::solver {

std::string json_text(const AnalysisReport& report);
std::string json_text(const FactorReport& report);
std::string json_text(const SolveReport& report);
/// An array with one object for each mode.
std::string json_text(const std::vector<HostMode>& modes);
std::string json_text(const std::vector<DeviceMode>& modes);

}  // namespace clchol::solver
