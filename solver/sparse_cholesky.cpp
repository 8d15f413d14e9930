#include "clchol/clchol.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/dense/kernels.hpp"
#include "solver/factor_by_columns.hpp"
#include "solver/out_of_core/choice.hpp"
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
typename SparseCholesky<T>::Impl& SparseCholesky<T>::impl() {
  if (!impl_) impl_ = std::make_unique<Impl>();
  return *impl_;
}

template <class T>
const typename SparseCholesky<T>::Impl& SparseCholesky<T>::impl() const {
  static const Impl kNew;
  return impl_ ? *impl_ : kNew;
}

template <class T>
typename SparseCholesky<T>::Impl& SparseCholesky<T>::checked() {
  solver::check_options(impl().options);
  return impl();
}

template <class T>
const typename SparseCholesky<T>::Impl& SparseCholesky<T>::checked() const {
  solver::check_options(impl().options);
  return impl();
}

template <class T>
template <class Ptr, class Ind>
Status SparseCholesky<T>::analyze(const SparseView<T, Ptr, Ind>& a) {
  Impl& s = checked();
  return s.analyze(s.input_map(a));
}

template <class T>
void SparseCholesky<T>::save_analysis(const std::string& path) const {
  const Impl& s = checked();
  solver::save_analysis(s.analysed_pattern("save_analysis"), path, solver::num_threads(s.options),
                        s.options.cancel);
}

template <class T>
std::vector<std::byte> SparseCholesky<T>::save_analysis() const {
  std::vector<std::byte> bytes;
  solver::write_analysis(impl().analysed_pattern("save_analysis"), [&](std::string_view piece) {
    const auto* const data = reinterpret_cast<const std::byte*>(piece.data());
    bytes.insert(bytes.end(), data, data + piece.size());
  });
  return bytes;
}

template <class T>
template <class Ptr, class Ind>
Status SparseCholesky<T>::load_analysis(const SparseView<T, Ptr, Ind>& a, const std::string& path) {
  Impl& s = checked();
  return s.load(s.input_map(a), solver::ByteStream::open(path));
}

template <class T>
template <class Ptr, class Ind>
Status SparseCholesky<T>::load_analysis(const SparseView<T, Ptr, Ind>& a,
                                        std::span<const std::byte> bytes) {
  Impl& s = checked();
  const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return s.load(s.input_map(a), solver::ByteStream::from_memory(content, "saved analysis"));
}

template <class T>
Status SparseCholesky<T>::save_factor(const std::string& path) const {
  const Impl& s = checked();
  const solver::Factorization<T>& f = s.factored("save_factor");
  const solver::Analysis& analysis = s.analysed_pattern("save_factor");
  if (f.values.empty()) {
    throw InvalidArgument("save_factor: the values are on the device alone");
  }
  try {
    solver::save_factor(analysis, f, path, s.options.cancel);
  } catch (const ordering::Interrupted&) {
    return Status::kInterrupted;
  }
  return Status::kOk;
}

template <class T>
Status SparseCholesky<T>::load_factor(const std::string& path) {
  return checked().load_factor(path, nullptr);
}

template <class T>
template <class Ptr, class Ind>
Status SparseCholesky<T>::load_factor(const SparseView<T, Ptr, Ind>& a, const std::string& path) {
  Impl& s = checked();
  solver::InputMap map = s.input_map(a);
  const auto accepted = s.accept_values(map, a.values);
  const Status status = s.load_factor(path, &map, accepted.values);
  if (status != Status::kInterrupted) s.factorization.report.asymmetry = accepted.asymmetry;
  return status;
}

template <class T>
template <class Ptr, class Ind>
Status SparseCholesky<T>::factorize(const SparseView<T, Ptr, Ind>& a) {
  Impl& s = checked();
  const bool is_analysed = s.is_analysed_as_asked() &&
                           solver::is_same_pattern(s.analysis->map, a.n, a.colptr, a.rowind,
                                                   a.triangle, solver::num_threads(s.options));
  if (!is_analysed) {
    solver::InputMap map = s.input_map(a);
    // Refuse bad values before the new analysis replaces the present one.
    static_cast<void>(s.accept_values(map, a.values));
    const Status status = s.analyze(std::move(map));
    if (status != Status::kOk) return status;
  }
  return s.factorize(a.values);
}

template <class T>
std::int64_t SparseCholesky<T>::predict_device_bytes() const {
  const Impl& s = checked();
  const solver::Analysis& analysis = s.analysed_pattern("predict_device_bytes");
  const solver::OpenDevices devices = s.devices_of(analysis);
  if (devices.empty()) return 0;
  return solver::wants_double_factor<T>(s.options)
             ? solver::predict_device_bytes<double>(devices, analysis, s.options)
             : solver::predict_device_bytes<float>(devices, analysis, s.options);
}

