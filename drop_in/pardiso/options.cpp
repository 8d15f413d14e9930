#include "drop_in/pardiso/options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "drop_in/environment.hpp"
#include "drop_in/pardiso/matrix.hpp"

namespace clchol::drop_in {
namespace {

constexpr int kDefaultCoreMib = 2000;  // PARDISO's default of MKL_PARDISO_OOC_MAX_CORE_SIZE.

[[noreturn]] void refuse(Iparm parameter, std::int64_t value, const std::string& why) {
  throw Refusal(Error::kInconsistentInput, "iparm(" + std::to_string(static_cast<int>(parameter)) +
                                               ") is " + std::to_string(value) + ", " + why);
}

template <class I>
void check_range(const Parameters<I>& iparm, Iparm parameter, std::int64_t greatest) {
  const std::int64_t value = iparm[parameter];
  if (value >= 0 && value <= greatest) return;
  refuse(parameter, value, "must be 0 to " + std::to_string(greatest));
}

/// PARDISO's own variables limit the memory, and name the scratch file with its directory.
MemoryOptions out_of_core_options() {
  constexpr const char* kSize = "MKL_PARDISO_OOC_MAX_CORE_SIZE";
  constexpr const char* kPath = "MKL_PARDISO_OOC_PATH";
  constexpr std::int64_t kMib = std::int64_t{1} << 20;
  std::int64_t mib = kDefaultCoreMib;
  if (const char* const text = std::getenv(kSize); text != nullptr) {
    const std::string_view digits(text);
    const auto [end, error] = std::from_chars(text, text + digits.size(), mib);
    if (error != std::errc{} || end != text + digits.size() || mib <= 0 || mib > INT64_MAX / kMib) {
      throw Refusal(Error::kInconsistentInput,
                    std::string(kSize) + " is '" + text + "', must be a number of MiB");
    }
  }
  const char* const path = std::getenv(kPath);
  std::filesystem::path directory = path == nullptr ? "." : path;
  std::error_code ignored;  // What is no directory is a name in one.
  if (!std::filesystem::is_directory(directory, ignored)) directory = directory.parent_path();
  if (directory.empty()) directory = ".";
  return {.host = mib * kMib, .scratch_directory = directory.string()};
}

}  // namespace

template <class I>
void check_parameters(const Parameters<I>& iparm) {
  check_range(iparm, Iparm::kOrdering, 3);
  check_range(iparm, Iparm::kPermutation, 2);
  check_range(iparm, Iparm::kOverwriteB, 1);
  check_range(iparm, Iparm::kZeroBased, 1);
  check_range(iparm, Iparm::kOutOfCore, 2);
  const std::int64_t partial = iparm[Iparm::kPartialSolve];
  if (partial != 0) refuse(Iparm::kPartialSolve, partial, "but there is no partial solve");
  const std::int64_t schur = iparm[Iparm::kSchurComplement];
  if (schur != 0) refuse(Iparm::kSchurComplement, schur, "but there is no Schur complement");
  const std::int64_t block = iparm[Iparm::kBlockSize];
  if (block > 0) refuse(Iparm::kBlockSize, block, "but a matrix of blocks is not taken");
}

template <class I>
Options options_of(const Call<I>& call) {
  Options options = options_from_environment();
  const std::int64_t ordering = call.iparm[Iparm::kOrdering];
  if (call.iparm.is_on(Iparm::kPermutation)) {
    options.analysis.ordering = Ordering::kGiven;
    options.analysis.permutation = given_permutation(call);
  } else if (ordering < 2) {
    options.analysis.ordering = Ordering::kAmd;
  } else if (ordering == 2) {
    options.analysis.ordering = Ordering::kNestedDissection;
  }
  if (call.iparm[Iparm::kOutOfCore] > 0) options.memory = out_of_core_options();
  return options;
}

template <class I>
SolveOptions solve_options_of(const Parameters<I>& iparm) {
  constexpr std::int64_t kMost = 1000;  // Refinement ends long before.
  const std::int64_t steps = iparm[Iparm::kRefineSteps];
  SolveOptions options;
  options.max_refine_steps =
      static_cast<int>(std::min(steps < -kMost ? kMost : std::abs(steps), kMost));
  if (steps == 0) options.error_checks = ErrorChecks::kNever;
  return options;
}

template void check_parameters(const Parameters<std::int32_t>&);
template void check_parameters(const Parameters<std::int64_t>&);
template Options options_of(const Call<std::int32_t>&);
template Options options_of(const Call<std::int64_t>&);
template SolveOptions solve_options_of(const Parameters<std::int32_t>&);
template SolveOptions solve_options_of(const Parameters<std::int64_t>&);

}  // namespace clchol::drop_in
