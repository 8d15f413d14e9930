// Fuzzes the Matrix Market readers: every input is either read or refused by InvalidArgument.
//
// Also checked: the block size changes neither result nor message.  Messages are one printable
// line.  A matrix that was read is a lower triangle of finite values, and survives a round trip to
// the bit.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "solver/matrix_market.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace {

namespace solver = clchol::solver;

using clchol::fuzz::is_one_printable_line;
using clchol::fuzz::require;

/// The result of reading an input: a matrix, or the message of its refusal.
struct Outcome {
  std::string refusal;
  solver::SymmetricMatrix matrix;
};

bool same(const solver::SymmetricMatrix& a, const solver::SymmetricMatrix& b) {
  return a.lower.n == b.lower.n && a.lower.colptr == b.lower.colptr &&
         a.lower.rowind == b.lower.rowind && a.values.size() == b.values.size() &&
         (a.values.empty() ||
          std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0);
}

Outcome read_matrix(std::string_view content, std::size_t block_bytes, bool pattern_only = false) {
  Outcome outcome;
  try {
    outcome.matrix = solver::parse_symmetric_matrix(
        content, "input", {.threads = 1, .block_bytes = block_bytes, .pattern_only = pattern_only});
  } catch (const clchol::InvalidArgument& error) {
    outcome.refusal = error.what();
    require(is_one_printable_line(outcome.refusal));
  }
  return outcome;
}

void check_matrix(std::string_view content) {
  const Outcome outcome = read_matrix(content, std::size_t{1} << 18);
  const Outcome by_small_blocks = read_matrix(content, 32);
  // A message that guesses the kind of a file depends on the file's first block.
  const bool guessed = outcome.refusal.find("not a Matrix Market file") != std::string::npos;
  require(guessed ? !by_small_blocks.refusal.empty() : outcome.refusal == by_small_blocks.refusal);
  if (!outcome.refusal.empty()) return;
  const solver::SymmetricMatrix& a = outcome.matrix;
  require(same(a, by_small_blocks.matrix));
  require(clchol::is_sorted_lower(a.lower.view()));
  for (double value : a.values) require(std::isfinite(value));
  const std::string text = solver::format_symmetric_matrix(a.lower.view(), a.values);
  const Outcome again = read_matrix(text, std::size_t{1} << 18);
  // Summing duplicates may leave a large matrix with too few entries, so that it is refused.
  require(again.refusal.empty() ? same(a, again.matrix)
                                : again.refusal.find("singular") != std::string::npos);
}

/// Checks reading with pattern_only.  A file with values gives the same result without
/// pattern_only; a file that gives no values is a pattern, and is refused without pattern_only.
void check_pattern(std::string_view content) {
  const Outcome outcome = read_matrix(content, 64, true);
  const Outcome with_values = read_matrix(content, 64);
  if (outcome.refusal.empty() && outcome.matrix.values.empty() &&
      outcome.matrix.lower.view().nnz() > 0) {
    require(with_values.refusal.find("a pattern has no values") != std::string::npos);
    require(clchol::is_sorted_lower(outcome.matrix.lower.view()));
  } else if (with_values.refusal.find("a pattern has no values") == std::string::npos) {
    require(outcome.refusal == with_values.refusal && same(outcome.matrix, with_values.matrix));
  }
}

void check_dense(std::string_view content) {
  try {
    const solver::DenseMatrix b =
        solver::parse_dense(content, "input", clchol::kNone, {.threads = 1});
    require(b.values.size() == static_cast<std::size_t>(clchol::Offset{b.nrow} * b.ncol));
    for (double value : b.values) require(std::isfinite(value));
  } catch (const clchol::InvalidArgument& error) {
    require(is_one_printable_line(error.what()));
  }
}

void check_permutation(std::string_view content) {
  try {
    const auto p = solver::parse_permutation(content, "input");
    for (clchol::Index k = 0; k < p.size(); ++k) require(p.iperm[p.perm[k]] == k);
  } catch (const clchol::InvalidArgument& error) {
    require(is_one_printable_line(error.what()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  check_matrix(content);
  check_pattern(content);
  check_dense(content);
  check_permutation(content);
  return 0;
}
