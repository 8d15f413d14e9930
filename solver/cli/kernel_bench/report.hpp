// Formats the report of `clchol bench kernels`, one line for each case, as JSON or as a table.
#pragma once

#include <optional>
#include <string>

#include "solver/cli/kernel_bench/measure.hpp"

namespace clchol::cli {

/// Returns a JSON object on one line for a case.  docs/command.md describes the object's members.
/// @param peak_share  Peaks::share() of the case.
std::string json_line(const gpu::Device& device, const Case& c, const Measurement& measured,
                      std::optional<double> peak_share);

/// Returns the first lines of a table: the device's name and the headings of the columns.
std::string table_head(const gpu::Device& device);
/// Returns the line of the table for a case.
/// @param peak_share  Peaks::share() of the case.
std::string table_line(const Case& c, const Measurement& measured,
                       std::optional<double> peak_share);

}  // namespace clchol::cli