template <class T>
std::vector<DeviceMode> SparseCholesky<T>::device_modes() const {
  const Impl& s = checked();
  const solver::Analysis& analysis = s.analysed_pattern("device_modes");
  const solver::OpenDevices devices = s.devices_of(analysis);
  if (devices.empty()) return {};
  return solver::wants_double_factor<T>(s.options)
             ? solver::predict_device_modes<double>(devices, analysis, s.options)
             : solver::predict_device_modes<float>(devices, analysis, s.options);
}

template <class T>
std::vector<HostMode> SparseCholesky<T>::host_modes() const {
  const Impl& s = checked();
  return solver::predict_host_modes(s.analysed_pattern("host_modes"), s.options,
                                    solver::wants_double_factor<T>(s.options));
}

template <class T>
template <class Ptr, class Ind>
Status SparseCholesky<T>::refactorize(const SparseView<T, Ptr, Ind>& a) {
  Impl& s = checked();
  const solver::Analysis& analysis = s.analysed_pattern("refactorize");
  s.check_unchanged("refactorize");
  if (!solver::is_same_pattern(analysis.map, a.n, a.colptr, a.rowind, a.triangle,
                               solver::num_threads(s.options))) {
    throw InvalidArgument("refactorize: the pattern is not the one that was analysed");
  }
  return s.factorize(a.values);
}

template <class T>
Status SparseCholesky<T>::refactorize(std::span<const T> values) {
  Impl& s = checked();
  const solver::Analysis& analysis = s.analysed_pattern("refactorize");
  s.check_unchanged("refactorize");
  if (static_cast<Offset>(values.size()) != analysis.map.num_input_entries()) {
    throw InvalidArgument("refactorize: " + std::to_string(values.size()) +
                          " values, the analysed matrix has " +
                          std::to_string(analysis.map.num_input_entries()));
  }
  return s.factorize(values);
}

template <class T>
SolveReport SparseCholesky<T>::solve(const DenseView<const T>& b, const DenseView<T>& x) const {
  const QuietArithmetic quiet;
  const Impl& s = checked();
  const solver::Factorization<T>& f = s.factored("solve");
  if (f.values.empty() && s.analysis->has_pattern()) {
    throw InvalidArgument("solve: the values are on the device alone: use opencl::solve()");
  }
  s.check_shapes("solve", b, x);
  return solver::solve_refined<T>(*s.analysis, f, f.values, s.options, b, x);
}

template <class T>
SolveReport SparseCholesky<T>::solve(std::span<const T> b, std::span<T> x) const {
  const Index nb = static_cast<Index>(b.size()), nx = static_cast<Index>(x.size());
  return solve(DenseView<const T>{b.data(), nb, 1}, DenseView<T>{x.data(), nx, 1});
}

template <class T>
void SparseCholesky<T>::solve_part(Part part, const DenseView<T>& x) const {
  const QuietArithmetic quiet;
  const Impl& s = checked();
  const solver::Factorization<T>& f = s.factored("solve_part");
  const auto number = static_cast<int>(part);
  if (number < 0 || number > static_cast<int>(Part::kUnpermute)) {
    throw InvalidArgument("solve_part: part is " + std::to_string(number) +
                          ", must be one of its enumeration, 0 to 3");
  }
  s.check_shapes("solve_part", x, x);
  const std::vector<Index>& perm = s.analysis->symbolic.permutation.perm;
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
  numeric::Control control = solver::control_of(s.options);
  control.progress = nullptr;
  control.cancel = nullptr;  // The call has no status that could say that X is not finished.
  s.with_engine([&]<class F>(const solver::Engine<F>& engine) {
    const Offset ld = row_length(x.ncol);
    AlignedBuffer<F> y(n * ld + numeric::dense::kReadSlack);
    const RowsView<F> rows{y.data(), n, x.ncol, ld};
    // A column of double is multiplied by 2^-exponent for a factor in single precision, and its
    // solution by 2^exponent.  Length ld.
    std::vector<int> exponent(static_cast<std::size_t>(ld), 0);
    for (Index r = 0; r < x.ncol; ++r) {
      if constexpr (sizeof(F) < sizeof(T)) exponent[r] = solver::exponent_of(x.column(r), n);
    }
    const auto times_power = [](auto value, int e) {
      return e == 0 ? value : std::ldexp(value, e);
    };
    constexpr Offset kRowsAtATime = 512;  // Rows of a block that stays in the second-level cache.
    const auto for_values = [&](const auto& move) {
      parallel_blocks(n, kRowsAtATime, control.threads, [&](Offset begin, Offset end) {
        for (Index r = 0; r < ld; ++r) {
          for (Offset k = begin; k < end; ++k) move(static_cast<Index>(k), r);
        }
      });
    };
    for_values([&](Index k, Index r) {
      rows.row(k)[r] = r < x.ncol ? static_cast<F>(times_power(x(k, r), -exponent[r])) : F{0};
    });
    engine.solve(rows, part == Part::kForward, part == Part::kBackward, control);
    for_values([&](Index k, Index r) {
      if (r < x.ncol) x(k, r) = times_power(static_cast<T>(rows.row(k)[r]), exponent[r]);
    });
  });
}

