// Fuzzes saved analyses whose checksum fits: every input is either refused by InvalidArgument, or
// loaded and solved with.
//
// The pattern hash and the checksum of the input are corrected, so that its structure is judged.
// Also checked: messages are one printable line.  A loaded analysis is saved to the same bytes.  A
// factor made with it solves to a small backward error: a structure that holds the pattern of the
// matrix and is closed under elimination gives the right solution, whatever its fill.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/checksum.hpp"
#include "clchol/clchol.hpp"
#include "solver/generate.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace {

namespace solver = clchol::solver;
using Solver = clchol::SparseCholesky<double>;
using View = clchol::SparseView<double, clchol::Offset, clchol::Index>;

constexpr std::size_t kPatternAt = 16;  // solver/analysis_file.hpp
constexpr std::size_t kHashBytes = sizeof(std::uint64_t);

using clchol::fuzz::is_one_printable_line;
using clchol::fuzz::require;

/// A matrix, and the bytes of its analysis.
struct Problem {
  solver::SymmetricMatrix a = solver::make_model_problem("grid2d:5");
  std::vector<std::byte> bytes;

  View view() const { return {a.n(), a.lower.colptr, a.lower.rowind, a.values}; }
  Problem() {
    Solver s(options());
    require(s.analyze(view()) == clchol::Status::kOk);
    bytes = s.save_analysis();
  }
  static clchol::Options options() {
    clchol::Options options;
    options.threads = 1;
    return options;
  }
};

/// The input with the hash of the problem's pattern and a checksum that fits.
std::vector<std::byte> made_to_fit(const std::uint8_t* data, std::size_t size,
                                   const Problem& problem) {
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), data, size);
  if (size < kPatternAt + 2 * kHashBytes) return bytes;
  std::memcpy(bytes.data() + kPatternAt, problem.bytes.data() + kPatternAt, kHashBytes);
  clchol::Checksum sum;
  sum.update(bytes.data(), size - kHashBytes);
  const std::uint64_t value = sum.value();
  std::memcpy(bytes.data() + size - kHashBytes, &value, kHashBytes);
  return bytes;
}

void check_solution(const Problem& problem, Solver& s) {
  require(s.factorize(problem.view()) == clchol::Status::kOk);
  const std::vector<double> b(problem.a.n(), 1.0);
  std::vector<double> x(b.size());
  require(s.solve(std::span<const double>(b), std::span<double>(x)).backward_error < 1e-14);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Problem problem;
  if (size == 0) return 0;
  const std::vector<std::byte> bytes = made_to_fit(data, size, problem);
  Solver s(Problem::options());
  try {
    require(s.load_analysis(problem.view(), bytes) == clchol::Status::kOk);
  } catch (const clchol::InvalidArgument& error) {
    require(is_one_printable_line(error.what()));
    return 0;
  }
  // A compressed input is not compared: save_analysis() gives plain bytes.
  if (bytes[0] == std::byte{'c'}) require(s.save_analysis() == bytes);
  check_solution(problem, s);
  return 0;
}
