// Products on fp64 tensor cores beside cuBLAS, on one device in one process, launch by launch in
// turns: what docs/kernels.md reports.
//
//   clchol_cublas_beside [--device NVIDIA] [--rounds 5] [--ms 10] [--variants FILE] SHAPES...
//
// A shape is gemm:M:N:K or syrk:N:K, beta 1, leading dimension M.  A variant is a line
// "name [slices=S] [param=value ...]" of the parameters of TensorParams; without a file, the
// variant is "tuned": the row of the device's tuning data.  One line of JSON for a shape and
// variant: seconds are medians over rounds of back-to-back launches, `error` is the largest
// difference to cuBLAS's C over its largest entry.
//
// libcudart and libcublas are opened at run time (CLCHOL_CUDART, CLCHOL_CUBLAS: their paths).
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>

#include "gpu_kernels/device_choice.hpp"
#include "gpu_kernels/tensor_gemm.hpp"

namespace clchol::gpu {
namespace {

// ---- cuBLAS

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

class Cublas {
 public:
  Cublas() { check(blas_.function<int(void**)>("cublasCreate_v2")(&handle_), "cublasCreate"); }
  double* allocate(std::size_t values) const {
    void* memory = nullptr;
    check(cuda_.function<int(void**, std::size_t)>("cudaMalloc")(&memory, values * sizeof(double)),
          "cudaMalloc");
    return static_cast<double*>(memory);
  }
  void release(double* memory) const { cuda_.function<int(void*)>("cudaFree")(memory); }
  void copy(void* to, const void* from, std::size_t values) const {
    constexpr int kDefault = 4;
    check(cuda_.function<int(void*, const void*, std::size_t, int)>("cudaMemcpy")(
              to, from, values * sizeof(double), kDefault),
          "cudaMemcpy");
  }
  void clear(void* to, std::size_t values) const {
    check(
        cuda_.function<int(void*, int, std::size_t)>("cudaMemset")(to, 0, values * sizeof(double)),
        "cudaMemset");
  }
  void synchronize() const { check(synchronize_(), "cudaDeviceSynchronize"); }
  // C := C - A B'
  void gemm(int m, int n, int k, const double* a, const double* b, double* c) const {
    const double minus = -1, one = 1;
    check(gemm_(handle_, 0, 1, m, n, k, &minus, a, m, b, n, &one, c, m), "cublasDgemm");
  }
  // The lower half of C := C - A A'
  void syrk(int n, int k, const double* a, double* c) const {
    const double minus = -1, one = 1;
    check(syrk_(handle_, 0, 0, n, k, &minus, a, n, &one, c, n), "cublasDsyrk");
  }

 private:
  static void check(int status, const char* what) {
    if (status != 0) throw std::runtime_error(what + (": status " + std::to_string(status)));
  }

  Library cuda_{"CLCHOL_CUDART", "libcudart.so"};
  Library blas_{"CLCHOL_CUBLAS", "libcublas.so"};
  void* handle_ = nullptr;
  int (*synchronize_)() = cuda_.function<int()>("cudaDeviceSynchronize");
  int (*gemm_)(void*, int, int, int, int, int, const double*, const double*, int, const double*,
               int, const double*, double*, int) =
      blas_.function<int(void*, int, int, int, int, int, const double*, const double*, int,
                         const double*, int, const double*, double*, int)>("cublasDgemm_v2");
  int (*syrk_)(void*, int, int, int, int, const double*, const double*, int, const double*, double*,
               int) = blas_.function<int(void*, int, int, int, int, const double*, const double*,
                                         int, const double*, double*, int)>("cublasDsyrk_v2");
};

// ---- Shapes and variants

struct Shape {
  std::string name;
  bool lower = false;
  Index m = 0, n = 0, k = 0;
  double flops() const {
    return lower ? static_cast<double>(n) * (n + 1.0) * k : 2.0 * m * static_cast<double>(n) * k;
  }
  Offset entries(Index columns, Index rows) const { return Offset{rows} * columns; }
};

Shape parse_shape(const std::string& text) {
  Shape shape{text};
  char kind[8] = "";
  if (std::sscanf(text.c_str(), "gemm:%d:%d:%d", &shape.m, &shape.n, &shape.k) == 3) return shape;
  if (std::sscanf(text.c_str(), "syrk:%d:%d%7s", &shape.n, &shape.k, kind) == 2) {
    shape.m = shape.n;
    shape.lower = true;
    return shape;
  }
  throw std::runtime_error("no shape: " + text);
}

struct Variant {
  std::string name = "tuned";
  bool tuned = true;
  TuningParams params;
  Index slices = 0;  // 0: as the parameters have it.
};

std::vector<Variant> read_variants(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<Variant> variants;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Variant variant;
    if (!(words >> variant.name) || variant.name[0] == '#') continue;
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) throw std::runtime_error("no value: " + word);
      const Index value = std::stoi(word.substr(equals + 1));
      const std::string param = word.substr(0, equals);
      param == "slices" ? variant.slices = value : variant.params[param] = value;
      variant.tuned = variant.params.empty();
    }
    variants.push_back(variant);
  }
  return variants;
}

