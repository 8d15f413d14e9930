#include "clchol/clchol.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/refine.hpp"
#include "solver/sparse_cholesky_impl.hpp"

namespace clchol {

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
  return impl_->analyze(impl_->input_map(a));
}

template <class T>
void SparseCholesky<T>::save_analysis(const std::string& path) const {
  solver::save_analysis(impl_->analysed("save_analysis"), path, solver::num_threads(impl_->options),
                        impl_->options.cancel);
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
  return impl_->load(impl_->input_map(a), solver::ByteStream::open(path));
}

template <class T>
template <class Ptr, class Ind>
Status SparseCholesky<T>::load_analysis(const SparseView<T, Ptr, Ind>& a,
                                        std::span<const std::byte> bytes) {
  const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return impl_->load(impl_->input_map(a),
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
std::int64_t SparseCholesky<T>::predict_device_bytes() const {
  const solver::Analysis& analysis = impl_->analysed("predict_device_bytes");
  const Options& options = impl_->options;
  const solver::Factorization<T>& f = impl_->factorization;
  const bool double_factor = solver::wants_double_factor<T>(options);
  const solver::OpenDevice device =
      f.callers ? f.callers
                : solver::choose_engine(analysis, options, double_factor, f.choice).device;
  if (!device) return 0;
  return double_factor ? solver::predict_device_bytes<double>(device, analysis, options)
                       : solver::predict_device_bytes<float>(device, analysis, options);
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
  if (f.values.empty()) {
    throw InvalidArgument("solve: the values are on the device alone: use opencl::solve()");
  }
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
    for (const auto d : engine.diagonal()) sum += std::log(static_cast<double>(d));
  });
  for (double s : f.scale) sum -= std::log(s);
  return 2 * sum;
}

template <class T>
std::vector<T> SparseCholesky<T>::diagonal() const {
  static_cast<void>(impl_->factored("diagonal"));
  std::vector<T> result(impl_->analysis->symbolic.n);
  impl_->with_engine([&](const auto& engine) {
    const auto d = engine.diagonal();
    std::transform(d.begin(), d.end(), result.begin(), [](auto x) { return static_cast<T>(x); });
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
