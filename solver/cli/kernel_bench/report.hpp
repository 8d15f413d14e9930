// The lines of a report: for programs and for people.
#pragma once

#include <optional>
#include <string>

#include "solver/cli/kernel_bench/measure.hpp"

namespace clchol::cli {

/// One object on one line; docs/command.md describes the names.
std::string json_line(const gpu::Device& device, const Case& c, const Measurement& measured,
                      std::optional<double> peak_share);

/// Device and heading of the table.
std::string table_head(const gpu::Device& device);
std::string table_line(const Case& c, const Measurement& measured,
                       std::optional<double> peak_share);

}  // namespace clchol::cli
