// What programs share that measure a CUDA library beside clchol's OpenCL kernels, on one device in
// one process.
//
// The CUDA libraries are opened at run time, so that the build needs nothing of CUDA.  Failures of
// CUDA functions are thrown as std::runtime_error.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/median.hpp"

namespace clchol::gpu {

/// A shared library, opened by the path in an environment variable or else by its usual name.
class Library {
 public:
  Library(const char* variable, const char* usual) {
    const char* named = std::getenv(variable);
    handle_ = dlopen(named == nullptr ? usual : named, RTLD_NOW | RTLD_GLOBAL);
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
  }
  template <class F>
  F* function(const char* name) const {
    void* found = dlsym(handle_, name);
    if (found == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<F*>(found);
  }

 private:
  void* handle_;
};

inline void check_cuda(int status, const char* what) {
  if (status != 0) throw std::runtime_error(what + (": status " + std::to_string(status)));
}

/// Device memory by the CUDA runtime.  The environment variable CLCHOL_CUDART holds the path of
/// libcudart.
class CudaRuntime {
 public:
  template <class T = double>
  T* allocate(std::size_t count) const {
    void* memory = nullptr;
    check_cuda(allocate_(&memory, count * sizeof(T)), "cudaMalloc");
    return static_cast<T*>(memory);
  }
  void release(void* memory) const { release_(memory); }
  void copy(void* to, const void* from, std::size_t values) const {
    constexpr int kDefault = 4;
    check_cuda(copy_(to, from, values * sizeof(double), kDefault), "cudaMemcpy");
  }
  /// Enqueues a copy within the device and returns at once.
  void copy_on_device(void* to, const void* from, std::size_t values) const {
    constexpr int kDeviceToDevice = 3;
    check_cuda(copy_async_(to, from, values * sizeof(double), kDeviceToDevice, nullptr),
               "cudaMemcpyAsync");
  }
  void clear(void* to, std::size_t values) const {
    check_cuda(clear_(to, 0, values * sizeof(double)), "cudaMemset");
  }
  void synchronize() const { check_cuda(synchronize_(), "cudaDeviceSynchronize"); }
  double* copied(const std::vector<double>& values) const {
    auto* const memory = allocate(values.size());
    copy(memory, values.data(), values.size());
    return memory;
  }

 private:
  Library library_{"CLCHOL_CUDART", "libcudart.so"};
  int (*allocate_)(void**, std::size_t) = library_.function<int(void**, std::size_t)>("cudaMalloc");
  int (*release_)(void*) = library_.function<int(void*)>("cudaFree");
  int (*copy_)(void*, const void*, std::size_t,
               int) = library_.function<int(void*, const void*, std::size_t, int)>("cudaMemcpy");
  int (*copy_async_)(void*, const void*, std::size_t, int, void*) =
      library_.function<int(void*, const void*, std::size_t, int, void*)>("cudaMemcpyAsync");
  int (*clear_)(void*, int,
                std::size_t) = library_.function<int(void*, int, std::size_t)>("cudaMemset");
  int (*synchronize_)() = library_.function<int()>("cudaDeviceSynchronize");
};

// ---- Measuring

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Effort {
  int rounds = 5;
  double seconds = 0.01;
  double warm_seconds = 0.05;
};

/// Reads an option that all these programs have: --device, --rounds, --ms, --warm-ms.
/// @return whether the word is one of these options.
inline bool take_option(const std::string& word, const std::string& value, std::string& device,
                        Effort& effort) {
  if (word == "--device") {
    device = value;
  } else if (word == "--rounds") {
    effort.rounds = std::stoi(value);
  } else if (word == "--ms") {
    effort.seconds = std::stod(value) * 1e-3;
  } else if (word == "--warm-ms") {
    effort.warm_seconds = std::stod(value) * 1e-3;
  } else {
    return false;
  }
  return true;
}

/// One implementation to be measured: `enqueue` enqueues one launch, `wait` waits for all launches.
struct Candidate {
  std::string name;
  std::function<void()> enqueue = {}, wait = {};
  int launches = 1;
  double warm_seconds = 0;
  std::vector<double> times = {};
  std::string error = "0";
  std::string options = {};

  double round() {
    const double begin = seconds_now();
    for (int i = 0; i < launches; ++i) enqueue();
    wait();
    return (seconds_now() - begin) / launches;
  }
  void warm() {
    for (const double begin = seconds_now(); seconds_now() - begin < warm_seconds;) round();
  }
};

/// Measures the candidates in turns, round after round.  On a device at its power limit the work
/// that ran before changes a time by 5 %.  Each candidate therefore first runs unmeasured until the
/// clock has settled: for Effort::warm_seconds, or for ten times its own seconds, up to 0.3 s, if
/// that is longer.
inline void measure(std::vector<Candidate>& candidates, const Effort& effort) {
  for (Candidate& c : candidates) {
    c.round();
    double seconds = c.round();
    if (seconds < effort.seconds) {
      c.launches = 5;
      seconds = c.round();
    }
    c.launches = std::clamp(static_cast<int>(effort.seconds / seconds), 1, 2000);
    c.warm_seconds = std::max(effort.warm_seconds, std::min(10 * seconds, 0.3));
  }
  for (int round = 0; round < effort.rounds; ++round) {
    for (Candidate& c : candidates) {
      c.warm();
      c.times.push_back(c.round());
    }
  }
}

/// The larger of two numbers; NaN if one of them is NaN.
inline double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

/// Random values between -1 and 1, which depend on the size and the seed alone.
inline std::vector<double> random_values(std::size_t size, unsigned seed) {
  std::vector<double> values(size);
  std::uint64_t state = 0x9E3779B97F4A7C15U * seed;
  for (double& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<double>(state >> 11) * 0x1p-52 - 1;
  }
  return values;
}

}  // namespace clchol::gpu
