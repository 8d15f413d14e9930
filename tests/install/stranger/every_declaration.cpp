// Calls every function that clchol/types.hpp, options.hpp, reports.hpp and clchol.hpp declare, with
// every type for which they exist (tests/install/declarations.py compares the lists).
#include <clchol/clchol.hpp>

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "failed: %s\n", what);
}

/// The lower triangle of  [4 -1 0; -1 4 -1; 0 -1 4].
template <class T, class Ptr, class Ind>
struct Matrix {
  std::vector<Ptr> colptr{0, 2, 4, 5};
  std::vector<Ind> rowind{0, 1, 1, 2, 2};
  std::vector<T> values{4, -1, 4, -1, 4};
  clchol::SparseView<T, Ptr, Ind> view() const { return {3, colptr, rowind, values}; }
};

clchol::Options on_the_cpu() {
  clchol::Options options;
  options.engine = clchol::EngineKind::kCpu;
  return options;
}

template <class T, class Ptr, class Ind>
void call_with_indices() {
  const Matrix<T, Ptr, Ind> a;
  const std::string path = "clchol_stranger.analysis";
  clchol::SparseCholesky<T> solver(on_the_cpu()), other(on_the_cpu());
  expect(solver.analyze(a.view()) == clchol::Status::kOk, "analyze");
  expect(solver.factorize(a.view()) == clchol::Status::kOk, "factorize");
  expect(solver.refactorize(a.view()) == clchol::Status::kOk, "refactorize");
  const std::vector<std::byte> bytes = solver.save_analysis();
  solver.save_analysis(path);
  expect(other.load_analysis(a.view(), bytes) == clchol::Status::kOk, "load_analysis of bytes");
  expect(other.load_analysis(a.view(), path) == clchol::Status::kOk, "load_analysis of a file");
  expect(solver.save_factor(path) == clchol::Status::kOk, "save_factor");
  expect(other.load_factor(path) == clchol::Status::kOk, "load_factor");
  expect(other.load_factor(a.view(), path) == clchol::Status::kOk, "load_factor of a matrix");
  std::remove(path.c_str());
}

template <class T>
void call_solver() {
  const Matrix<T, std::int32_t, std::int32_t> a;
  clchol::SparseCholesky<T> first(on_the_cpu());
  expect(first.factorize(a.view()) == clchol::Status::kOk, "factorize before a move");
  clchol::SparseCholesky<T> solver(std::move(first));
  first = std::move(solver);
  solver = std::move(first);
  expect(solver.refactorize(std::span<const T>(a.values)) == clchol::Status::kOk, "refactorize");
  expect(solver.predict_device_bytes() == 0, "predict_device_bytes");
  expect(solver.device_modes().empty(), "device_modes");
  expect(solver.host_modes().size() == 2, "host_modes");

  const std::vector<T> b{3, 2, 3};
  std::vector<T> x(3), y(b);
  expect(solver.solve(std::span<const T>(b), std::span<T>(x)).status == clchol::Status::kOk,
         "status of solve");
  expect(x[0] > T(0.99) && x[0] < T(1.01), "solve");
  const clchol::DenseView<T> view{y.data(), 3, 1};
  const clchol::DenseView<const T> read_only = view;
  expect(read_only(1, 0) == *(view.column(0) + 1), "DenseView");
  expect(solver.solve(read_only, view).backward_error.value_or(1) < 1e-6, "solve in place");
  solver.solve_part(clchol::Part::kPermute, view);

  expect(solver.log_determinant() > 0, "log_determinant");
  expect(solver.diagonal().size() == 3, "diagonal");
  clchol::CholeskyFactor<T> l = solver.factor();
  expect(l.n == 3, "factor");
  solver.factor(l.colptr, l.rowind, l.values);
  expect(solver.permutation().size() == 3, "permutation");
  expect(!solver.assembly_tree().nrow.empty(), "assembly_tree");
  expect(solver.scaling().size() == 3, "scaling");
  expect(solver.analysis_report().n == 3, "analysis_report");
  expect(solver.factor_report().engine == clchol::EngineKind::kCpu, "factor_report");
  solver.options().threads = 1;
  expect(std::as_const(solver).options().threads == 1, "options");

  call_with_indices<T, std::int32_t, std::int32_t>();
  call_with_indices<T, std::int64_t, std::int64_t>();
  call_with_indices<T, std::int64_t, std::int32_t>();
}

/// Throws an exception of one of the library's types and catches it by its base class.
template <class Error, class Base>
void throw_one() {
  try {
    throw Error("a message");
  } catch (const Base& error) {
    expect(error.what() == std::string("a message"), "what");
  }
}

}  // namespace

int main() {
  call_solver<float>();
  call_solver<double>();
  throw_one<clchol::InvalidArgument, std::invalid_argument>();
  throw_one<clchol::OutOfMemory, std::runtime_error>();
  throw_one<clchol::DeviceError, std::runtime_error>();
  throw_one<clchol::FileError, std::runtime_error>();
  expect(clchol::to_string(clchol::Status::kOk) == std::string("ok"), "to_string");
  expect(clchol::AnalysisOptions{} == clchol::AnalysisOptions{}, "equal options of analyses");
  expect(clchol::MemoryOptions{} == clchol::MemoryOptions{}, "equal options of memory");
  expect(clchol::DenseView<double>{}.ld == 0, "empty DenseView");
  expect(clchol::to_string(clchol::Ordering::kAmd) == std::string("amd"), "name of an ordering");
  expect(clchol::to_string(clchol::EngineKind::kCpu) == std::string("cpu"), "name of an engine");
  expect(clchol::to_string(clchol::FactorKernels::kPlain) == std::string("plain"),
         "name of kernels of factorizations");
  expect(clchol::to_string(clchol::SolveKernels::kWaves) == std::string("waves"),
         "name of kernels of solves");
  expect(clchol::version()[0] != '\0', "version");
  return failures;
}
