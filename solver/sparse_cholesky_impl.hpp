// The implementation of clchol::SparseCholesky: its state, and the calls that change it.
//
// The state is an analysis with the key that says what it was made for, and a factorization, which
// holds the engine with the factor.  The public functions (sparse_cholesky.cpp, device/opencl.cpp)
// check the options and call the members below.  A call that may be refused first does all that can
// fail with InvalidArgument, and only then replaces the analysis or the factor.
//
// "Devices of a caller" are devices of OpenCL queues that the caller has passed to
// opencl::use_queue() (clchol/opencl.hpp).  When there are any, Factorization::callers holds them,
// and the options do not choose the engine.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "base/arithmetic_mode.hpp"
#include "base/greatest_magnitude.hpp"
#include "base/number_text.hpp"
#include "base/team.hpp"
#include "base/timer.hpp"
#include "ordering/ordering.hpp"
#include "solver/analysis_file.hpp"
#include "solver/check_options.hpp"
#include "solver/condition.hpp"
#include "solver/factor_file/factor_file.hpp"
#include "solver/scaled_solve.hpp"

namespace clchol {

template <class T>
struct SparseCholesky<T>::Impl {
  Options options;
  std::unique_ptr<solver::Analysis> analysis;  // Null: there is no analysis.
  /// What the present analysis was made or loaded for: the state of the solver at that time.
  struct AnalysisKey {
    AnalysisOptions options;       // Options::analysis at that time.
    solver::EngineRequest engine;  // The engine that the options asked for at that time.
    bool is_for_callers = false;   // Whether a caller's device was in use at that time.
    // Costs by which the analysis merged fronts and chose the ordering.  nullopt: the analysis was
    // loaded, and serves any engine.
    std::optional<solver::AnalysisCosts> costs;
  };
  AnalysisKey analysis_key;                // Key of `analysis`.
  solver::Factorization<T> factorization;  // Engine, factor, values of A and the factor's report.
  // Values that accept_values() has converted to the library's form.  The vector stays allocated
  // from call to call, because the system takes time to supply fresh pages of memory.
  std::vector<T> converted;
  AnalysisReport no_analysis;  // Empty report, returned while there is no analysis.

  /// The analysis.  Throws InvalidArgument when there is none.
  /// @param call  name of the public function, for the message.
  const solver::Analysis& analysed(const char* call) const {
    if (!analysis) throw InvalidArgument(std::string(call) + ": no matrix has been analysed");
    return *analysis;
  }

  /// The analysis.  Throws InvalidArgument when there is none, and when it does not have the
  /// pattern of A, because the factor was loaded without the matrix.
  const solver::Analysis& analysed_pattern(const char* call) const {
    const solver::Analysis& of = analysed(call);
    if (!of.has_pattern()) {
      throw InvalidArgument(std::string(call) + ": the factor was loaded without its matrix");
    }
    return of;
  }

  /// The devices on which a factorization would run now; empty: the CPU would factor.
  solver::OpenDevices devices_of(const solver::Analysis& of) const {
    if (!factorization.callers.empty()) return factorization.callers;
    return solver::choose_engine(of, options, wants_double_factor(), factorization.choice).devices;
  }

  /// The factorization.  Throws InvalidArgument when it holds no factor.
  const solver::Factorization<T>& factored(const char* call) const {
    if (!factorization.has_factor()) {
      throw InvalidArgument(std::string(call) + ": no matrix has been factored");
    }
    return factorization;
  }

  /// Drops analysis and factor.  Devices of a caller stay in use.
  void drop() {
    solver::Factorization<T> none;
    none.callers = factorization.callers;
    none.log = factorization.log;
    factorization = std::move(none);
    analysis.reset();
  }

  template <class Ptr, class Ind>
  solver::InputMap input_map(const SparseView<T, Ptr, Ind>& a) const {
    return solver::make_input_map(a.n, a.colptr, a.rowind, a.triangle,
                                  solver::num_threads(options));
  }

