// Numbers with units, for people.
#pragma once

#include <cstdint>
#include <string>

namespace clchol::cli {

/// 12345678 -> "12,345,678".
std::string grouped(std::int64_t number);
/// Three significant digits and a power of ten in letters: "1.23 ms", "45.6 s".
std::string seconds_text(double seconds);
/// "1.23 GB", powers of 1000.
std::string bytes_text(double bytes);
/// "12.3 Gflop".
std::string flops_text(double flops);
/// "1.2e-16".
std::string small_text(double value);

}  // namespace clchol::cli
