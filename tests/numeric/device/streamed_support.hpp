// Shared by tests of streamed factors: a matrix, budgets, and rates that decide whether slabs that
// do not stay on the device are uploaded, computed again, or left to the CPU.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/numeric/device/engine_support.hpp"

namespace clchol::numeric {

template <class T>
class StreamedFactor : public DeviceEngineTest<T> {
 protected:
  /// The solution X of A X = B with B(i, r) = 1 + (i + r) mod 5, column by column, rows in the
  /// factor's order.
  static std::vector<T> solutions(const test::Analysed& p, const DeviceEngine<T>& engine,
                                  Index nrhs) {
    const Index n = p.symbolic.n;
    test::Rows<T> y(n, nrhs);
    for (Index r = 0; r < nrhs; ++r) {
      for (Index k = 0; k < n; ++k) {
        y(k, r) = static_cast<T>(1.0 + (p.symbolic.permutation.perm[k] + r) % 5);
      }
    }
    engine.solve(y.view(), true, true);
    std::vector<T> x;
    x.reserve(static_cast<std::size_t>(n) * nrhs);
    for (Index r = 0; r < nrhs; ++r) {
      for (Index k = 0; k < n; ++k) x.push_back(y(k, r));
    }
    return x;
  }
  /// L's entries by supernode: the lower trapezoid of each panel.
  static std::vector<std::vector<T>> panels(const test::Analysed& p,
                                            const DeviceEngine<T>& engine) {
    std::vector<std::vector<T>> result(static_cast<std::size_t>(p.symbolic.nsuper));
    engine.visit_panels([&](const PanelColumns<T>& of) {
      for (Index j = of.begin; j < of.end; ++j) {
        for (Index i = j; i < p.symbolic.nrow(of.s); ++i) {
          result[static_cast<std::size_t>(of.s)].push_back(of.data[i + j * of.ld]);
        }
      }
    });
    return result;
  }
  /// The matrix of all tests; they share it so that its budgets are searched for once.
  static const test::Analysed& problem() {
    static const test::Analysed kProblem = test::analysed(test::grid3d(9, 8, 9));
    return kProblem;
  }
  /// Two budgets of device memory, in bytes, under which panels are streamed; `least` is the least.
  struct Budgets {
    Offset most = 0, least = 0;
  };
  static Budgets streaming_budgets() {
    static const Budgets kBudgets{tight_budget(*runtime(), problem(), 2),
                                  tight_budget(*runtime(), problem(), kNoPart)};
    return kBudgets;
  }
  /// Rates with a slow bus; kernels and the CPU are fast or slow.  They decide what happens to
  /// slabs that do not stay: upload, computing again (fast kernels), or solves by the CPU (fast
  /// CPU).
  static gpu::TuningParams rates(bool kernels, bool cpu) {
    const Index cpu_rate = cpu ? 500 : 1;
    return {{"mb_per_s", 10},
            {"gflops", kernels ? 1000 : 1},
            {"group_us", kernels ? 1 : 100000},
            {"thread_mb_per_s", cpu_rate},
            {"host_mb_per_s", cpu_rate}};
  }
  static constexpr int kNoPart = 1000000;
  /// The least possible budget, plus bytes for 1 / part of the panels' entries.
  static Offset tight_budget(gpu::DeviceRuntime& runtime, const test::Analysed& p, int part,
                             const StreamParams& stream = {}) {
    const auto modes =
        DeviceEngine<T>::predict_modes(runtime, p.symbolic, p.entries, {.stream = stream});
    return modes.back().device + p.symbolic.info.nnz_stored / part * Offset{sizeof(T)};
  }
  struct Made {
    bool drops = false, leaves_to_cpu = false;
  };
  /// Whether a plan within the budget drops slabs, and whether it leaves slabs to the CPU.
  static Made made_within(gpu::DeviceRuntime& runtime, const test::Analysed& p, Offset budget) {
    const DeviceShare<T> share(runtime, p.symbolic, p.entries, {.threads = 2, .memory = budget});
    return {share.keeps_values(), share.factor().plan().first_on_device() > 0};
  }
  /// A budget under which slabs are dropped; 0: no such budget was found.
  static Offset dropping_budget(gpu::DeviceRuntime& runtime, const test::Analysed& p) {
    const Offset least = tight_budget(runtime, p, kNoPart);
    for (const int part : {2, 3, 4, 5, 6, 7, 8, 9, 11, 14, 17, 20, 30}) {
      const Offset budget = least + p.symbolic.info.nnz_stored / part * Offset{sizeof(T)};
      if (made_within(runtime, p, budget).drops) return budget;
    }
    return 0;
  }
  static void expect_near(const std::vector<T>& a, const std::vector<T>& b, double bound) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      ASSERT_NEAR(a[k], b[k], bound * std::max(1.0, std::abs(static_cast<double>(b[k]))));
    }
  }
};

}  // namespace clchol::numeric