MatrixProduct product_of(const Shape& shape) {
  MatrixProduct p{};
  p.lda = p.ldc = p.m = shape.m;
  p.ldb = p.n = shape.n;
  p.k = shape.k;
  p.form = CLCHOL_SUBTRACT | (shape.lower ? CLCHOL_LOWER : 0);
  p.front = kNone;
  return p;
}

// ---- Measuring

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Effort {
  int rounds = 5;
  double seconds = 0.01;
};

// Something to be measured: enqueues once, and waits for all that was enqueued.
struct Candidate {
  std::string name;
  std::function<void()> enqueue = {}, wait = {};
  int launches = 1;
  std::vector<double> times = {};
  std::string error = "0";
  std::string options = {};

  double round() {
    const double begin = seconds_now();
    for (int i = 0; i < launches; ++i) enqueue();
    wait();
    return (seconds_now() - begin) / launches;
  }
};

// Everybody in turn, round after round.
void measure(std::vector<Candidate>& candidates, const Effort& effort) {
  for (Candidate& c : candidates) {
    c.round();
    double seconds = c.round();
    if (seconds < effort.seconds) {
      c.launches = 5;
      seconds = c.round();
    }
    c.launches = std::clamp(static_cast<int>(effort.seconds / seconds), 1, 2000);
  }
  for (int round = 0; round < effort.rounds; ++round) {
    for (Candidate& c : candidates) c.times.push_back(c.round());
  }
}

class Bench {
 public:
  Bench(const std::string& device, std::vector<Variant> variants, const Effort& effort)
      : list_(list_devices()),
        context_(open_device(device_at(list_, choose_devices(list_, device).front()))),
        queue_(context_, {.name = "bench"}),
        programs_(context_, default_cache_folder()),
        tuning_(context_.device().name(), ""),
        variants_(std::move(variants)),
        effort_(effort) {
    Queue probing(context_, {.name = "probe", .profiling = true});
    const Capabilities found = probe_capabilities(programs_, probing);
    if (!tensor_cores(found).present) throw std::runtime_error(tensor_cores(found).reason);
    context_.set_static_local_bytes(found.static_local_bytes);
    limits_ = {found.max_work_group_size, found.static_local_bytes};
  }

  void run(const Shape& shape) {
    const MatrixProduct product = product_of(shape);
    const Offset a_size = shape.entries(shape.k, shape.m), b_size = shape.entries(shape.k, shape.n);
    const Offset c_size = shape.entries(shape.n, shape.m);
    const std::vector<double> a = random(a_size, 1), b = shape.lower ? a : random(b_size, 2);
    const DeviceBuffer<double> device_a = filled(a), device_b = filled(b);
    const DeviceBuffer<double> device_c(context_, c_size);
    double* const cuda_a = copied(a);
    double* const cuda_b = shape.lower ? cuda_a : copied(b);
    double* const cuda_c = cublas_.allocate(static_cast<std::size_t>(c_size));
    const auto multiply = [&] {
      shape.lower ? cublas_.syrk(shape.n, shape.k, cuda_a, cuda_c)
                  : cublas_.gemm(shape.m, shape.n, shape.k, cuda_a, cuda_b, cuda_c);
    };

    cublas_.clear(cuda_c, static_cast<std::size_t>(c_size));
    multiply();
    cublas_.synchronize();
    const std::vector<Sample> samples = samples_of(shape);
    std::vector<double> expected, got;
    for (const Sample& sample : samples) {
      const std::size_t before = expected.size();
      expected.resize(before + static_cast<std::size_t>(sample.size));
      cublas_.copy(expected.data() + before, cuda_c + sample.begin,
                   static_cast<std::size_t>(sample.size));
    }
    got.resize(expected.size());

    std::vector<std::unique_ptr<TensorGemm>> gemms;
    std::vector<std::unique_ptr<ProductBatch>> batches;
    std::vector<Candidate> candidates;
    candidates.push_back({"cublas", multiply, [&] { cublas_.synchronize(); }});
    const auto add = [&](const Variant& variant) {
      const TensorParams params = variant.tuned ? tensor_params(tuning_, product, limits_)
                                                : TensorParams::from(variant.params);
      Candidate candidate{variant.name, {}, {}};
      candidate.options = params.build_options();
      gemms.push_back(std::make_unique<TensorGemm>(programs_, params));
      TensorGemm* const gemm = gemms.back().get();
      ProductList tiles(gemm->tile());
      tiles.append(product);
      batches.push_back(std::make_unique<ProductBatch>(queue_, tiles.products(), tiles.tiles()));
      ProductBatch* const batch = batches.back().get();
      const Index slices =
          variant.slices > 0
              ? variant.slices
              : params.slices(tiles.num_tiles(), shape.k,
                              static_cast<Index>(context_.device().description.compute_units));
      candidate.options += " slices=" + std::to_string(slices);
      candidate.enqueue = [&, gemm, batch, slices] {
        gemm->run(queue_, *batch, {device_a, device_b, device_c, {}}, slices);
      };
      candidate.wait = [&] { queue_.finish(); };
      fill(queue_, device_c.view(), 0.0);
      candidate.enqueue();
      Offset place = 0;
      for (const Sample& sample : samples) {
        download<double>(queue_, device_c.part(sample.begin, sample.size),
                         std::span(got).subspan(static_cast<std::size_t>(place),
                                                static_cast<std::size_t>(sample.size)));
        place += sample.size;
      }
      candidate.error = error_of(shape, samples, expected, got);
      candidates.push_back(std::move(candidate));
    };
    // A variant that is refused, or fails, is left out.
    for (const Variant& variant : variants_) {
      try {
        add(variant);
      } catch (const std::exception& error) {
        std::cerr << variant.name << ": " << error.what() << "\n";
      }
    }
    measure(candidates, effort_);
    print(shape, candidates);
    if (!shape.lower) cublas_.release(cuda_b);
    cublas_.release(cuda_a);
    cublas_.release(cuda_c);
  }

