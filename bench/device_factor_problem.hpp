// The problem of clchol_device_factor_bench: a matrix, its analysis, and the errors of results.
#pragma once

#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "numeric/device/factor.hpp"
#include "solver/analysis.hpp"
#include "solver/cpu_engine.hpp"
#include "solver/factorization.hpp"
#include "solver/load_matrix.hpp"

namespace clchol::bench {

/// A dense, diagonally dominant matrix of order n.
inline solver::SymmetricMatrix make_dense(Index n) {
  solver::SymmetricMatrix a;
  a.lower.n = n;
  a.lower.colptr.push_back(0);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      a.lower.rowind.push_back(i);
      a.values.push_back(i == j ? n : std::cos(1.0 + i * 0.7 + j * 1.3));
    }
    a.lower.colptr.push_back(static_cast<Offset>(a.values.size()));
  }
  return a;
}

inline solver::SymmetricMatrix load(const std::string& name) {
  if (name.rfind("dense:", 0) == 0) return make_dense(std::atoi(name.c_str() + 6));
  return solver::load_matrix(name);
}

/// A matrix, its analysis, and L from the CPU engine.
class Problem {
 public:
  /// @param cost   model of a front's time, by which the analysis merges fronts.
  /// @param check  whether the CPU engine factors the matrix too; if not, error() returns -1.
  Problem(const std::string& name, const Options& options, const symbolic::FrontCost& cost,
          bool check)
      : a_(load(name)),
        analysis_(solver::analyze(solver::make_input_map<Offset, Index>(
                                      a_.n(), a_.lower.colptr, a_.lower.rowind, Triangle::kLower),
                                  options, true, {cost, {}})) {
    solver::map_values<double>(analysis_->map, a_.values, 1, values_);
    if (values_.empty()) values_ = a_.values;
    if (!check) return;
    engine_.emplace(analysis_->symbolic, analysis_->entries, analysis_->cpu_plan, options.threads);
    result_ = engine_->factorize(values_, solver::control_of(options));
  }

  const symbolic::SymbolicFactor& symbolic() const { return analysis_->symbolic; }
  const symbolic::EntryMap& entries() const { return analysis_->entries; }
  const std::vector<double>& values() const { return values_; }
  std::size_t n() const { return static_cast<std::size_t>(a_.n()); }

  /// Right-hand sides, n x nrhs, row-major, rows in the factor's order.
  std::vector<double> right_hand_sides(Index nrhs) const {
    std::vector<double> b(n() * static_cast<std::size_t>(nrhs));
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = std::sin(1.0 + 0.37 * static_cast<double>(k));
    return b;
  }
  /// The largest backward error over the right-hand sides.
  double backward_error(const std::vector<double>& b, const std::vector<double>& x,
                        Index nrhs) const {
    double error = 0;
    for (Index r = 0; r < nrhs; ++r) {
      const double e = backward_error_of(side(b, r, nrhs), side(x, r, nrhs));
      if (!(e <= error)) error = e;
    }
    return error;
  }

  double error(gpu::Queue& queue, const numeric::DeviceFactor<double>& factor,
               numeric::PanelStore<double>& store) const {
    if (!engine_) return -1;
    double difference = 0, largest = 0;
    const numeric::DevicePlan& plan = factor.plan();
    for (std::size_t g = 0; g < plan.slabs.size(); ++g) {
      const std::vector<double> panels = store.read(static_cast<Index>(g), queue);
      for (Index f = plan.slabs[g].begin; f < plan.slabs[g].end; ++f) {
        const gpu::Front& front = plan.fronts[f];
        const auto twin = engine_->factor().panel(plan.super[f]);
        for (Index j = 0; j < front.ncol; ++j) {
          for (Index i = j; i < front.nrow; ++i) {
            const double l = twin.data[i + j * twin.ld];
            const double d = std::abs(panels[front.panel + i + j * front.ldp] - l);
            if (!(d <= difference)) difference = d;
            largest = std::max(largest, std::abs(l));
          }
        }
      }
    }
    return difference / largest;
  }

 private:
  /// Right-hand side r, with rows in the order of A.
  std::vector<double> side(const std::vector<double>& sides, Index r, Index nrhs) const {
    std::vector<double> values(n());
    for (std::size_t k = 0; k < n(); ++k) {
      values[static_cast<std::size_t>(analysis_->symbolic.permutation.perm[k])] =
          sides[k * static_cast<std::size_t>(nrhs) + static_cast<std::size_t>(r)];
    }
    return values;
  }
  double backward_error_of(const std::vector<double>& b, const std::vector<double>& x) const {
    std::vector<double> residual = b, row_sum(n(), 0);
    const auto add = [&](Index i, Index j, double value) {
      residual[i] -= value * x[j];
      row_sum[i] += std::abs(value);
    };
    for (Index j = 0; j < a_.n(); ++j) {
      for (Offset e = a_.lower.colptr[j]; e < a_.lower.colptr[j + 1]; ++e) {
        const Index i = a_.lower.rowind[e];
        add(i, j, a_.values[e]);
        if (i != j) add(j, i, a_.values[e]);
      }
    }
    return norm(residual) / (norm(row_sum) * norm(x) + norm(b));
  }
  /// Infinity norm; NaN if a value is NaN.
  static double norm(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) {
      if (!(std::abs(value) <= largest)) largest = std::abs(value);
      if (std::isnan(largest)) break;
    }
    return largest;
  }

  solver::SymmetricMatrix a_;
  std::unique_ptr<solver::Analysis> analysis_;
  std::vector<double> values_;
  std::optional<solver::CpuEngine<double>> engine_;
  numeric::FactorResult result_;
};

}  // namespace clchol::bench
