// Fuzzes the Harwell-Boeing reader: every input is either read or refused by InvalidArgument.
//
// Also checked: the block size changes neither result nor message.  Messages are one printable
// line.  A matrix that was read is a lower triangle of finite values, and comes back to the bit
// from the Matrix Market file to which it is converted.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "solver/harwell_boeing.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace {

namespace solver = clchol::solver;

using clchol::fuzz::is_one_printable_line;
using clchol::fuzz::require;

bool same(const solver::SymmetricMatrix& a, const solver::SymmetricMatrix& b) {
  return a.lower.n == b.lower.n && a.lower.colptr == b.lower.colptr &&
         a.lower.rowind == b.lower.rowind && a.values.size() == b.values.size() &&
         (a.values.empty() ||
          std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0);
}

/// The result of reading an input: a matrix, or the message of its refusal.
struct Outcome {
  std::string refusal;
  solver::SymmetricMatrix matrix;
};

template <class Parse>
Outcome outcome_of(const Parse& parse) {
  Outcome outcome;
  try {
    outcome.matrix = parse();
  } catch (const clchol::InvalidArgument& error) {
    outcome.refusal = error.what();
    require(is_one_printable_line(outcome.refusal));
  }
  return outcome;
}

Outcome read(std::string_view content, std::size_t block_bytes, bool pattern_only = false) {
  return outcome_of([&] {
    return solver::parse_harwell_boeing(
        content, "input", {.threads = 1, .block_bytes = block_bytes, .pattern_only = pattern_only});
  });
}

void check_round_trip(const solver::SymmetricMatrix& a) {
  const std::string text = solver::format_symmetric_matrix(a.lower.view(), a.values);
  const Outcome again =
      outcome_of([&] { return solver::parse_symmetric_matrix(text, "input", {.threads = 1}); });
  // Summing duplicates may leave a large matrix with too few entries, so that it is refused.
  require(again.refusal.empty() ? same(a, again.matrix)
                                : again.refusal.find("singular") != std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  const Outcome outcome = read(content, std::size_t{1} << 18);
  const Outcome by_small_blocks = read(content, 32);
  require(outcome.refusal == by_small_blocks.refusal);
  const Outcome pattern = read(content, 64, true);
  require(pattern.refusal.empty() || !outcome.refusal.empty());
  if (pattern.refusal.empty()) require(clchol::is_sorted_lower(pattern.matrix.lower.view()));
  if (!outcome.refusal.empty()) return 0;
  require(same(outcome.matrix, by_small_blocks.matrix));
  require(clchol::is_sorted_lower(outcome.matrix.lower.view()));
  for (double value : outcome.matrix.values) require(std::isfinite(value));
  check_round_trip(outcome.matrix);
  return 0;
}
