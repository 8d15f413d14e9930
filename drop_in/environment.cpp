#include "drop_in/environment.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace clchol::drop_in {
namespace {

constexpr int kMostThreads = 256;

// The value of an environment variable; "" where it is not set.
std::string_view value_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? std::string_view{} : std::string_view(value);
}

int threads_of(std::string_view text) {
  int threads = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, threads);
  if (error != std::errc{} || end != last || threads < 0 || threads > kMostThreads) {
    throw InvalidArgument("CLCHOL_THREADS is '" + std::string(text) + "', must be 0 to 256");
  }
  return threads;
}

std::vector<std::string> devices_of(std::string_view text) {
  std::vector<std::string> devices;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    devices.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return devices;
}

// "name 1.2e+03", in the form of C whatever the locale.
std::string named(const char* name, double value) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                          std::chars_format::general, 3);
  return std::string(name) + " " +
         (error == std::errc{} ? std::string(digits.data(), end) : std::string("?"));
}

}  // namespace

bool is_on(const char* variable) {
  const std::string_view value = value_of(variable);
  return !value.empty() && value != "0";
}

Options options_from_environment() {
  Options options;
  const std::string_view device = value_of("CLCHOL_DEVICE");
  if (device == "cpu") {
    options.engine = EngineKind::kCpu;
  } else if (!device.empty() && device != "auto") {
    options.engine = EngineKind::kOpenCl;
    options.devices = devices_of(device);
  }
  const std::string_view threads = value_of("CLCHOL_THREADS");
  if (!threads.empty()) options.threads = threads_of(threads);
  return options;
}

bool is_verbose() {
  static const bool kVerbose = is_on("CLCHOL_VERBOSE");
  return kVerbose;
}

void say(const char* library, const std::string& line) {
  if (!is_verbose()) return;
  std::string text(library);
  text.append(": ").append(line).append("\n");
  // One call for the whole line: lines of several threads do not mix.
  std::fputs(text.c_str(), stderr);
}

std::string summary(const AnalysisReport& report) {
  return "analyzed n " + std::to_string(report.n) + ", nnz(A) " + std::to_string(report.nnz) +
         ", " + to_string(report.ordering, report.ordering_effort) + ", nnz(L) " +
         std::to_string(report.nnz_l) + ", " + named("flops", report.flops) + ", " +
         named("seconds", report.order_s + report.symbolic_s);
}

std::string summary(const FactorReport& report) {
  return std::string("factored on ") + to_string(report.engine) + ", " + to_string(report.status) +
         ", " + named("seconds", report.factor_s);
}

std::string summary(const SolveReport& report, Index nrhs) {
  return std::string("solved ") + std::to_string(nrhs) + " right-hand sides on " +
         to_string(report.engine) + ", " + named("seconds", report.solve_s + report.refine_s);
}

}  // namespace clchol::drop_in
