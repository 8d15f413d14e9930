// Compares the device engine's factor with the CPU engine's; the CPU engine solves with it too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu_kernels/runtime/capabilities.hpp"
#include "numeric/cpu/factorize.hpp"
#include "numeric/cpu/triangular_solve.hpp"
#include "numeric/device/factor.hpp"
#include "numeric/residual.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"
#include "tests/numeric/analysed.hpp"
#include "tests/support/rows.hpp"

namespace clchol::numeric {
namespace {

using test::Analysed;
using test::analysed;

class DeviceFactorTest : public gpu::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (!device().description.fp64) GTEST_SKIP() << "no fp64";
    able_ = gpu::probe_capabilities(programs(), queue());
    context().set_static_local_bytes(able_.static_local_bytes);
  }

  DeviceKernelParams plain() const {
    const gpu::WorkGroupLimits limits{able_.max_work_group_size, able_.static_local_bytes};
    DeviceKernelParams params;
    params.small_classes =
        gpu::small_front_classes(limits.max_work_group_size, limits.local_bytes, sizeof(double));
    // Small tiles: they compile fast, and small fronts have many of them.
    const gpu::GemmParams tile{.tile_m = 16,
                               .tile_n = 16,
                               .tile_k = 4,
                               .item_m = 2,
                               .item_n = 2,
                               .warp_m = 4,
                               .warp_n = 2};
    params.plain = PlainWavesParams{{.block = 16, .rows = 16, .few_tiles = 2},
                                    {tile, tile},
                                    {.tile_rows = 16, .tile_columns = 16, .group = 32}};
    return params;
  }
  /// Parameters of kernels for tensor cores; nothing if the device has none.
  std::optional<DeviceKernelParams> fast() const {
    if (!able_.mma_m16n8k16.present || !able_.async_copy.present) return std::nullopt;
    DeviceKernelParams params;
    params.small_classes = gpu::small_front_classes(able_, gpu::Tuning(), sizeof(double));
    if (!able_.forward_progress.present) params.order = gpu::BatchOrder::kLevels;
    return params;
  }

  /// A store that keeps all panels on the device.
  PanelStore<double> store_of(const DeviceFactor<double>& factor) {
    PanelStore<double> store(factor.plan().panels.slab_sizes, {});
    store.allocate(context(), {}, {}, 1);
    return store;
  }

  void expect_cpu_factor(const Analysed& p, const DeviceKernelParams& params,
                         const DevicePlanOptions& options) {
    DeviceFactor<double> factor(programs(), p.symbolic, p.entries,
                                make_device_plan(p.symbolic, p.entries, options), params);
    const gpu::DeviceBuffer<double> updates(context(), factor.plan().update_entries);
    factor.allocate(queue(), updates);
    PanelStore<double> store = store_of(factor);
    FactorWorkspace<double> workspace;
    workspace.reserve(p.symbolic, p.cpu_plan, 1);
    NumericFactor<double> twin(p.symbolic, p.cpu_plan);
    // The second factorization has other values: the prepared data serves any values.
    for (const double scale : {1.0, 4.0}) {
      std::vector<double> values = p.a.values;
      for (double& x : values) x *= scale;
      ASSERT_EQ(factorize_cpu(twin, p.entries, values.data(), workspace, {}).status, Status::kOk);

      factor.factorize(queue(), on_device(values), store);

      expect_equal(p, factor, store, twin);
      expect_cpu_solves(p, factor, store, values);
    }
  }

 private:
  // The CPU engine solves with the device's panels, in the device's layout.
  void expect_cpu_solves(const Analysed& p, const DeviceFactor<double>& factor,
                         PanelStore<double>& store, const std::vector<double>& values) {
    std::vector<AlignedBuffer<double>> slabs;
    for (Index s = 0; s < store.num_slabs(); ++s) {
      const std::vector<double> panels = store.read(s, queue());
      slabs.emplace_back(static_cast<Offset>(panels.size()) + dense::kReadSlack);
      std::copy(panels.begin(), panels.end(), slabs.back().data());
    }
    const NumericFactor<double> made(p.symbolic, p.cpu_plan, panel_table(factor.plan()),
                                     std::move(slabs));
    const TransposedIndex transposed = make_transposed_index(p.a.pattern.view());
    const SymmetricView<double> a{p.a.pattern.view(), &transposed, values.data()};
    const std::vector<Index>& perm = p.symbolic.permutation.perm;
    const Index n = p.symbolic.n;
    std::vector<double> b(n);
    for (Index i = 0; i < n; ++i) b[i] = 1.0 + i % 5;
    for (const Index nrhs : {1, 5}) {
      SolveWorkspace<double> workspace;
      workspace.reserve(p.symbolic, p.cpu_plan, 1, nrhs);
      test::Rows<double> y(n, nrhs);
      std::vector<double> x(n), r(n), magnitude(n);
      for (Index c = 0; c < nrhs; ++c) {
        for (Index k = 0; k < n; ++k) y(k, c) = b[perm[k]];
      }
      forward_solve(made, y.view(), workspace, {});
      backward_solve(made, y.view(), workspace, {});
      for (Index c = 0; c < nrhs; ++c) {
        for (Index k = 0; k < n; ++k) x[perm[k]] = y(k, c);
        // Without refinement the error is a few roundings.
        EXPECT_LE(residual(a, b.data(), x.data(), r.data(), magnitude.data(), 1).normwise,
                  8 * std::numeric_limits<double>::epsilon());
      }
    }
  }

