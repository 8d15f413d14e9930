// The device engine as the solver uses it: values in, x out.
#include "numeric/device_engine.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gpu_kernels/device_choice.hpp"
#include "numeric/residual.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"
#include "tests/numeric/analysed.hpp"

namespace clchol::numeric {
namespace {

using test::Analysed;
using test::analysed;

/// One runtime for all tests: probing and building take longer than they do.
std::shared_ptr<gpu::DeviceRuntime> runtime() {
  static const std::shared_ptr<gpu::DeviceRuntime> kShared = [] {
    std::optional<gpu::Device> device = gpu::test_device();
    return device ? std::make_shared<gpu::DeviceRuntime>(*device, gpu::QueueOptions{}, "")
                  : nullptr;
  }();
  return kShared;
}

template <class T>
class DeviceEngineTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!runtime()) GTEST_SKIP() << "no OpenCL device on this machine";
    if (sizeof(T) == 8 && !runtime()->device().description.fp64) GTEST_SKIP() << "no fp64";
  }

  static DeviceEngine<T> engine_of(const Analysed& p) { return {runtime(), p.symbolic, p.plan}; }

  static std::vector<T> cast(const std::vector<double>& values) {
    return {values.begin(), values.end()};
  }

  /// Normwise backward error of the solutions of A X = B, B(i, r) = 1 + (i + r) mod 5.
  static double backward_error(const Analysed& p, const DeviceEngine<T>& engine,
                               const std::vector<double>& values, Index nrhs) {
    const Index n = p.symbolic.n;
    const std::vector<Index>& perm = p.symbolic.permutation.perm;
    const auto b_of = [](Index i, Index r) { return 1.0 + (i + r) % 5; };
    const Offset ld = n + 2;
    std::vector<T> y(static_cast<std::size_t>(ld) * nrhs);
    for (Index r = 0; r < nrhs; ++r) {
      for (Index k = 0; k < n; ++k) y[k + r * ld] = static_cast<T>(b_of(perm[k], r));
    }
    engine.solve({y.data(), n, nrhs, ld}, true, true);
    const TransposedIndex transposed = make_transposed_index(p.a.pattern.view());
    const SymmetricView<double> a{p.a.pattern.view(), &transposed, values.data()};
    double worst = 0;
    std::vector<double> b(n), x(n), residual(n);
    for (Index r = 0; r < nrhs; ++r) {
      for (Index k = 0; k < n; ++k) x[perm[k]] = static_cast<double>(y[k + r * ld]);
      for (Index i = 0; i < n; ++i) b[i] = b_of(i, r);
      const double error = numeric::residual(a, b.data(), x.data(), residual.data(), 1).normwise;
      if (!(error <= worst)) worst = error;
    }
    return worst;
  }
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(DeviceEngineTest, Reals);

// Well-conditioned matrices: without refinement the error is a few roundings.
template <class T>
constexpr double kFewEps = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());

TYPED_TEST(DeviceEngineTest, SolvesToAFewEps) {
  for (const Analysed& p : {analysed(test::grid3d(9, 8, 9)), analysed(test::grid2d(40, 31)),
                            analysed(test::dense_spd(150, 1)), analysed(test::two_grids(7, 8, 3)),
                            analysed(test::bundle_adjustment(6, 400, 3, 1)),
                            analysed(test::diagonal(5)), analysed(test::diagonal(1))}) {
    SCOPED_TRACE(p.symbolic.n);
    DeviceEngine<TypeParam> engine = this->engine_of(p);
    // The second time with other values: all that is prepared serves any.
    for (const double scale : {1.0, 4.0}) {
      std::vector<double> values = p.a.values;
      for (double& x : values) x *= scale;

      ASSERT_EQ(engine.factorize(this->cast(values), {}).status, Status::kOk);

      for (const Index nrhs : {1, 3, 17}) {
        EXPECT_LE(this->backward_error(p, engine, values, nrhs), kFewEps<TypeParam>) << nrhs;
      }
    }
  }
}

TYPED_TEST(DeviceEngineTest, SameBitsAtEveryRun) {
  using T = TypeParam;
  const Analysed p = analysed(test::grid3d(9, 9, 8));
  const auto run = [&] {
    DeviceEngine<T> engine = this->engine_of(p);
    static_cast<void>(engine.factorize(this->cast(p.a.values), {}));
    std::vector<T> x(p.symbolic.n, T{1});
    engine.solve({x.data(), p.symbolic.n, 1, p.symbolic.n}, true, true);
    return x;
  };
  const std::vector<T> first = run();
  EXPECT_EQ(run(), first);
}

TYPED_TEST(DeviceEngineTest, HalvesAreForwardAndBackward) {
  using T = TypeParam;
  const Analysed p = analysed(test::tridiagonal(3));
  DeviceEngine<T> engine = this->engine_of(p);
  ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
  const std::vector<T> d = engine.diagonal();
  // det(T3) = 4 = (product of L's diagonal)^2.
  EXPECT_NEAR(d[0] * d[1] * d[2], 2, kFewEps<T>);

  std::vector<T> x{1, 0, 0}, y{0, 0, 1};
  engine.solve({x.data(), 3, 1, 3}, true, false);
  engine.solve({y.data(), 3, 1, 3}, false, true);

  EXPECT_NEAR(x[0] * d[0], 1, kFewEps<T>);
  EXPECT_NEAR(y[2] * d[2], 1, kFewEps<T>);
}

TYPED_TEST(DeviceEngineTest, FirstFailingPivotIsNamed) {
  Analysed p = analysed(test::grid3d(8, 8, 8));
  const CscPatternView lower = p.a.pattern.view();
  const Index n = p.symbolic.n;
  for (const Index column : {n - 3, n / 2}) {  // The later first: the earlier then comes before it.
    const Index row = p.symbolic.permutation.perm[column];
    p.a.values[lower.colptr[row]] = -5;
    DeviceEngine<TypeParam> engine = this->engine_of(p);

    const FactorResult result = engine.factorize(this->cast(p.a.values), {});

    EXPECT_EQ(result.status, Status::kNotPositiveDefinite);
    EXPECT_EQ(result.column, column);
    EXPECT_LT(result.pivot, 0);
  }
}

TYPED_TEST(DeviceEngineTest, CancelledBeforeItBegins) {
  const Analysed p = analysed(test::grid2d(5, 5));
  DeviceEngine<TypeParam> engine = this->engine_of(p);
  const std::atomic<bool> cancel{true};
  Control control;
  control.cancel = &cancel;
  EXPECT_EQ(engine.factorize(this->cast(p.a.values), control).status, Status::kInterrupted);
}

}  // namespace
}  // namespace clchol::numeric
