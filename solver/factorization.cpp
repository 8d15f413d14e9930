#include "solver/factorization.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/number_text.hpp"
#include "base/team.hpp"
#include "base/timer.hpp"
#include "solver/device/replaceable_engine.hpp"
#include "solver/out_of_core/choice.hpp"

namespace clchol::solver {
namespace {

/// Ratio of the greatest to the least diagonal entry above which Scaling::kAuto scales.
constexpr double kScaleFrom = 1e4;
/// Range of diagonal entries.
struct Range {
  double least, greatest;
  bool has(double from, double to) const { return least <= from && to <= greatest; }
};
/// Diagonal that is factored in float without scaling: half of float's range of exponents.  The
/// other half is left for numbers that arise in elimination and solves.
constexpr Range kFloatRange{1e-18, 1e18};
/// Diagonal that is factored in double without scaling, unless the caller forbids scaling: a third
/// of double's range of exponents, so that residuals and norms stay within the range too.
constexpr Range kDoubleRange{1e-100, 1e100};
/// Diagonal that kernels in double can factor: products of two entries stay within the range.
constexpr Range kUnscaledRange{0x1p-500, 0x1p500};

/// Rows above which several threads pay off.
constexpr Index kParallelRows = 60000;

std::string number(double value) { return general_text(value, 6); }

/// Value of the diagonal entry of column j.  For an absent entry, returns 0 and sets `present` to
/// false.
template <class T>
T diagonal_entry(const CscPatternView& lower, std::span<const T> values, Index j, bool& present) {
  const Offset p = lower.colptr[j];
  present = p < lower.colptr[j + 1] && lower.rowind[p] == j;
  return present ? values[p] : T{0};
}

void refuse_pivot(FactorReport& report, Index row, double pivot, double diagonal,
                  std::string message) {
  report.status = Status::kNotPositiveDefinite;
  report.row = row;
  report.pivot = pivot;
  report.diagonal = diagonal;
  report.message = std::move(message);
}

/// Range of the diagonal entries of a matrix.
struct DiagonalRange {
  Index first_bad = kNone;  // First row whose diagonal entry is not positive; kNone: no such row.
  double least = HUGE_VAL, greatest = 0;
};

template <class T>
DiagonalRange range_of_diagonal(const CscPatternView& lower, std::span<const T> values,
                                int threads) {
  const auto range_of_block = [&](Offset begin, Offset end) {
    DiagonalRange range;
    for (auto j = static_cast<Index>(begin); j < static_cast<Index>(end); ++j) {
      bool present = false;
      const double d = static_cast<double>(diagonal_entry<T>(lower, values, j, present));
      if (!(d > 0) && range.first_bad == kNone) range.first_bad = j;
      range.least = std::min(range.least, d);
      range.greatest = std::max(range.greatest, d);
    }
    return range;
  };
  const auto join = [](const DiagonalRange& a, const DiagonalRange& b) {
    const bool a_first =
        b.first_bad == kNone || (a.first_bad != kNone && a.first_bad < b.first_bad);
    return DiagonalRange{a_first ? a.first_bad : b.first_bad, std::min(a.least, b.least),
                         std::max(a.greatest, b.greatest)};
  };
  return parallel_reduce(lower.n, lower.n > kParallelRows ? threads : 1, DiagonalRange{},
                         range_of_block, join);
}

std::string range_text(const DiagonalRange& diagonal) {
  return "the diagonal, from " + number(diagonal.least) + " to " + number(diagonal.greatest);
}

/// Reports that the matrix is not positive definite, because of the diagonal entry of `row`.
template <class T>
void refuse_diagonal(const CscPatternView& lower, const std::vector<T>& values, Index row,
                     FactorReport& report) {
  bool present = false;
  const auto d = static_cast<double>(diagonal_entry<T>(lower, values, row, present));
  refuse_pivot(report, row, d, d,
               "not positive definite: row " + std::to_string(row) +
                   (present ? " has diagonal entry " + number(d) : " has no diagonal entry"));
}

/// Whether Scaling::kAuto scales a matrix with this least and this greatest diagonal entry.
bool wants_scaling(double least, double greatest, bool double_factor) {
  if (greatest > kScaleFrom * least) return true;
  return !(double_factor ? kDoubleRange : kFloatRange).has(least, greatest);
}

/// Chooses s_i = 2^-round(log2(a_ii) / 2), so that s_i a_ii s_i lies in [1/2, 2].
/// @return the diagonal of S.  Length n, or 0: the matrix is not scaled.
template <class T>
std::vector<double> choose_scale(const CscPatternView& lower, const std::vector<T>& values,
                                 const DiagonalRange& diagonal, Scaling scaling,
                                 bool double_factor) {
  if (scaling == Scaling::kNever) return {};
  if (scaling == Scaling::kAuto &&
      !wants_scaling(diagonal.least, diagonal.greatest, double_factor)) {
    return {};
  }
  std::vector<double> scale(lower.n);
  for (Index j = 0; j < lower.n; ++j) {
    bool present = false;
    const double d = static_cast<double>(diagonal_entry<T>(lower, values, j, present));
    scale[j] = std::ldexp(1.0, -static_cast<int>(std::lround(std::log2(d) / 2)));
  }
  return scale;
}

/// The values of S A S in the factor's precision.
template <class F, class T>
std::vector<F> scaled_values(const CscPatternView& lower, const std::vector<T>& values,
                             const std::vector<double>& scale, int threads) {
  std::vector<F> result(values.size());
  parallel_for(lower.n, lower.nnz() > 100000 ? threads : 1, [&](Index j) {
    for (Offset p = lower.colptr[j]; p < lower.colptr[j + 1]; ++p) {
      double value = static_cast<double>(values[p]);
      // Multiply by one factor after the other: their product may leave the range of double.
      if (!scale.empty()) value = value * scale[j] * scale[lower.rowind[p]];
      result[p] = static_cast<F>(value);
    }
  });
  return result;
}

/// Factors the values of f, scaled by f.scale and converted to the factor's precision.
template <class F, class T>
numeric::FactorResult factor_values(const Analysis& analysis, const Factorization<T>& f,
                                    const numeric::Control& control, Engine<F>& engine) {
  if constexpr (std::is_same_v<F, T>) {
    if (f.scale.empty()) return engine.factorize(f.values, control);
  }
  const std::vector<F> scaled =
      scaled_values<F>(analysis.map.lower.view(), f.values, f.scale, control.threads);
  return engine.factorize(scaled, control);
}

/// Whether the CPU may replace a failing device: only when the library has chosen the device, not
/// when the options name it or the caller has opened it.
template <class T>
bool is_replaceable(const Options& options, const Factorization<T>& f) {
  return f.callers.empty() && chooses_engine(options);
}

template <class F, class T>
std::unique_ptr<Engine<F>> make_engine(const Analysis& analysis, const Options& options,
                                       const Factorization<T>& f) {
  const auto on_cpu = [&analysis, &options, &f] {
    return make_cpu_engine<F>(analysis, options, !std::is_same_v<F, T> || !f.scale.empty());
  };
  if (f.choice.devices.empty()) return on_cpu();
  const auto on_device = [&] { return make_device_engine<F>(f.choice.devices, analysis, options); };
  if (!is_replaceable(options, f)) return on_device();
  return std::make_unique<ReplaceableEngine<F>>(
      on_device, on_cpu, [&analysis, &options, &f](Engine<F>& engine) {
        return factor_values(analysis, f, control_of(options), engine);
      });
}

constexpr std::string_view kEndedByProgress = "ended by the progress function";

template <class T>
class Factorizer {
 public:
  Factorizer(const Analysis& analysis, const Options& options, Factorization<T>& f)
      : analysis_(analysis), options_(options), f_(f), lower_(analysis.map.lower.view()) {}