 private:
  static std::vector<double> random(Offset size, unsigned seed) {
    std::vector<double> values(static_cast<std::size_t>(size));
    std::uint64_t state = 0x9E3779B97F4A7C15U * seed;
    for (double& value : values) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      value = static_cast<double>(state >> 11) * 0x1p-52 - 1;
    }
    return values;
  }
  DeviceBuffer<double> filled(const std::vector<double>& values) {
    DeviceBuffer<double> buffer(context_, static_cast<Offset>(values.size() + values.size() % 2));
    upload<double>(queue_, values, buffer);
    return buffer;
  }
  double* copied(const std::vector<double>& values) {
    double* const memory = cublas_.allocate(values.size());
    cublas_.copy(memory, values.data(), values.size());
    return memory;
  }
  // Columns of C at both ends: what is compared.
  struct Sample {
    Offset begin, size;
  };
  static std::vector<Sample> samples_of(const Shape& shape) {
    const Offset part = shape.entries(std::min(shape.n, 130), shape.m);
    return {{0, part}, {shape.entries(shape.n, shape.m) - part, part}};
  }
  static std::string error_of(const Shape& shape, const std::vector<Sample>& samples,
                              const std::vector<double>& expected, const std::vector<double>& got) {
    double largest = 0, difference = 0;
    std::size_t place = 0;
    for (const Sample& sample : samples) {
      for (Offset at = sample.begin; at < sample.begin + sample.size; ++at, ++place) {
        if (shape.lower && at % shape.m < at / shape.m) continue;
        largest = std::max(largest, std::abs(expected[place]));
        const double d = std::abs(expected[place] - got[place]);
        if (!(d <= difference)) difference = d;
      }
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.2e", difference / largest);
    return text;
  }
  static void print(const Shape& shape, const std::vector<Candidate>& candidates) {
    const double reference = median(candidates.front().times);
    for (const Candidate& c : candidates) {
      const double seconds = median(c.times);
      std::printf(
          "{\"shape\": \"%s\", \"variant\": \"%s\", \"seconds\": %.3e, \"tflops\": %.2f, "
          "\"to_cublas\": %.3f, \"error\": \"%s\", \"options\": \"%s\"}\n",
          shape.name.c_str(), c.name.c_str(), seconds, shape.flops() / seconds * 1e-12,
          reference / seconds, c.error.c_str(), c.options.c_str());
    }
    std::fflush(stdout);
  }

  DeviceList list_;
  Context context_;
  Queue queue_;
  ProgramCache programs_;
  Tuning tuning_;
  GroupLimits limits_;
  std::vector<Variant> variants_;
  Effort effort_;
  Cublas cublas_;
};

int run(int argc, char** argv) {
  std::string device = "NVIDIA";
  std::vector<Variant> variants{{}};
  std::vector<Shape> shapes;
  Effort effort;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      shapes.push_back(parse_shape(word));
      continue;
    }
    if (i + 1 == argc) throw std::runtime_error("no value for " + word);
    const std::string value = argv[++i];
    if (word == "--device") {
      device = value;
    } else if (word == "--variants") {
      variants = read_variants(value);
    } else if (word == "--rounds") {
      effort.rounds = std::stoi(value);
    } else if (word == "--ms") {
      effort.seconds = std::stod(value) * 1e-3;
    } else {
      throw std::runtime_error("unknown option " + word);
    }
  }
  Bench bench(device, std::move(variants), effort);
  for (const Shape& shape : shapes) bench.run(shape);
  return 0;
}

}  // namespace
}  // namespace clchol::gpu

int main(int argc, char** argv) try {
  return clchol::gpu::run(argc, argv);
} catch (const std::exception& error) {
  std::cerr << "clchol_cublas_beside: " << error.what() << "\n";
  return 1;
}