  /// Calls make(), which makes or loads the analysis.
  /// @return kOk; kInterrupted when make() throws ordering::Interrupted, because the caller has
  ///         cancelled: analysis and factor are dropped then.
  template <class Make>
  Status analyze_by(const Make& make) {
    try {
      make();
    } catch (const ordering::Interrupted&) {
      drop();
      factorization.report.status = Status::kInterrupted;
      factorization.report.message = "interrupted";
      return Status::kInterrupted;
    }
    return Status::kOk;
  }

  /// The costs by which an analysis would merge fronts and choose the ordering if it were made now:
  /// those of the caller's first device, or of the engine that the options ask for.
  solver::AnalysisCosts costs() const {
    if (!factorization.callers.empty()) {
      return solver::analysis_costs_on(factorization.callers.front());
    }
    return solver::analysis_costs(options, wants_double_factor());
  }

  bool wants_double_factor() const { return solver::wants_double_factor<T>(options); }

  /// Whether an analysis of the same pattern with the present options would give the present
  /// analysis.  To look up the costs of a device takes time.  Therefore costs are compared only
  /// when the options do not name the same devices as the key; when the costs are equal, the key
  /// takes the present engine, so that the next call need not compare them if devices are named.
  bool is_analysed_as_asked() {
    AnalysisKey& key = analysis_key;
    if (!analysis || key.options != options.analysis) return false;
    if (!key.costs) return true;
    const solver::EngineRequest request = solver::engine_request(options);
    const bool is_for_callers = !factorization.callers.empty();
    // The names of devices do not determine the costs in two cases: for a caller's device, and when
    // the options ask for the first GPU, which depends on the precision.
    const bool is_named =
        !is_for_callers && (options.engine != EngineKind::kOpenCl || !options.devices.empty());
    if (is_named && !key.is_for_callers && key.engine.names_same_devices(request)) return true;
    if (*key.costs != costs()) return false;
    key.engine = request;
    key.is_for_callers = is_for_callers;
    return true;
  }

  /// Throws InvalidArgument when Options::analysis has changed since the analysis.
  void check_unchanged(const char* call) const {
    if (analysis_key.options == options.analysis) return;
    throw InvalidArgument(std::string(call) +
                          ": Options::analysis has changed since the analysis; factorize() "
                          "analyses again");
  }

  /// The key of an analysis with the present options.
  AnalysisKey key_of(std::optional<solver::AnalysisCosts> by) const {
    return {options.analysis, solver::engine_request(options), !factorization.callers.empty(), by};
  }

  /// Replaces the analysis and its key.
  void keep(std::unique_ptr<solver::Analysis> made, AnalysisKey key) noexcept {
    analysis = std::move(made);
    analysis_key = std::move(key);
  }

  /// Analyses the pattern map.lower, for the present options.  Drops the former analysis and
  /// factor.
  Status analyze(solver::InputMap&& map) {
    solver::check_permutation(options, map.lower.n);
    return analyze_by([&] {
      drop();
      const solver::AnalysisCosts by = costs();
      keep(solver::analyze(std::move(map), options, wants_double_factor(), by), key_of(by));
    });
  }

  /// Reads from `stream` an analysis that was saved for the pattern map.lower.  The present
  /// analysis and factor are dropped only after all bytes have been read and checked.
  Status load(solver::InputMap&& map, solver::ByteStream&& stream) {
    return analyze_by([&] {
      const CscPatternView lower = map.lower.view();
      auto saved = solver::read_analysis(std::move(stream), &lower, solver::num_threads(options),
                                         options.cancel);
      auto restored =
          solver::restore(std::move(map), std::move(saved), options, wants_double_factor());
      AnalysisKey key = key_of(std::nullopt);
      drop();
      keep(std::move(restored), std::move(key));
    });
  }

