// Formats numbers with units for the user.
#pragma once

#include <cstdint>
#include <string>

namespace clchol::cli {

/// Groups digits by thousands: 12345678 becomes "12,345,678".
std::string grouped(std::int64_t number);
/// Formats a time with three significant digits: "1.23 ms", "45.6 s".
std::string seconds_text(double seconds);
/// Formats a number of bytes with a unit that is a power of 1000: "1.23 GB".
std::string bytes_text(double bytes);
/// Formats a number of flops: "12.3 Gflop".
std::string flops_text(double flops);
/// Formats a small number in scientific notation: "1.2e-16".
std::string small_text(double value);

}  // namespace clchol::cli