  void run() {
    f_.report = {};
    f_.solves->reset();
    f_.report.status = Status::kInterrupted;  // Stays so when an exception ends the call.
    f_.report.threads = num_threads(options_);
    const DiagonalRange diagonal = range_of_diagonal<T>(lower_, f_.values, f_.report.threads);
    if (diagonal.first_bad != kNone) {
      refuse_diagonal(lower_, f_.values, diagonal.first_bad, f_.report);
      return;
    }
    f_.exponent = (std::ilogb(diagonal.least) + std::ilogb(diagonal.greatest)) / 2;
    bool double_factor = wants_double_factor<T>(options_);
    if (!double_factor && options_.factor.scaling == Scaling::kNever &&
        !kFloatRange.has(diagonal.least, diagonal.greatest)) {
      double_factor = f_.report.fell_back_to_double = true;
      f_.report.precision_reason =
          range_text(diagonal) +
          ", unscaled (Options::factor.scaling is kNever), is beyond single "
          "precision";
    }
    f_.scale = choose_scale(lower_, f_.values, diagonal, options_.factor.scaling, double_factor);
    f_.report.scaled = !f_.scale.empty();
    if (double_factor) {
      factor_in<double>();
      return;
    }
    factor_in<float>();
    if (f_.report.status != Status::kNotPositiveDefinite) return;
    // A positive definite matrix may fail in single precision.  So it is factored again in double,
    // unless it is on a device without double precision that the CPU may not replace.
    if (!f_.choice.devices.empty() && !is_replaceable(options_, f_) &&
        !have_double(f_.choice.devices)) {
      f_.report.message += "; this was in single precision, the device has no other";
      return;
    }
    const double spent = f_.report.factor_s;
    f_.report.fell_back_to_double = true;
    f_.report.precision_reason = "in single precision: " + f_.report.message;
    factor_in<double>();
    f_.report.factor_s += spent;
  }

