// Calls every function that clchol/opencl.hpp declares, as every_declaration.cpp does for the other
// headers.  Without a queue every call is refused.
#include <clchol/opencl.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

int failures = 0;

template <class Call>
void expect_refused(const char* what, const Call& call) {
  try {
    call();
  } catch (const clchol::InvalidArgument&) {
    return;
  } catch (const clchol::DeviceError&) {
    return;
  }
  ++failures;
  std::fprintf(stderr, "not refused: %s\n", what);
}

template <class T>
void call_all() {
  const std::vector<std::int32_t> colptr{0, 1}, rowind{0};
  const std::vector<T> values{4};
  clchol::SparseCholesky<T> solver;
  static_cast<void>(solver.analyze(clchol::SparseView<T>{1, colptr, rowind, values}));
  const clchol::opencl::Columns none;
  expect_refused("use_queue", [&] { clchol::opencl::use_queue(solver, nullptr); });
  expect_refused("refactorize",
                 [&] { static_cast<void>(clchol::opencl::refactorize(solver, {})); });
  expect_refused("solve", [&] { clchol::opencl::solve(solver, none, none); });
  expect_refused("solve_refined",
                 [&] { static_cast<void>(clchol::opencl::solve_refined(solver, none, none)); });
}

}  // namespace

int main() {
  call_all<float>();
  call_all<double>();
  return failures;
}
