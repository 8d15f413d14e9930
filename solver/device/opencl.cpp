#include "clchol/opencl.hpp"

#include <algorithm>
#include <limits>

#include "base/timer.hpp"
#include "solver/device/access.hpp"
#include "solver/device/opencl_engine.hpp"
#include "solver/device/use_device.hpp"
#include "solver/refine.hpp"

namespace clchol::opencl {

namespace {

template <class T>
gpu::DeviceView<T> view_of(const gpu::Context& context, cl_mem buffer, std::int64_t offset,
                           Offset size) {
  if (buffer == nullptr) throw InvalidArgument("opencl: a buffer is null");
  const auto whole = gpu::DeviceBuffer<std::remove_const_t<T>>::retained(context, buffer);
  gpu::check_range(offset, size, whole.size());
  return {buffer, offset, size};  // The caller must keep the buffer alive.
}

/// Returns the position in the input of each value of the lower triangle.  Length nnz; empty: value
/// k is at position k.  Throws InvalidArgument when the input has duplicates.
std::vector<Offset> sources_of(const solver::InputMap& map) {
  if (map.identity) return {};
  std::vector<Offset> sources(static_cast<std::size_t>(map.lower.view().nnz()), kNone);
  for (std::size_t k = 0; k < map.target.size(); ++k) {
    if (map.target[k] < 0) continue;  // Entry k is in the other triangle.
    Offset& source = sources[static_cast<std::size_t>(map.target[k])];
    if (source != kNone) {
      throw InvalidArgument("opencl::refactorize: the matrix that was analysed has duplicates");
    }
    source = static_cast<Offset>(k);
  }
  return sources;
}

template <class T>
gpu::DeviceColumns<T> columns_of(const gpu::Context& context, const Columns& c, Index n) {
  const Offset ld = c.ld == 0 ? n : c.ld;
  if (c.nrhs < 0 || ld < n) {
    throw InvalidArgument("opencl::solve: nrhs = " + std::to_string(c.nrhs) +
                          ", leading dimension " + std::to_string(ld) + ", the matrix has " +
                          std::to_string(n) + " rows");
  }
  const Offset size = c.nrhs == 0 ? 0 : (Offset{c.nrhs} - 1) * ld + n;
  return {view_of<T>(context, c.buffer, c.offset, size), c.nrhs, ld};
}

/// The engine of f, if it is an engine for T on a device; null otherwise.
template <class T>
solver::OpenClEngine<T>* engine_there(const solver::Factorization<T>& f) {
  const auto* held = std::get_if<std::unique_ptr<solver::Engine<T>>>(&f.engine);
  return held == nullptr || *held == nullptr ? nullptr : (*held)->opencl();
}

/// Factors values in device memory.
/// @param sources  sources_of() the input; empty when the engine has them already.
template <class T>
numeric::FactorResult factor_values(solver::OpenClEngine<T>& engine, const Entries& values,
                                    gpu::DeviceView<const T> view,
                                    const std::vector<Offset>& sources) {
  gpu::DeviceRuntime& runtime = engine.numeric().runtime();
  if (!sources.empty()) engine.set_sources(gpu::uploaded<Offset>(runtime.queue(), sources));
  if (engine.sources().size > 0) {
    return engine.numeric().factorize_gathered(view, engine.sources());
  }
  return engine.numeric().factorize(
      gpu::DeviceBuffer<T>::retained(runtime.context(), values.buffer), values.offset);
}

template <class T>
double entry(gpu::Queue& queue, gpu::DeviceView<const T> values, Offset place) {
  T value{};
  gpu::download<T>(queue, values.part(place, 1), std::span(&value, 1));
  return static_cast<double>(value);
}

/// The arguments of a solve, checked: the engine, and views of B and X.
template <class T>
struct Solve {
  const numeric::DeviceEngine<T>& engine;
  gpu::DeviceColumns<const T> b;
  gpu::DeviceColumns<T> x;

  template <class Impl>
  Solve(const Impl& impl, const char* name, const Columns& from, const Columns& to)
      : engine(engine_of(impl.factored(name), name)) {
    if (from.nrhs != to.nrhs) {
      throw InvalidArgument(std::string(name) + ": b has " + std::to_string(from.nrhs) +
                            " columns, x has " + std::to_string(to.nrhs));
    }
    const gpu::Context& context = engine.runtime().context();
    b = columns_of<const T>(context, from, impl.analysis->symbolic.n);
    x = columns_of<T>(context, to, impl.analysis->symbolic.n);
  }