  // Well-conditioned matrices: differences are a few roundings of sums of up to n terms.
  void expect_equal(const Analysed& p, const DeviceFactor<double>& factor,
                    PanelStore<double>& store, const NumericFactor<double>& twin) {
    for (const auto& status : on_host<gpu::PivotStatus<double>>(factor.status())) {
      ASSERT_EQ(status.column, kNone);
    }
    const double bound = 64 * std::sqrt(p.symbolic.n) * std::numeric_limits<double>::epsilon();
    for (std::size_t g = 0; g < factor.plan().slabs.size(); ++g) {
      const std::vector<double> panels = store.read(static_cast<Index>(g), queue());
      for (Index f = factor.plan().slabs[g].begin; f < factor.plan().slabs[g].end; ++f) {
        const gpu::Front& front = factor.plan().fronts[f];
        const PanelView<const double> panel = twin.panel(factor.plan().super[f]);
        for (Index j = 0; j < front.ncol; ++j) {
          for (Index i = j; i < front.nrow; ++i) {
            ASSERT_NEAR(panels[front.panel + i + j * front.ldp], panel.data[i + j * panel.ld],
                        bound)
                << "front " << f << " (" << i << ", " << j << ")";
          }
        }
      }
    }
  }

  gpu::Capabilities able_;
};

DevicePlanOptions small_fronts(Index rows, Index columns) {
  DevicePlanOptions options;
  options.small_rows = rows;
  options.small_columns = columns;
  options.least_wave = 1;
  return options;
}
const DevicePlanOptions kSomeSmall = small_fronts(32, 16);

TEST_F(DeviceFactorTest, FactorIsTheCpuEngines) {
  for (const Analysed& p : {analysed(test::grid3d(9, 8, 9)), analysed(test::grid2d(30, 31)),
                            analysed(test::dense_spd(70, 1)), analysed(test::arrow_first(60)),
                            analysed(test::two_grids(7, 8, 3)), analysed(test::diagonal(5))}) {
    SCOPED_TRACE(p.symbolic.n);
    expect_cpu_factor(p, plain(), kSomeSmall);
    if (const auto params = fast()) expect_cpu_factor(p, *params, kSomeSmall);
  }
}

TEST_F(DeviceFactorTest, AllFrontsSmallOrNone) {
  const Analysed p = analysed(test::grid2d(16, 15));
  for (const DevicePlanOptions& options : {small_fronts(0, 0), small_fronts(96, 96)}) {
    expect_cpu_factor(p, plain(), options);
    if (const auto params = fast()) expect_cpu_factor(p, *params, options);
  }
}

// Many groups: with the least memory for updates, and with panels in many buffers.
TEST_F(DeviceFactorTest, GroupsAreTheSameFactor) {
  for (const Analysed& p : {analysed(test::grid3d(9, 8, 9)), analysed(test::grid2d(30, 31))}) {
    for (const GroupLimits& limits : {GroupLimits{.updates = 1}, GroupLimits{.panels = 12000}}) {
      DevicePlanOptions options = kSomeSmall;
      options.limits = limits;
      ASSERT_GT(make_device_plan(p.symbolic, p.entries, options).groups.size(), 2U);
      expect_cpu_factor(p, plain(), options);
      if (const auto params = fast()) expect_cpu_factor(p, *params, options);
    }
  }
}

TEST_F(DeviceFactorTest, FailingPivotIsNamedByItsFront) {
  Analysed p = analysed(test::grid3d(8, 8, 8));
  const Index column = p.symbolic.n - 3;  // A column of the root.
  const Index row = p.symbolic.permutation.perm[column];
  const CscPatternView lower = p.a.pattern.view();
  p.a.values[lower.colptr[row]] = -5;
  for (const std::optional<DeviceKernelParams>& params : {std::optional(plain()), fast()}) {
    if (!params) continue;
    DeviceFactor<double> factor(programs(), p.symbolic, p.entries,
                                make_device_plan(p.symbolic, p.entries, kSomeSmall), *params);
    const gpu::DeviceBuffer<double> updates(context(), factor.plan().update_entries);
    factor.allocate(queue(), updates);
    PanelStore<double> store = store_of(factor);

    factor.factorize(queue(), on_device(p.a.values), store);

    const auto status = on_host<gpu::PivotStatus<double>>(factor.status());
    for (std::size_t f = 0; f < status.size(); ++f) {
      const gpu::Front& front = factor.plan().fronts[f];
      const bool has = column >= front.first_column && column < front.first_column + front.ncol;
      EXPECT_EQ(status[f].column, has ? column - front.first_column : kNone) << f;
      if (has) {
        EXPECT_LT(status[f].value, 0);
      }
    }
  }
}

}  // namespace
}  // namespace clchol::numeric
