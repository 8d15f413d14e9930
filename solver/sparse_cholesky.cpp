#include "clchol/clchol.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "base/timer.hpp"
#include "ordering/ordering.hpp"
#include "solver/analysis_file.hpp"
#include "solver/condition.hpp"
#include "solver/refine.hpp"
#include "solver/scaled_solve.hpp"

namespace clchol {

template <class T>
struct SparseCholesky<T>::Impl {
  Options options;
  std::unique_ptr<solver::Analysis> analysis;
  solver::Factorization<T> factorization;
  AnalysisReport no_analysis;

  const solver::Analysis& analysed(const char* call) const {
    if (!analysis) throw InvalidArgument(std::string(call) + ": no matrix has been analysed");
    return *analysis;
  }

  const solver::Factorization<T>& factored(const char* call) const {
    if (!factorization.has_factor()) {
      throw InvalidArgument(std::string(call) + ": no matrix has been factored");
    }
    return factorization;
  }

  void drop() {
    factorization = {};
    analysis.reset();
  }

  /// Calls make(), which makes the analysis.
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

  Status analyze(solver::InputMap&& map) {
    return analyze_by([&] {
      drop();
      analysis = solver::analyze(std::move(map), options, solver::wants_double_factor<T>(options));
    });
  }

  /// What is there is dropped when the bytes have been read and found good.
  Status load(solver::InputMap&& map, solver::ByteStream&& stream) {
    return analyze_by([&] {
      auto saved = solver::read_analysis(std::move(stream), map.lower.view(),
                                         solver::num_threads(options), options.cancel);
      auto restored = solver::restore(std::move(map), std::move(saved), options,
                                      solver::wants_double_factor<T>(options));
      drop();
      analysis = std::move(restored);
    });
  }

  /// Factors values given in the order of the analysed matrix.
  Status factorize(std::span<const T> values) {
    solver::Factorization<T>& f = factorization;
    f.report.status = Status::kInterrupted;  // Until it is through, there is no factor.
    solver::map_values(analysis->map, values, solver::num_threads(options), f.values);
    solver::factorize(*analysis, options, f);
    if (f.report.status == Status::kOk && options.estimate_condition) check_condition();
    return f.report.status;
  }

  void check_condition() {
    FactorReport& report = factorization.report;
    const Timer timer;
    report.rcond = solver::estimate_rcond(*analysis, factorization, options);
    report.condition_s = timer.seconds();
    if (options.cancel != nullptr && options.cancel->load()) {
      report.status = Status::kInterrupted;
      report.message = "interrupted";
      return;
    }
    // A factor that fell back to double is judged in double.
    const bool single = sizeof(T) < sizeof(double) || (options.precision == Precision::kSingle &&
                                                       report.precision == Precision::kSingle);
    const double eps = single ? static_cast<double>(std::numeric_limits<float>::epsilon())
                              : std::numeric_limits<double>::epsilon();
    if (report.rcond >= 2 * eps) return;
    std::ostringstream message;
    message.precision(2);
    message << "singular to working precision: the reciprocal condition of the scaled matrix is "
            << report.rcond
            << "; the solution has no correct digit in the directions that the matrix nearly "
               "annuls (a body without supports, a pure Neumann problem?)";
    report.status = Status::kSingular;
    report.message = message.str();
  }

  void check_shapes(const DenseView<const T>& b, const DenseView<T>& x) const {
    const Index n = analysis->map.lower.n;
    auto check = [n](const char* name, Index nrow, Offset ld) {
      if (nrow != n) {
        throw InvalidArgument(std::string("solve: ") + name + " has " + std::to_string(nrow) +
                              " rows, the matrix has " + std::to_string(n));
      }
      if (ld < nrow) {
        throw InvalidArgument(std::string("solve: ") + name + " has leading dimension " +
                              std::to_string(ld) + ", must be at least " + std::to_string(nrow));
      }
    };
    check("b", b.nrow, b.ld);
    check("x", x.nrow, x.ld);
    if (b.ncol != x.ncol || b.ncol < 0) {
      throw InvalidArgument("solve: b has " + std::to_string(b.ncol) + " columns, x has " +
                            std::to_string(x.ncol));
    }
    for (Index r = 0; r < b.ncol; ++r) {
      for (Index i = 0; i < n; ++i) {
        if (std::isfinite(b(i, r))) continue;
        throw InvalidArgument("solve: b(" + std::to_string(i) + ", " + std::to_string(r) +
                              ") is not finite");
      }
    }
  }

