// The class that clchol.Solver wraps: a SparseCholesky<T> that several threads of Python may use,
// without the GIL.
//
// Arrays have been checked and converted by clchol/solver.py: the functions here take contiguous
// arrays of the right types.  Calls that end with a status return its name, which clchol/solver.py
// turns into an exception or a warning.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "clchol/clchol.hpp"
#include "python/src/arrays.hpp"
#include "python/src/run.hpp"

namespace clchol::python {

namespace nb = nanobind;

template <class T>
class Solver {
 public:
  Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  // ---- Options ----

  void set_options(const nb::dict& values);

  // ---- Calls ----

  Status analyze(const Pattern& a);
  // @param progress  a callable (done, total), or None.
  Status factorize(const Pattern& a, const ValueArray<T>& values, nb::handle progress);
  Status refactorize(const Pattern& a, const ValueArray<T>& values, nb::handle progress);
  Status refactorize_values(const ValueArray<T>& values, nb::handle progress);
  Status solve(const DenseArray<const T>& b, const DenseArray<T>& x);
  void solve_part(int part, const DenseArray<T>& x);

  // ---- Files ----

  void save_analysis(const std::string& path);
  nb::bytes analysis_bytes();
  Status load_analysis(const Pattern& a, const std::string& path);
  Status load_analysis_bytes(const Pattern& a, const nb::bytes& bytes);
  Status save_factor(const std::string& path);
  Status load_factor(const std::string& path);
  Status load_factor_of(const Pattern& a, const ValueArray<T>& values, const std::string& path);

  // ---- Results ----

  double log_determinant();
  nb::object diagonal();
  nb::object scaling();
  nb::object permutation();
  /// (indptr, indices, values) of L by columns.
  nb::tuple factor();
  /// (super_ptr, super_parent, nrow) of the fronts.
  nb::tuple assembly_tree();
  nb::dict analysis_report();
  nb::dict factor_report();
  /// Report of the solve that ended last.
  nb::dict solve_report();
  nb::list host_modes();
  nb::list device_modes();
  std::int64_t predict_device_bytes();

  void cancel() { gate_.cancel(); }
  /// Releases analysis, factor and options.  Later calls throw InvalidArgument.
  void close();
  bool is_closed() const { return is_closed_; }

 private:
  /// run() with the solver, once it is known to be open.
  template <class Call>
  auto run_on(Access access, Duration duration, const Call& call) {
    return run(gate_, access, duration, [&] {
      if (!solver_) throw InvalidArgument("the solver is closed");
      return call(*solver_);
    });
  }
  /// run_on() for a call that may analyse: notes the sizes of the analysis afterwards.
  template <class Call>
  Status run_analysis(Duration duration, const Call& call);
  /// Runs a call that factors, with a progress function.
  template <class Call>
  Status run_factorization(Duration duration, nb::handle progress, const Call& call);

  Duration duration_of_analysis(const Pattern& a) const;
  Duration duration_of_factorization() const;
  /// Duration of a pass over L with `columns` right-hand sides.
  Duration duration_of_pass(Index columns) const;

  Gate gate_;
  std::atomic<bool> is_closed_{false};
  std::optional<SparseCholesky<T>> solver_;  // Empty once closed.
  // What predicts how long calls take.
  std::atomic<double> flops_{0};             // Flops of a factorization.
  std::atomic<double> entries_{0};           // Entries of L.
  std::atomic<bool> may_use_device_{false};  // Whether the options ask for a device.
  std::mutex report_mutex_;                  // Guards solve_report_.
  SolveReport solve_report_;
};

}  // namespace clchol::python