  /// Reads from the file `path` an analysis and a factor.  The present analysis and factor are
  /// dropped only after the whole file has been read and checked.
  /// @param map     map of the matrix; the call moves from *map.  Null: the matrix is not known.
  /// @param values  Accepted::values of the matrix.
  Status load_factor(const std::string& path, solver::InputMap* map,
                     std::span<const T> values = {}) {
    const QuietArithmetic quiet;
    return analyze_by([&] {
      const Timer timer;
      const solver::FactorFile file(path, options.cancel);
      const int threads = solver::num_threads(options);
      std::unique_ptr<solver::Analysis> restored;
      if (map == nullptr) {
        restored = solver::restore_for_solves(file.read_analysis(nullptr, threads), options,
                                              file.is_double());
      } else {
        const CscPatternView lower = map->lower.view();
        auto saved = file.read_analysis(&lower, threads);
        file.check_values(values);
        restored = solver::restore(std::move(*map), std::move(saved), options, file.is_double());
      }
      solver::Factorization<T> loaded = solver::load_factor<T>(file, *restored, options);
      if (map != nullptr) take_values(values, loaded.values);
      loaded.report.load_s = timer.seconds();
      AnalysisKey key = key_of(std::nullopt);
      drop();
      loaded.callers = std::move(factorization.callers);
      loaded.log = factorization.log;
      factorization = std::move(loaded);
      keep(std::move(restored), std::move(key));
      judge_condition();
    });
  }

  /// Values of a matrix that a factorization would not refuse.
  struct Accepted {
    /// Values of the lower triangle, in the library's form: the caller's own values if these have
    /// the library's form, otherwise `converted`.
    std::span<const T> values;
    /// Largest asymmetry of a pair of entries (solver/asymmetry.hpp) when the caller gives the
    /// whole matrix; nullopt when the caller gives one triangle.
    std::optional<double> asymmetry;
  };

  /// Throws InvalidArgument for values and options that a factorization would refuse.  Changes
  /// nothing but `converted`, so a refused call leaves the solver as it was.
  /// Throws InvalidArgument, std::bad_alloc.
  Accepted accept_values(const solver::InputMap& map, std::span<const T> values) {
    const QuietArithmetic quiet;
    const int threads = solver::num_threads(options);
    Accepted accepted;
    if (map.identity) {
      solver::check_values(map, values, threads);
      accepted.values = values.first(static_cast<std::size_t>(map.num_input_entries()));
    } else {
      accepted.asymmetry = solver::map_values(map, values, threads, converted);
      accepted.values = converted;
    }
    solver::check_unscaled(map.lower.view(), accepted.values, options);
    const bool is_open =
        !factorization.callers.empty() ||
        solver::has_devices_open(factorization.choice, options, wants_double_factor());
    if (!is_open) solver::check_devices(options, wants_double_factor());
    return accepted;
  }

  /// Copies Accepted::values to `to`; `converted` is exchanged instead.  So two copies of A's
  /// values exist only if the values had to be converted.
  void take_values(std::span<const T> values, std::vector<T>& to) {
    if (!values.empty() && values.data() == converted.data()) {
      to.swap(converted);
      return;
    }
    constexpr Offset kParallelEntries = 200000;
    const Offset count = std::ssize(values);
    to.resize(values.size());
    parallel_for(count, count > kParallelEntries ? solver::num_threads(options) : 1,
                 [&](Offset p) { to[p] = values[p]; });
  }

  /// Factors the matrix.  Precondition: there is an analysis with the pattern of the matrix.
  /// @param values  values of the caller's matrix, in the order in which it was analysed.
  Status factorize(std::span<const T> values) {
    const QuietArithmetic quiet;
    solver::Factorization<T>& f = factorization;
    const Status before = f.report.status;
    f.report.status = Status::kInterrupted;  // There is no factor until the call has succeeded.
    Accepted accepted;
    try {
      accepted = accept_values(analysis->map, values);
    } catch (const InvalidArgument&) {
      f.report.status = before;
      throw;
    }
    take_values(accepted.values, f.values);
    solver::factorize(*analysis, options, f);
    f.report.asymmetry = accepted.asymmetry;
    if (f.report.status == Status::kOk && options.factor.estimate_condition) check_condition();
    return f.report.status;
  }

