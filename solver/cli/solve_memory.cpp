#include "solver/cli/solve_memory.hpp"

#include <algorithm>
#include <string>

#include "base/memory_info.hpp"
#include "solver/cli/units.hpp"

namespace clchol::cli {
namespace {

/// Number of right-hand sides that the library solves for at a time.
constexpr Index kBlock = 32;

}  // namespace

std::int64_t vector_bytes(Index n, Index nrhs) {
  return Offset{n} * nrhs * static_cast<Offset>(sizeof(double));
}

std::int64_t extra_solve_bytes(const AnalysisReport& analysis, Index nrhs) {
  return analysis.solve_bytes_per_rhs * (std::min(nrhs, kBlock) - 1);
}

void check_room(std::int64_t bytes, std::int64_t limit, const char* need) {
  const std::int64_t free = available_bytes();
  const std::int64_t left = limit > 0 ? std::min(limit, free) : free;
  if (bytes <= left) return;
  throw OutOfMemory(std::string("not enough memory: ") + need + " " +
                    bytes_text(static_cast<double>(bytes)) + ", " +
                    bytes_text(static_cast<double>(std::max<std::int64_t>(left, 0))) +
                    (left < free ? " are the limit given" : " are available"));
}

}  // namespace clchol::cli
