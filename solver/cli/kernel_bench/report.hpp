// Formats the lines of a report, as JSON and as a table.
#pragma once

#include <optional>
#include <string>

#include "solver/cli/kernel_bench/measure.hpp"

namespace clchol::cli {

/// Returns a JSON object on one line.  docs/command.md describes its members.
std::string json_line(const gpu::Device& device, const Case& c, const Measurement& measured,
                      std::optional<double> peak_share);

/// Returns the device's name and the table's heading.
std::string table_head(const gpu::Device& device);
/// Returns one line of the table.
std::string table_line(const Case& c, const Measurement& measured,
                       std::optional<double> peak_share);

}  // namespace clchol::cli