template <class T>
double SparseCholesky<T>::log_determinant() const {
  const QuietArithmetic quiet;
  const solver::Factorization<T>& f = impl().factored("log_determinant");
  // det(A) = det(L)^2 / det(S)^2.
  double sum = 0;
  impl().with_engine([&](const auto& engine) {
    for (const auto d : engine.diagonal()) sum += std::log(static_cast<double>(d));
  });
  for (const double factor : f.scale) sum -= std::log(factor);
  return 2 * sum;
}

template <class T>
std::vector<T> SparseCholesky<T>::diagonal() const {
  static_cast<void>(impl().factored("diagonal"));
  std::vector<T> result(impl().analysis->symbolic.n);
  impl().with_engine([&](const auto& engine) {
    const auto d = engine.diagonal();
    std::transform(d.begin(), d.end(), result.begin(), [](auto x) { return static_cast<T>(x); });
  });
  return result;
}

template <class T>
CholeskyFactor<T> SparseCholesky<T>::factor() const {
  const solver::Factorization<T>& f = impl().factored("factor");
  return solver::factor_by_columns(impl().analysis->symbolic, f);
}

template <class T>
void SparseCholesky<T>::factor(std::span<Offset> colptr, std::span<Index> rowind,
                               std::span<T> values) const {
  const solver::Factorization<T>& f = impl().factored("factor");
  const symbolic::SymbolicFactor& symbolic = impl().analysis->symbolic;
  const auto check = [](std::size_t size, Offset needed, const char* name) {
    if (size == static_cast<std::size_t>(needed)) return;
    throw InvalidArgument("factor: " + std::string(name) + " has " + std::to_string(size) +
                          " entries, must have " + std::to_string(needed));
  };
  const Offset entries = solver::entries_by_columns(symbolic);
  check(colptr.size(), Offset{symbolic.n} + 1, "colptr");
  check(rowind.size(), entries, "rowind");
  check(values.size(), entries, "values");
  solver::write_factor_by_columns<T>(symbolic, f, colptr, rowind, values);
}

template <class T>
std::vector<Index> SparseCholesky<T>::permutation() const {
  return impl().analysed("permutation").symbolic.permutation.perm;
}

template <class T>
AssemblyTree SparseCholesky<T>::assembly_tree() const {
  const symbolic::SymbolicFactor& factor = impl().analysed("assembly_tree").symbolic;
  AssemblyTree tree{factor.super_ptr, factor.super_parent, std::vector<Index>(factor.nsuper)};
  for (Index s = 0; s < factor.nsuper; ++s) tree.nrow[s] = factor.nrow(s);
  return tree;
}

template <class T>
std::vector<T> SparseCholesky<T>::scaling() const {
  const solver::Factorization<T>& f = impl().factored("scaling");
  if (f.scale.empty()) return std::vector<T>(impl().analysis->symbolic.n, T{1});
  return std::vector<T>(f.scale.begin(), f.scale.end());
}

template <class T>
const AnalysisReport& SparseCholesky<T>::analysis_report() const {
  return impl().analysis ? impl().analysis->report : impl().no_analysis;
}
template <class T>
const FactorReport& SparseCholesky<T>::factor_report() const {
  return impl().factorization.report;
}
template <class T>
const Options& SparseCholesky<T>::options() const {
  return impl().options;
}
template <class T>
Options& SparseCholesky<T>::options() {
  return impl().options;
}

const char* version() noexcept { return CLCHOL_VERSION; }

template class SparseCholesky<float>;
template class SparseCholesky<double>;

#define CLCHOL_INSTANTIATE(T, Ptr, Ind)                                                          \
  template CLCHOL_EXPORT Status SparseCholesky<T>::load_analysis(const SparseView<T, Ptr, Ind>&, \
                                                                 const std::string&);            \
  template CLCHOL_EXPORT Status SparseCholesky<T>::load_analysis(const SparseView<T, Ptr, Ind>&, \
                                                                 std::span<const std::byte>);    \
  template CLCHOL_EXPORT Status SparseCholesky<T>::load_factor(const SparseView<T, Ptr, Ind>&,   \
                                                               const std::string&);              \
  template CLCHOL_EXPORT Status SparseCholesky<T>::analyze(const SparseView<T, Ptr, Ind>&);      \
  template CLCHOL_EXPORT Status SparseCholesky<T>::factorize(const SparseView<T, Ptr, Ind>&);    \
  template CLCHOL_EXPORT Status SparseCholesky<T>::refactorize(const SparseView<T, Ptr, Ind>&);
#define CLCHOL_INSTANTIATE_INDICES(T)               \
  CLCHOL_INSTANTIATE(T, std::int32_t, std::int32_t) \
  CLCHOL_INSTANTIATE(T, std::int64_t, std::int64_t) \
  CLCHOL_INSTANTIATE(T, std::int64_t, std::int32_t)
CLCHOL_INSTANTIATE_INDICES(float)
CLCHOL_INSTANTIATE_INDICES(double)
#undef CLCHOL_INSTANTIATE_INDICES
#undef CLCHOL_INSTANTIATE

}  // namespace clchol