 private:
  template <class F>
  void factor_in() {
    f_.report.precision = kPrecisionOf<F>;
    Engine<F>& engine = obtain_engine<F>(analysis_, options_, f_);
    numeric::Control control = control_of(options_);
    if (control.progress != nullptr) {
      f_.report.message.reserve(kEndedByProgress.size());
      control.progress = &Factorizer::report_progress;
      control.progress_data = this;
    }
    const Timer timer;
    const numeric::FactorResult result = factor_values(analysis_, f_, control, engine);
    f_.report.factor_s = timer.seconds();
    report_engine(f_);
    report_result<T>(
        analysis_, result, [this](Index row) { return diagonal_of(row); }, f_);
  }

  /// Calls the caller's progress function.  When that throws, the report says what ended the call.
  static void report_progress(void* data, double done, double total) {
    auto& own = *static_cast<Factorizer*>(data);
    try {
      own.options_.progress(own.options_.progress_data, done, total);
    } catch (...) {
      // The text has its room already: an exception here would replace the caller's.
      own.f_.report.message = kEndedByProgress;
      own.f_.report.status = Status::kInterrupted;
      throw;
    }
  }

  double diagonal_of(Index row) const {
    bool present = false;
    return static_cast<double>(diagonal_entry<T>(lower_, f_.values, row, present));
  }