  /// Estimates the condition of the matrix that was factored last, and judges the estimate.
  void check_condition() {
    FactorReport& report = factorization.report;
    const Timer timer;
    report.rcond = solver::estimate_rcond(*analysis, factorization, options);
    report.condition_s = timer.seconds();
    solver::report_engine(factorization);
    if (options.cancel != nullptr && options.cancel->load()) {
      report.status = Status::kInterrupted;
      report.message = "interrupted";
      return;
    }
    judge_condition();
  }

  /// Sets the status kSingular when the estimated reciprocal condition is below 2 eps.
  void judge_condition() {
    FactorReport& report = factorization.report;
    if (!report.rcond) return;
    // A factor that fell back to double is judged in double.
    const bool single = !kIsDouble<T> || (options.factor.precision == Precision::kSingle &&
                                          report.precision == Precision::kSingle);
    const double eps = single ? static_cast<double>(std::numeric_limits<float>::epsilon())
                              : std::numeric_limits<double>::epsilon();
    if (*report.rcond >= 2 * eps) return;
    report.status = Status::kSingular;
    report.message =
        "singular to working precision: the reciprocal condition of the scaled matrix is " +
        general_text(*report.rcond, 2) +
        "; the solution has no correct digit in the directions that the matrix nearly annuls (a "
        "body without supports, a pure Neumann problem?)";
  }

  /// Throws InvalidArgument when the shapes of B and X do not fit, or B is not finite.
  /// @param call  name of the public function, for messages.
  void check_shapes(const char* call, const DenseView<const T>& b, const DenseView<T>& x) const {
    const Index n = analysis->symbolic.n;
    // Texts are made only for a refusal: making them takes longer than to solve a small system.
    const auto refuse = [call](const std::string& what) {
      throw InvalidArgument(std::string(call) + ": " + what);
    };
    const auto check = [&](const char* name, const DenseView<const T>& of) {
      if (of.nrow != n) {
        refuse(std::string(name) + " has " + std::to_string(of.nrow) + " rows, the matrix has " +
               std::to_string(n));
      }
      if (of.ld < of.nrow) {
        refuse(std::string(name) + " has leading dimension " + std::to_string(of.ld) +
               ", must be at least " + std::to_string(of.nrow));
      }
      if (of.ncol > 0 && of.data == nullptr) {
        refuse(std::string(name) + " has a null pointer for its entries");
      }
    };
    check("b", b);
    check("x", x);
    if (b.ncol != x.ncol || b.ncol < 0) {
      refuse("b has " + std::to_string(b.ncol) + " columns, x has " + std::to_string(x.ncol));
    }
    // Blocks of columns are solved for one after another: X must not cover columns of B to come.
    if (b.ncol > 1 && b.data == x.data && b.ld != x.ld) {
      refuse("b and x are the same array, but have leading dimensions " + std::to_string(b.ld) +
             " and " + std::to_string(x.ld));
    }
    for (Index r = 0; r < b.ncol; ++r) {
      if (std::isfinite(greatest_magnitude(b.column(r), n))) continue;
      const T* const bad =
          std::find_if(b.column(r), b.column(r) + n, [](T value) { return !std::isfinite(value); });
      refuse("b(" + std::to_string(bad - b.column(r)) + ", " + std::to_string(r) +
             ") is not finite");
    }
  }

  /// Calls f(engine), if there is an engine: it is an Engine<float> or an Engine<double>.
  template <class F>
  void with_engine(const F& f) const {
    solver::with_engine(factorization, f);
  }
};

}  // namespace clchol
