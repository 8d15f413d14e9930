#include "python/src/solver.hpp"

#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include "python/src/options.hpp"
#include "python/src/reports.hpp"

namespace clchol::python {
namespace {

/// A callable of Python that a factorization calls.
class Progress {
 public:
  explicit Progress(nb::handle callable) : callable_(callable) {}

  /// A ProgressFunction.  Calls the callable at first, at most 20 times a second, and at the end.
  static void report(void* data, double done, double total) {
    constexpr auto kInterval = std::chrono::milliseconds(50);
    auto& self = *static_cast<Progress*>(data);
    const auto now = std::chrono::steady_clock::now();
    if (done < total && self.last_ && now - *self.last_ < kInterval) return;
    self.last_ = now;
    const nb::gil_scoped_acquire gil;
    struct Scope {
      explicit Scope(const void* gate) : before(std::exchange(in_progress_of, gate)) {}
      ~Scope() { in_progress_of = before; }
      const void* before;
    } const scope(self.gate);
    self.callable_(done, total);
  }

  const void* gate = nullptr;  // The gate of the solver that calls.

 private:
  const nb::handle callable_;
  std::optional<std::chrono::steady_clock::time_point> last_;  // When it was called last.
};

}  // namespace

template <class T>
Solver<T>::Solver() {
  Options options;
  options.cancel = gate_.cancel_flag();
  solver_.emplace(std::move(options));
}

template <class T>
void Solver<T>::set_options(const nb::dict& values) {
  Options options = run_on(Access::kRead, Duration::kShort,
                           [](const SparseCholesky<T>& s) { return s.options(); });
  python::set_options(options, values);
  may_use_device_ = options.engine == EngineKind::kOpenCl || !options.devices.empty();
  run_on(Access::kChange, Duration::kShort,
         [&](SparseCholesky<T>& s) { s.options() = std::move(options); });
}

template <class T>
void Solver<T>::close() {
  run(gate_, Access::kChange, Duration::kShort, [this] { solver_.reset(); });
  is_closed_ = true;
}

// ---- How long calls take ------------------------------------------------------------------------

// Below these sizes, calls take a few milliseconds.
template <class T>
Duration Solver<T>::duration_of_analysis(const Pattern& a) const {
  constexpr std::size_t kMostEntries = 50'000;
  return a.rowind.shape(0) > kMostEntries || may_use_device_ ? Duration::kLong : Duration::kShort;
}

template <class T>
Duration Solver<T>::duration_of_factorization() const {
  constexpr double kMostFlops = 5e7;
  return flops_ > kMostFlops || may_use_device_ ? Duration::kLong : duration_of_pass(1);
}

template <class T>
Duration Solver<T>::duration_of_pass(Index columns) const {
  constexpr double kMostEntries = 2e6;
  return entries_ * columns > kMostEntries || may_use_device_ ? Duration::kLong : Duration::kShort;
}

// ---- Calls --------------------------------------------------------------------------------------

template <class T>
template <class Call>
Status Solver<T>::run_analysis(Duration duration, const Call& call) {
  return run_on(Access::kChange, duration, [&](SparseCholesky<T>& s) {
    struct Note {
      Solver& self;
      const SparseCholesky<T>& s;
      ~Note() {
        self.flops_ = s.analysis_report().flops_stored;
        self.entries_ = static_cast<double>(s.analysis_report().nnz_stored);
      }
    } const note{*this, s};
    return call(s);
  });
}

template <class T>
template <class Call>
Status Solver<T>::run_factorization(Duration duration, nb::handle progress, const Call& call) {
  if (progress.is_none()) return run_analysis(duration, call);
  Progress reporter(progress);
  reporter.gate = &gate_;
  return run_analysis(duration, [&](SparseCholesky<T>& s) {
    struct Reset {
      Options& options;
      ~Reset() { options.progress = nullptr; }
    } const reset{s.options()};
    s.options().progress = Progress::report;
    s.options().progress_data = &reporter;
    return call(s);
  });
}

template <class T>
Status Solver<T>::analyze(const Pattern& a) {
  return run_analysis(duration_of_analysis(a), [&](SparseCholesky<T>& s) {
    return with_view<T>(a, {}, [&](const auto& view) { return s.analyze(view); });
  });
}

template <class T>
Status Solver<T>::factorize(const Pattern& a, const ValueArray<T>& values, nb::handle progress) {
  const bool is_long =
      duration_of_analysis(a) == Duration::kLong || duration_of_factorization() == Duration::kLong;
  return run_factorization(
      is_long ? Duration::kLong : Duration::kShort, progress, [&](SparseCholesky<T>& s) {
        return with_view(a, span_of(values), [&](const auto& view) { return s.factorize(view); });
      });
}

template <class T>
Status Solver<T>::refactorize(const Pattern& a, const ValueArray<T>& values, nb::handle progress) {
  return run_factorization(duration_of_factorization(), progress, [&](SparseCholesky<T>& s) {
    return with_view(a, span_of(values), [&](const auto& view) { return s.refactorize(view); });
  });
}

template <class T>
Status Solver<T>::refactorize_values(const ValueArray<T>& values, nb::handle progress) {
  return run_factorization(duration_of_factorization(), progress,
                           [&](SparseCholesky<T>& s) { return s.refactorize(span_of(values)); });
}

template <class T>
Status Solver<T>::solve(const DenseArray<const T>& b, const DenseArray<T>& x) {
  const DenseView<const T> b_view = dense_view(b, "b");
  const DenseView<T> x_view = dense_view(x, "x");
  return run_on(Access::kRead, duration_of_pass(x_view.ncol), [&](const SparseCholesky<T>& s) {
    SolveReport report = s.solve(b_view, x_view);
    const Status status = report.status;
    const std::lock_guard lock(report_mutex_);
    solve_report_ = std::move(report);
    return status;
  });
}

template <class T>
void Solver<T>::solve_part(int part, const DenseArray<T>& x) {
  const DenseView<T> view = dense_view(x, "x");
  run_on(Access::kRead, duration_of_pass(view.ncol),
         [&](const SparseCholesky<T>& s) { s.solve_part(static_cast<Part>(part), view); });
}

// ---- Files --------------------------------------------------------------------------------------

template <class T>
void Solver<T>::save_analysis(const std::string& path) {
  run_on(Access::kRead, duration_of_pass(1),
         [&](const SparseCholesky<T>& s) { s.save_analysis(path); });
}

template <class T>
nb::bytes Solver<T>::analysis_bytes() {
  const std::vector<std::byte> bytes =
      run_on(Access::kRead, duration_of_pass(1),
             [](const SparseCholesky<T>& s) { return s.save_analysis(); });
  return nb::bytes(bytes.data(), bytes.size());
}

template <class T>
Status Solver<T>::load_analysis(const Pattern& a, const std::string& path) {
  return run_analysis(duration_of_analysis(a), [&](SparseCholesky<T>& s) {
    return with_view<T>(a, {}, [&](const auto& view) { return s.load_analysis(view, path); });
  });
}

template <class T>
Status Solver<T>::load_analysis_bytes(const Pattern& a, const nb::bytes& bytes) {
  const std::span<const std::byte> span(static_cast<const std::byte*>(bytes.data()), bytes.size());
  return run_analysis(duration_of_analysis(a), [&](SparseCholesky<T>& s) {
    return with_view<T>(a, {}, [&](const auto& view) { return s.load_analysis(view, span); });
  });
}

template <class T>
Status Solver<T>::save_factor(const std::string& path) {
  return run_on(Access::kRead, duration_of_pass(1),
                [&](const SparseCholesky<T>& s) { return s.save_factor(path); });
}

template <class T>
Status Solver<T>::load_factor(const std::string& path) {
  return run_analysis(Duration::kLong, [&](SparseCholesky<T>& s) { return s.load_factor(path); });
}

template <class T>
Status Solver<T>::load_factor_of(const Pattern& a, const ValueArray<T>& values,
                                 const std::string& path) {
  return run_analysis(Duration::kLong, [&](SparseCholesky<T>& s) {
    return with_view(a, span_of(values),
                     [&](const auto& view) { return s.load_factor(view, path); });
  });
}

// ---- Results ------------------------------------------------------------------------------------

template <class T>
double Solver<T>::log_determinant() {
  return run_on(Access::kRead, duration_of_pass(1),
                [](const SparseCholesky<T>& s) { return s.log_determinant(); });
}

template <class T>
nb::object Solver<T>::diagonal() {
  return to_numpy(run_on(Access::kRead, duration_of_pass(1),
                         [](const SparseCholesky<T>& s) { return s.diagonal(); }));
}

template <class T>
nb::object Solver<T>::scaling() {
  return to_numpy(run_on(Access::kRead, Duration::kShort,
                         [](const SparseCholesky<T>& s) { return s.scaling(); }));
}

template <class T>
nb::object Solver<T>::permutation() {
  return to_numpy(run_on(Access::kRead, Duration::kShort,
                         [](const SparseCholesky<T>& s) { return s.permutation(); }));
}

template <class T>
nb::tuple Solver<T>::factor() {
  CholeskyFactor<T> l = run_on(Access::kRead, duration_of_pass(1),
                               [](const SparseCholesky<T>& s) { return s.factor(); });
  return nb::make_tuple(to_numpy(std::move(l.colptr)), to_numpy(std::move(l.rowind)),
                        to_numpy(std::move(l.values)));
}

template <class T>
nb::tuple Solver<T>::assembly_tree() {
  AssemblyTree tree = run_on(Access::kRead, Duration::kShort,
                             [](const SparseCholesky<T>& s) { return s.assembly_tree(); });
  return nb::make_tuple(to_numpy(std::move(tree.super_ptr)), to_numpy(std::move(tree.super_parent)),
                        to_numpy(std::move(tree.nrow)));
}

template <class T>
nb::dict Solver<T>::analysis_report() {
  return as_dict(run_on(Access::kRead, Duration::kShort,
                        [](const SparseCholesky<T>& s) { return s.analysis_report(); }));
}

template <class T>
nb::dict Solver<T>::factor_report() {
  return as_dict(run_on(Access::kRead, Duration::kShort,
                        [](const SparseCholesky<T>& s) { return s.factor_report(); }));
}

template <class T>
nb::dict Solver<T>::solve_report() {
  SolveReport report;
  {
    const std::lock_guard lock(report_mutex_);
    report = solve_report_;
  }
  return as_dict(report);
}

template <class T>
nb::list Solver<T>::host_modes() {
  nb::list modes;
  for (const HostMode& mode : run_on(Access::kRead, Duration::kLong,
                                     [](const SparseCholesky<T>& s) { return s.host_modes(); })) {
    modes.append(as_dict(mode));
  }
  return modes;
}

template <class T>
nb::list Solver<T>::device_modes() {
  nb::list modes;
  for (const DeviceMode& mode :
       run_on(Access::kRead, Duration::kLong,
              [](const SparseCholesky<T>& s) { return s.device_modes(); })) {
    modes.append(as_dict(mode));
  }
  return modes;
}

template <class T>
std::int64_t Solver<T>::predict_device_bytes() {
  return run_on(Access::kRead, Duration::kLong,
                [](const SparseCholesky<T>& s) { return s.predict_device_bytes(); });
}

template class Solver<double>;
template class Solver<float>;

}  // namespace clchol::python
