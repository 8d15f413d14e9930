// A system whose values, right-hand side and solution lie in buffers of an OpenCL device.
//
// The matrix is that of five-point differences on a square grid,
//
//   4 x_i - (sum of x_k over the neighbours k of i)  =  b_i,
//
// and b is made for the solution x_i = 1 + i mod 7.  The pattern is analysed on the host.  All else
// goes through the program's own queue, as in a simulation whose kernels fill the buffers before
// and read the solution afterwards.
#include <CL/cl.h>

#include <algorithm>
#include <clchol/clchol.hpp>
#include <clchol/opencl.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(cl_int code, const char* call) {
  if (code != CL_SUCCESS) throw std::runtime_error(call + (": error " + std::to_string(code)));
}

/// The first device of any platform that has double precision; null where there is none.
cl_device_id first_device() {
  cl_uint platform_count = 0;
  // The loader returns an error if no platform is installed.
  if (clGetPlatformIDs(0, nullptr, &platform_count) != CL_SUCCESS) return nullptr;
  std::vector<cl_platform_id> platforms(platform_count);
  check(clGetPlatformIDs(platform_count, platforms.data(), nullptr), "clGetPlatformIDs");
  for (const cl_platform_id platform : platforms) {
    cl_uint count = 0;
    const cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    if (code == CL_DEVICE_NOT_FOUND) continue;
    check(code, "clGetDeviceIDs");
    std::vector<cl_device_id> devices(count);
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr),
          "clGetDeviceIDs");
    for (const cl_device_id device : devices) {
      cl_device_fp_config doubles = 0;  // Stays 0 where there is no double precision.
      check(clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, nullptr),
            "clGetDeviceInfo");
      if (doubles != 0) return device;
    }
  }
  return nullptr;
}

int solve_on(cl_device_id device) {
  char name[256] = {};
  check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, nullptr), "clGetDeviceInfo");
  cl_int code = CL_SUCCESS;
  const cl_context new_context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  check(code, "clCreateContext");
  const std::shared_ptr<_cl_context> context(new_context, clReleaseContext);
  const cl_command_queue new_queue =  // In order, as the solver needs it.
      clCreateCommandQueueWithProperties(context.get(), device, nullptr, &code);
  check(code, "clCreateCommandQueueWithProperties");
  const std::shared_ptr<_cl_command_queue> queue(new_queue, clReleaseCommandQueue);
  const auto on_device = [&](std::vector<double>& entries) {
    const cl_mem buffer = clCreateBuffer(context.get(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                         entries.size() * sizeof(double), entries.data(), &code);
    check(code, "clCreateBuffer");
    return std::shared_ptr<_cl_mem>(buffer, clReleaseMemObject);
  };

  // The lower triangle by columns, and b = A x.
  constexpr std::size_t kSide = 50, kUnknowns = kSide * kSide;
  const auto known = [](std::size_t i) { return 1 + static_cast<double>(i % 7); };
  std::vector<int> colptr{0}, rowind;
  std::vector<double> values, b(kUnknowns), x(kUnknowns);
  const auto add = [&](std::size_t row, std::size_t column, double value) {
    rowind.push_back(static_cast<int>(row));
    values.push_back(value);
    b[row] += value * known(column);
    if (row != column) b[column] += value * known(row);
  };
  for (std::size_t i = 0; i < kUnknowns; ++i) {
    add(i, i, 4);
    if (i % kSide + 1 < kSide) add(i + 1, i, -1);
    if (i + kSide < kUnknowns) add(i + kSide, i, -1);
    colptr.push_back(static_cast<int>(rowind.size()));
  }
  const auto values_buffer = on_device(values), b_buffer = on_device(b), x_buffer = on_device(x);

  // The analysis takes the device's name for its costs, and no values: only the pattern is read.
  clchol::SparseCholesky<double> solver({.devices = {name}});
  if (solver.analyze(clchol::SparseView<double>{kUnknowns, colptr, rowind, {}}) !=
      clchol::Status::kOk) {
    throw std::runtime_error("the analysis has failed");
  }
  clchol::opencl::use_queue(solver, queue.get());
  if (clchol::opencl::refactorize(solver, {values_buffer.get()}) != clchol::Status::kOk) {
    throw std::runtime_error(solver.factor_report().message);
  }
  // The solve is enqueued, and so is the transfer behind it, which the program waits for.
  clchol::opencl::solve(solver, {b_buffer.get()}, {x_buffer.get()});
  check(clEnqueueReadBuffer(queue.get(), x_buffer.get(), CL_TRUE, 0, x.size() * sizeof(double),
                            x.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  double error = 0;
  for (std::size_t i = 0; i < kUnknowns; ++i) error = std::max(error, std::abs(x[i] - known(i)));

  // The condition of this matrix is 4 / pi^2 (kSide + 1)^2, some 1100, and x is up to 7: a backward
  // error of a few 1e-16 may become an error of 1e-11.
  constexpr double kTolerance = 1e-11;
  if (!(error <= kTolerance)) {
    std::fprintf(stderr, "largest error of x %.1e, allowed %.1e\n", error, kTolerance);
    return 1;
  }
  // The same with refinement, which returns when it is done and says what x is worth.
  const clchol::SolveReport report =
      clchol::opencl::solve_refined(solver, {b_buffer.get()}, {x_buffer.get()});
  if (report.status != clchol::Status::kOk) throw std::runtime_error(report.message);
  std::printf("%s: %zu unknowns, device memory %.1f MB\n", name, kUnknowns,
              1e-6 * static_cast<double>(solver.factor_report().peak_device_bytes));
  std::printf("largest error of x %.1e (allowed %.1e), backward error refined %.1e\n", error,
              kTolerance, report.backward_error.value());
  return 0;
}

}  // namespace

int main() {
  try {
    const cl_device_id device = first_device();
    if (device != nullptr) return solve_on(device);
    std::printf("no OpenCL device\n");
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