  /// Calls f(engine) for the engine that holds the factor.
  template <class F>
  void with_engine(const F& f) const {
    std::visit(
        [&](const auto& engine) {
          using E = std::decay_t<decltype(engine)>;
          if constexpr (!std::is_same_v<E, std::monostate>) f(engine);
        },
        factorization.engine);
  }
};

template <class T>
// NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved, which a template hides.
SparseCholesky<T>::SparseCholesky(Options options) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
}
template <class T>
SparseCholesky<T>::~SparseCholesky() = default;
template <class T>
SparseCholesky<T>::SparseCholesky(SparseCholesky&&) noexcept = default;
template <class T>
SparseCholesky<T>& SparseCholesky<T>::operator=(SparseCholesky&&) noexcept = default;

template <class T>
template <class Ptr, class Ind>
Status SparseCholesky<T>::analyze(const SparseView<T, Ptr, Ind>& a) {
  return impl_->analyze(solver::make_input_map(a.n, a.colptr, a.rowind, a.triangle));
}

template <class T>
void SparseCholesky<T>::save_analysis(const std::string& path) const {
  solver::save_analysis(impl_->analysed("save_analysis"), path,
                        solver::num_threads(impl_->options));
}

template <class T>
std::vector<std::byte> SparseCholesky<T>::save_analysis() const {
  std::vector<std::byte> bytes;
  solver::write_analysis(impl_->analysed("save_analysis"), [&](std::string_view piece) {
    const auto* const data = reinterpret_cast<const std::byte*>(piece.data());
    bytes.insert(bytes.end(), data, data + piece.size());
  });
  return bytes;
}

template <class T>
template <class Ptr, class Ind>
Status SparseCholesky<T>::load_analysis(const SparseView<T, Ptr, Ind>& a, const std::string& path) {
  return impl_->load(solver::make_input_map(a.n, a.colptr, a.rowind, a.triangle),
                     solver::ByteStream::open(path));
}

template <class T>
template <class Ptr, class Ind>
Status SparseCholesky<T>::load_analysis(const SparseView<T, Ptr, Ind>& a,
                                        std::span<const std::byte> bytes) {
  const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return impl_->load(solver::make_input_map(a.n, a.colptr, a.rowind, a.triangle),
                     solver::ByteStream::from_memory(content, "saved analysis"));
}

template <class T>
template <class Ptr, class Ind>
Status SparseCholesky<T>::factorize(const SparseView<T, Ptr, Ind>& a) {
  if (!impl_->analysis ||
      !solver::is_same_pattern(impl_->analysis->map, a.n, a.colptr, a.rowind, a.triangle)) {
    const Status status = analyze(a);
    if (status != Status::kOk) return status;
  }
  return impl_->factorize(a.values);
}

template <class T>
template <class Ptr, class Ind>
Status SparseCholesky<T>::refactorize(const SparseView<T, Ptr, Ind>& a) {
  const solver::Analysis& analysis = impl_->analysed("refactorize");
  if (!solver::is_same_pattern(analysis.map, a.n, a.colptr, a.rowind, a.triangle)) {
    throw InvalidArgument("refactorize: the pattern is not the one that was analysed");
  }
  return impl_->factorize(a.values);
}

template <class T>
Status SparseCholesky<T>::refactorize(std::span<const T> values) {
  const solver::Analysis& analysis = impl_->analysed("refactorize");
  if (static_cast<Offset>(values.size()) != analysis.map.num_input_entries()) {
    throw InvalidArgument("refactorize: " + std::to_string(values.size()) +
                          " values, the analysed matrix has " +
                          std::to_string(analysis.map.num_input_entries()));
  }
  return impl_->factorize(values);
}

template <class T>
SolveReport SparseCholesky<T>::solve(const DenseView<const T>& b, const DenseView<T>& x) const {
  const solver::Factorization<T>& f = impl_->factored("solve");
  impl_->check_shapes(b, x);
  return solver::solve_refined(*impl_->analysis, f, impl_->options, b, x);
}

template <class T>
SolveReport SparseCholesky<T>::solve(std::span<const T> b, std::span<T> x) const {
  const Index nb = static_cast<Index>(b.size()), nx = static_cast<Index>(x.size());
  return solve(DenseView<const T>{b.data(), nb, 1, nb}, DenseView<T>{x.data(), nx, 1, nx});
}

