// A host program that traps floating-point exceptions, and a heap full of numbers that raise them.
// This test is a program of its own, because it replaces allocate_aligned(), which allocates
// factors, fronts and right-hand sides.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "tests/numeric/dense/dense_support.hpp"
#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

std::uint64_t poison = 0;  // Fills every allocated word.

constexpr std::uint64_t kSignallingDouble = 0x7FF0000000000001;
constexpr std::uint64_t kSignallingFloats = 0x7F8000017F800001;
const std::uint64_t kLargeDouble = std::bit_cast<std::uint64_t>(1.7e308);
constexpr std::uint64_t kLargeFloats = 0x7F7FFFFF7F7FFFFF;

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  const std::size_t words = bytes / sizeof(std::uint64_t) + 1;
  void* const data = ::operator new (words * sizeof(std::uint64_t), std::align_val_t{64});
  std::fill_n(static_cast<std::uint64_t*>(data), words, poison);
  return data;
}

void free_aligned(void* data, std::size_t) noexcept {
  ::operator delete (data, std::align_val_t{64});
}

namespace {

using test::LowerMatrix;

/// Traps invalid operations, divisions by zero and overflows while this object lives, as debuggers
/// of numerical programs and gfortran -ffpe-trap=invalid,zero,overflow do.
class Traps {
 public:
  Traps() { feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW); }
  ~Traps() {
    fedisableexcept(FE_ALL_EXCEPT);
    std::feclearexcept(FE_ALL_EXCEPT);
  }
  Traps(const Traps&) = delete;
  Traps& operator=(const Traps&) = delete;
};

struct Host {
  friend std::ostream& operator<<(std::ostream& out, const Host& host) { return out << host.name; }

  std::string name;
  std::uint64_t poison;
  Precision precision;
  int threads;
};

std::vector<Host> hosts() {
  const std::pair<std::string, std::uint64_t> heaps[] = {{"SignallingDoubles", kSignallingDouble},
                                                         {"SignallingFloats", kSignallingFloats},
                                                         {"LargeDoubles", kLargeDouble},
                                                         {"LargeFloats", kLargeFloats}};
  const std::pair<std::string, Precision> precisions[] = {
      {"Double", Precision::kDouble}, {"Single", Precision::kSingle}, {"Mixed", Precision::kMixed}};
  std::vector<Host> all;
  for (const auto& [heap, word] : heaps) {
    for (const auto& [precision, value] : precisions) {
      for (const int threads : {1, 2}) {
        all.push_back({heap + precision + std::to_string(threads), word, value, threads});
      }
    }
  }
  return all;
}

class TrappingHosts : public testing::TestWithParam<Host> {};

/// Matrices of sizes near the widths of vectors and blocks, with packed and with unpacked fronts.
std::vector<LowerMatrix> matrices() {
  return {test::diagonal(1),        test::tridiagonal(37),
          test::dense_spd(13, 1),   test::dense_spd(130, 2),
          test::dense_spd(301, 3),  test::grid3d(9, 8, 7),
          test::grid3d(13, 12, 11), test::bundle_adjustment(15, 300, 4, 5)};
}

template <class T>
void factor_and_solve(const LowerMatrix& a, const Options& options) {
  const Index n = a.pattern.n;
  const auto input = test::lower_input<T>(a);
  for (const Index nrhs : {1, 3, 9}) {
    const std::vector<double> values = test::random_vector(Offset{n} * nrhs, 4);
    const std::vector<T> b(values.begin(), values.end());
    std::vector<T> x(b.size());
    Status status = Status::kInterrupted;
    double error = 1;
    {
      const Traps traps;
      SparseCholesky<T> solver(options);
      status = solver.factorize(input.view());
      if (status == Status::kOk) {
        error =
            solver
                .solve(DenseView<const T>{b.data(), n, nrhs, n}, DenseView<T>{x.data(), n, nrhs, n})
                .backward_error.value();
      }
    }
    ASSERT_EQ(status, Status::kOk);
    // The library's default tolerance for each precision.
    ASSERT_LE(error,
              sizeof(T) == 4 || options.factor.precision == Precision::kSingle ? 1e-6 : 1e-15);
  }
}

TEST_P(TrappingHosts, IsNotDisturbed) {
  poison = GetParam().poison;
  Options options;
  options.engine = EngineKind::kCpu;
  options.threads = GetParam().threads;
  options.factor.precision = GetParam().precision;
  options.factor.estimate_condition = true;
  test::on_every_target([&] {
    for (const LowerMatrix& a : matrices()) {
      SCOPED_TRACE("n " + std::to_string(a.pattern.n));
      factor_and_solve<double>(a, options);
      factor_and_solve<float>(a, options);
    }
  });
}

TEST(TrappingHost, IsToldOfABadPivot) {
  poison = kSignallingDouble;
  for (const double last : {-1.0, 0.25, 0.0}) {
    // [1 1/2; 1/2 last]: the pivot of row 1 is last - 1/4.
    const LowerMatrix a = test::from_triplets(3, {{0, 0, 1}, {1, 0, 0.5}, {1, 1, last}, {2, 2, 1}});
    const auto input = test::lower_input<double>(a);
    Status status = Status::kOk;
    {
      const Traps traps;
      SparseCholesky<double> solver;
      status = solver.factorize(input.view());
    }
    EXPECT_EQ(status, Status::kNotPositiveDefinite);
  }
}

TEST(FlagsOfTheHost, AreAsTheyWere) {
  poison = kSignallingDouble;
  const LowerMatrix a = test::grid3d(9, 8, 7);
  const std::vector<double> b = test::random_vector(a.pattern.n, 4);
  std::feclearexcept(FE_ALL_EXCEPT);

  const std::vector<double> x = test::solve(test::factored<double>(a), b);

  EXPECT_EQ(std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW), 0);
  EXPECT_EQ(x.size(), b.size());
}

INSTANTIATE_TEST_SUITE_P(Heaps, TrappingHosts, testing::ValuesIn(hosts()),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace clchol