  const Analysis& analysis_;
  const Options& options_;
  Factorization<T>& f_;
  CscPatternView lower_;
};

}  // namespace

numeric::Control control_of(const Options& options) {
  numeric::Control control;
  control.threads = num_threads(options);
  control.cancel = options.cancel;
  control.progress = options.progress;
  control.progress_data = options.progress_data;
  return control;
}

template <class F, class T>
Engine<F>& obtain_engine(const Analysis& analysis, const Options& options, Factorization<T>& f) {
  using Held = std::unique_ptr<Engine<F>>;
  const Timer timer;
  const EngineRequest request = engine_request(options);
  // A loaded factor is on the CPU, even if the caller has named a queue: then it is replaced.
  const bool is_callers = f.callers.empty() || !f.choice.devices.empty();
  if (!std::holds_alternative<Held>(f.engine) || f.choice.request != request || !is_callers) {
    f.engine = std::monostate{};  // Frees the old engine's memory before the new one allocates.
    f.choice = f.callers.empty() ? choose_engine(analysis, options, kIsDouble<F>, f.choice)
                                 : EngineChoice{request, f.callers, "the caller's queue is on it"};
    Held made = make_engine<F>(analysis, options, f);
    made->set_log(f.log);
    f.engine = std::move(made);
  }
  f.report.setup_s += timer.seconds();
  return *std::get<Held>(f.engine);
}

template <class T>
EngineKind engine_kind(const Factorization<T>& f) {
  bool on_device = !f.choice.devices.empty();
  with_engine(f, [&](const auto& engine) { on_device = on_device && engine.failure().empty(); });
  return on_device ? EngineKind::kOpenCl : EngineKind::kCpu;
}

template <class T>
void report_engine(Factorization<T>& f) {
  FactorReport& report = f.report;
  report.engine = engine_kind(f);
  report.engine_reason = f.choice.reason;
  report.device = report.engine == EngineKind::kOpenCl ? names_of(f.choice.devices) : std::string();
  with_engine(f, [&](const auto& engine) {
    const std::string failure = engine.failure();
    if (!failure.empty()) report.engine_reason = "the device failed: " + failure;
    report.predicted_device_bytes = engine.predicted_device_bytes();
    report.peak_device_bytes = engine.peak_device_bytes();
    report.device_setup = engine.device_setup();
    report.file_bytes = engine.file_bytes();
  });
}

template <class T>
void report_result(const Analysis& analysis, const numeric::FactorResult& result,
                   const std::function<double(Index)>& diagonal_of, Factorization<T>& f) {
  FactorReport& report = f.report;
  report.status = result.status;
  report.message.clear();
  report.row = kNone;  // Clears the bad pivot of an attempt in single precision.
  report.pivot = report.diagonal = 0;
  if (result.status == Status::kInterrupted) report.message = "interrupted";
  if (result.status != Status::kNotPositiveDefinite) return;
  const Index row = analysis.symbolic.permutation.perm[result.column];
  const double s = f.scale.empty() ? 1.0 : f.scale[row];
  const double diagonal = diagonal_of(row);
  const double pivot = result.pivot / s / s;
  refuse_pivot(report, row, pivot, diagonal,
               "not positive definite: the pivot of row " + std::to_string(row) + " is " +
                   number(pivot) + ", its diagonal entry " + number(diagonal));
}

template <class T>
void check_unscaled(const CscPatternView& lower, std::span<const T> values,
                    const Options& options) {
  if (options.factor.scaling != Scaling::kNever) return;
  const DiagonalRange diagonal = range_of_diagonal(lower, values, num_threads(options));
  if (diagonal.first_bad != kNone) return;  // factorize() reports this matrix.
  if (kUnscaledRange.has(diagonal.least, diagonal.greatest)) return;
  throw InvalidArgument("Options::factor.scaling is kNever, but " + range_text(diagonal) +
                        ", leaves what can be factored unscaled, " + number(kUnscaledRange.least) +
                        " to " + number(kUnscaledRange.greatest));
}

template <class T>
void factorize(const Analysis& analysis, const Options& options, Factorization<T>& f) {
  Factorizer<T>(analysis, options, f).run();
}

template void factorize(const Analysis&, const Options&, Factorization<float>&);
template void factorize(const Analysis&, const Options&, Factorization<double>&);
template void check_unscaled(const CscPatternView&, std::span<const float>, const Options&);
template void check_unscaled(const CscPatternView&, std::span<const double>, const Options&);
template Engine<float>& obtain_engine(const Analysis&, const Options&, Factorization<float>&);
template Engine<double>& obtain_engine(const Analysis&, const Options&, Factorization<double>&);
template EngineKind engine_kind(const Factorization<float>&);
template EngineKind engine_kind(const Factorization<double>&);
template void report_engine(Factorization<float>&);
template void report_engine(Factorization<double>&);
template void report_result(const Analysis&, const numeric::FactorResult&,
                            const std::function<double(Index)>&, Factorization<float>&);
template void report_result(const Analysis&, const numeric::FactorResult&,
                            const std::function<double(Index)>&, Factorization<double>&);

}  // namespace clchol::solver