template <class T>
void SparseCholesky<T>::solve_part(Part part, const DenseView<T>& x) const {
  const solver::Factorization<T>& f = impl_->factored("solve_part");
  impl_->check_shapes(x, x);
  const std::vector<Index>& perm = impl_->analysis->symbolic.permutation.perm;
  const Index n = x.nrow;
  auto scale_of = [&](Index i) { return f.scale.empty() ? T{1} : static_cast<T>(f.scale[i]); };
  if (part == Part::kPermute || part == Part::kUnpermute) {
    std::vector<T> copy(n);
    for (Index r = 0; r < x.ncol; ++r) {
      std::copy(x.column(r), x.column(r) + n, copy.begin());
      for (Index k = 0; k < n; ++k) {
        const Index i = perm[k];
        if (part == Part::kPermute) {
          x(k, r) = scale_of(i) * copy[i];
        } else {
          x(i, r) = scale_of(i) * copy[k];
        }
      }
    }
    return;
  }
  numeric::Control control = solver::control_of(impl_->options);
  control.progress = nullptr;
  impl_->with_engine([&]<class F>(const solver::Engine<F>& engine) {
    AlignedBuffer<F> y(Offset{n} * x.ncol + numeric::dense::kReadSlack);
    for (Index r = 0; r < x.ncol; ++r) {
      for (Index k = 0; k < n; ++k) y[k + Offset{r} * n] = static_cast<F>(x(k, r));
    }
    engine.solve({y.data(), n, x.ncol, n}, part == Part::kForward, part == Part::kBackward,
                 control);
    for (Index r = 0; r < x.ncol; ++r) {
      for (Index k = 0; k < n; ++k) x(k, r) = static_cast<T>(y[k + Offset{r} * n]);
    }
  });
}

template <class T>
double SparseCholesky<T>::log_determinant() const {
  const solver::Factorization<T>& f = impl_->factored("log_determinant");
  // det(A) = det(L)^2 / det(S)^2.
  double sum = 0;
  impl_->with_engine([&](const auto& engine) {
    for (Index j = 0; j < impl_->analysis->symbolic.n; ++j) {
      sum += std::log(static_cast<double>(engine.factor().diagonal(j)));
    }
  });
  for (double s : f.scale) sum -= std::log(s);
  return 2 * sum;
}

template <class T>
std::vector<T> SparseCholesky<T>::diagonal() const {
  static_cast<void>(impl_->factored("diagonal"));
  std::vector<T> result(impl_->analysis->symbolic.n);
  impl_->with_engine([&](const auto& engine) {
    for (Index j = 0; j < impl_->analysis->symbolic.n; ++j) {
      result[j] = static_cast<T>(engine.factor().diagonal(j));
    }
  });
  return result;
}

template <class T>
std::vector<Index> SparseCholesky<T>::permutation() const {
  return impl_->analysed("permutation").symbolic.permutation.perm;
}

template <class T>
AssemblyTree SparseCholesky<T>::assembly_tree() const {
  const symbolic::SymbolicFactor& factor = impl_->analysed("assembly_tree").symbolic;
  AssemblyTree tree{factor.super_ptr, factor.super_parent, std::vector<Index>(factor.nsuper)};
  for (Index s = 0; s < factor.nsuper; ++s) tree.nrow[s] = factor.nrow(s);
  return tree;
}

template <class T>
std::vector<T> SparseCholesky<T>::scaling() const {
  const solver::Factorization<T>& f = impl_->factored("scaling");
  if (f.scale.empty()) return std::vector<T>(impl_->analysis->symbolic.n, T{1});
  return std::vector<T>(f.scale.begin(), f.scale.end());
}

template <class T>
const AnalysisReport& SparseCholesky<T>::analysis_report() const {
  return impl_->analysis ? impl_->analysis->report : impl_->no_analysis;
}
template <class T>
const FactorReport& SparseCholesky<T>::factor_report() const {
  return impl_->factorization.report;
}
template <class T>
const Options& SparseCholesky<T>::options() const {
  return impl_->options;
}
template <class T>
Options& SparseCholesky<T>::options() {
  return impl_->options;
}

const char* version() noexcept { return CLCHOL_VERSION; }

template class SparseCholesky<float>;
template class SparseCholesky<double>;

#define CLCHOL_INSTANTIATE(T, Ptr, Ind)                                                          \
  template CLCHOL_EXPORT Status SparseCholesky<T>::load_analysis(const SparseView<T, Ptr, Ind>&, \
                                                                 const std::string&);            \
  template CLCHOL_EXPORT Status SparseCholesky<T>::load_analysis(const SparseView<T, Ptr, Ind>&, \
                                                                 std::span<const std::byte>);    \
  template CLCHOL_EXPORT Status SparseCholesky<T>::analyze(const SparseView<T, Ptr, Ind>&);      \
  template CLCHOL_EXPORT Status SparseCholesky<T>::factorize(const SparseView<T, Ptr, Ind>&);    \
  template CLCHOL_EXPORT Status SparseCholesky<T>::refactorize(const SparseView<T, Ptr, Ind>&);
#define CLCHOL_INSTANTIATE_INDICES(T)               \
  CLCHOL_INSTANTIATE(T, std::int32_t, std::int32_t) \
  CLCHOL_INSTANTIATE(T, std::int64_t, std::int64_t) \
  CLCHOL_INSTANTIATE(T, std::int64_t, std::int32_t)
CLCHOL_INSTANTIATE_INDICES(float)
CLCHOL_INSTANTIATE_INDICES(double)

}  // namespace clchol