 private:
  static const numeric::DeviceEngine<T>& engine_of(const solver::Factorization<T>& f,
                                                   const char* name) {
    if (f.callers.empty()) {
      throw InvalidArgument(std::string(name) + ": use_queue() has not been called");
    }
    if (!f.scale.empty()) throw InvalidArgument(std::string(name) + ": the factor is scaled");
    const solver::OpenClEngine<T>* const engine = engine_there(f);
    if (engine == nullptr) {
      throw InvalidArgument(std::string(name) + ": the factor is in another precision");
    }
    return engine->numeric();
  }
};

/// Solves and refines in host memory, for a device without room for A's pattern and for residuals.
template <class T, class Impl>
SolveReport refine_on_host(const Impl& impl, const Solve<T>& call) {
  const Index n = impl.analysis->symbolic.n, nrhs = call.b.num_columns;
  const std::vector<T> values = call.engine.read_values();
  std::vector<T> x(static_cast<std::size_t>(n) * static_cast<std::size_t>(nrhs));
  const DenseView<T> columns{x.data(), n, nrhs, n};
  call.engine.read(call.b, columns);
  Options options = impl.options;
  options.solve.error_checks = ErrorChecks::kEverySolve;
  const SolveReport report = solver::solve_refined<T>(*impl.analysis, impl.factorization, values,
                                                      options, columns, columns);
  call.engine.write(columns, call.x);
  return report;
}

}  // namespace

template <class T>
void use_queue(SparseCholesky<T>& solver, cl_command_queue queue) {
  solver::use_devices(solver, {std::make_shared<gpu::DeviceRuntime>(queue)});
}

template <class T>
Status refactorize(SparseCholesky<T>& solver, const Entries& values) {
  auto& impl = Access::impl(solver);
  solver::check_options(impl.options);
  const solver::Analysis& analysis = impl.analysed_pattern("opencl::refactorize");
  impl.check_unchanged("opencl::refactorize");
  solver::Factorization<T>& f = impl.factorization;
  if (f.callers.empty()) {
    throw InvalidArgument("opencl::refactorize: use_queue() has not been called");
  }
  const auto view = view_of<const T>(f.callers.front()->context(), values.buffer, values.offset,
                                     analysis.map.num_input_entries());
  const solver::OpenClEngine<T>* const there = engine_there(f);
  // Options that have changed ask for another engine, which has no list yet.
  const bool is_kept = there != nullptr && f.choice.request == solver::engine_request(impl.options);
  const bool has_sources = is_kept && there->sources().size > 0;
  const std::vector<Offset> sources =
      has_sources ? std::vector<Offset>() : sources_of(analysis.map);
  f.report = {};
  f.report.status = Status::kInterrupted;  // Stays so when an exception ends the call.
  f.report.precision = solver::kPrecisionOf<T>;
  f.values.clear();
  f.scale.clear();
  f.exponent = 0;
  f.solves->reset();  // The norm of the former values, and what their first solution needed.
  solver::OpenClEngine<T>& engine = *solver::obtain_engine<T>(analysis, impl.options, f).opencl();
  const Timer timer;
  const numeric::FactorResult result = factor_values<T>(engine, values, view, sources);
  f.report.factor_s = timer.seconds();
  solver::report_engine(f);
  const std::vector<Offset>& colptr = analysis.map.lower.colptr;
  solver::report_result<T>(
      analysis, result,
      [&](Index row) {
        return entry(f.callers.front()->queue(), engine.numeric().values(), colptr[row]);
      },
      f);
  return f.report.status;
}

template <class T>
void solve(const SparseCholesky<T>& solver, const Columns& b, const Columns& x) {
  const Solve<T> call(Access::impl(solver), "opencl::solve", b, x);
  call.engine.solve(call.b, call.x);
}

template <class T>
SolveReport solve_refined(const SparseCholesky<T>& solver, const Columns& b, const Columns& x) {
  const auto& impl = Access::impl(solver);
  solver::check_options(impl.options);
  const Solve<T> call(impl, "opencl::solve_refined", b, x);
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  const numeric::RefineOptions options{.max_steps = impl.options.solve.max_refine_steps,
                                       .normwise = solver::wanted_error<T>(impl.options),
                                       .componentwise = solver::kFewEps * eps};
  const solver::Analysis& analysis = *impl.analysis;
  SolveReport report;
  const Timer timer;
  const auto results = call.engine.solve_refined(analysis.map.lower.view(), analysis.transposed,
                                                 call.b, call.x, options);
  if (!results) return refine_on_host<T>(impl, call);
  report.refine_s = timer.seconds();
  for (const numeric::RefineResult& of : *results) {
    report.refine_steps = std::max(report.refine_steps, of.steps);
    // An empty std::optional is less than any number.
    report.backward_error = std::max(report.backward_error, std::optional(of.error.normwise));
    report.componentwise_error =
        std::max(report.componentwise_error, std::optional(of.error.componentwise));
  }
  report.engine = EngineKind::kOpenCl;
  report.peak_device_bytes =
      static_cast<std::int64_t>(call.engine.runtime().context().memory()->peak());
  solver::judge<T>(impl.options, report);
  return report;
}

#define CLCHOL_INSTANTIATE(T)                                                    \
  template void use_queue(SparseCholesky<T>&, cl_command_queue);                 \
  template Status refactorize(SparseCholesky<T>&, const Entries&);               \
  template void solve(const SparseCholesky<T>&, const Columns&, const Columns&); \
  template SolveReport solve_refined(const SparseCholesky<T>&, const Columns&, const Columns&);
CLCHOL_INSTANTIATE(float)
CLCHOL_INSTANTIATE(double)
#undef CLCHOL_INSTANTIATE

}  // namespace clchol::opencl

namespace clchol::solver {

template <class T>
void use_devices(SparseCholesky<T>& solver, const OpenDevices& devices) {
  Factorization<T>& f = opencl::Access::impl(solver).factorization;
  HostLog* const log = f.log;
  f = {};
  f.callers = devices;
  f.log = log;
}

template <class T>
OpenDevices open_chosen_devices(SparseCholesky<T>& solver, const DeviceAccess& devices) {
  auto& impl = opencl::Access::impl(solver);
  EngineChoice& choice = impl.factorization.choice;
  choice = choose_engine(impl.analysed("open_chosen_devices"), impl.options,
                         wants_double_factor<T>(impl.options), choice, devices);
  return choice.devices;
}

#define CLCHOL_INSTANTIATE_DEVICE(T)                                 \
  template void use_devices(SparseCholesky<T>&, const OpenDevices&); \
  template OpenDevices open_chosen_devices(SparseCholesky<T>&, const DeviceAccess&);
CLCHOL_INSTANTIATE_DEVICE(float)
CLCHOL_INSTANTIATE_DEVICE(double)
#undef CLCHOL_INSTANTIATE_DEVICE

}  // namespace clchol::solver
