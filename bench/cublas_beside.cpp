// Measures products on fp64 tensor cores beside cuBLAS, on one device in one process, in turns.
// docs/kernels.md reports the results.
//
//   clchol_cublas_beside [--device NVIDIA] [--rounds 5] [--ms 10] [--warm-ms 50]
//                         [--variants FILE] SHAPES...
//
// A shape is gemm:M:N:K or syrk:N:K, with beta = 1 and leading dimension M.  Each line of FILE is a
// variant, "name [slices=S] [param=value ...]", with parameters of TensorParams.  Without a file
// the only variant is "tuned", the row of the device's tuning data.  The program prints one JSON
// line for each shape and variant.  Seconds are medians over rounds of back-to-back launches; each
// round follows --warm-ms of unmeasured launches of the same variant.  `error` is the largest
// difference from cuBLAS's C over the largest entry of that C.
//
// libcudart and libcublas are opened at run time.  CLCHOL_CUDART and CLCHOL_CUBLAS hold their
// paths.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "bench/beside.hpp"
#include "gpu_kernels/dense/tensor_gemm.hpp"
#include "gpu_kernels/devices/device_choice.hpp"

namespace clchol::gpu {
namespace {

// ---- cuBLAS

class Cublas {
 public:
  Cublas() { check_cuda(blas_.function<int(void**)>("cublasCreate_v2")(&handle_), "cublasCreate"); }
  // C := C - A B'
  void gemm(int m, int n, int k, const double* a, const double* b, double* c) const {
    const double minus = -1, one = 1;
    check_cuda(gemm_(handle_, 0, 1, m, n, k, &minus, a, m, b, n, &one, c, m), "cublasDgemm");
  }
  // The lower half of C := C - A A'
  void syrk(int n, int k, const double* a, double* c) const {
    const double minus = -1, one = 1;
    check_cuda(syrk_(handle_, 0, 0, n, k, &minus, a, n, &one, c, n), "cublasDsyrk");
  }

 private:
  Library blas_{"CLCHOL_CUBLAS", "libcublas.so"};
  void* handle_ = nullptr;
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
  Index slices = 0;  // Slices of k of every tile; 0: the slices that the parameters choose.
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
  p.form = CLCHOL_SUBTRACT | (shape.lower ? CLCHOL_LOWER | CLCHOL_SAME : 0);
  p.front = kNone;
  return p;
}

// ---- Measuring

class Bench {
 public:
  Bench(const std::string& device, std::vector<Variant> variants, const Effort& effort)
      : list_(list_devices()),
        context_(open_device(device_at(list_, choose_devices(list_, split_names(device)).front()))),
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
    const std::vector<double> a = random_values(static_cast<std::size_t>(a_size), 1),
                              b = shape.lower ? a
                                              : random_values(static_cast<std::size_t>(b_size), 2);
    const DeviceBuffer<double> device_a = filled(a),
                               device_b = shape.lower ? DeviceBuffer<double>() : filled(b);
    const DeviceBuffer<double> device_c(context_, c_size);
    double* const cuda_a = cuda_.copied(a);
    double* const cuda_b = shape.lower ? cuda_a : cuda_.copied(b);
    double* const cuda_c = cuda_.allocate(static_cast<std::size_t>(c_size));
    const auto multiply = [&] {
      shape.lower ? cublas_.syrk(shape.n, shape.k, cuda_a, cuda_c)
                  : cublas_.gemm(shape.m, shape.n, shape.k, cuda_a, cuda_b, cuda_c);
    };

    cuda_.clear(cuda_c, static_cast<std::size_t>(c_size));
    multiply();
    cuda_.synchronize();
    const std::vector<Sample> samples = samples_of(shape);
    std::vector<double> expected, got;
    for (const Sample& sample : samples) {
      const std::size_t before = expected.size();
      expected.resize(before + static_cast<std::size_t>(sample.size));
      cuda_.copy(expected.data() + before, cuda_c + sample.begin,
                 static_cast<std::size_t>(sample.size));
    }
    got.resize(expected.size());

    std::vector<std::unique_ptr<TensorGemm>> gemms;
    std::vector<std::unique_ptr<ProductBatch>> batches;
    std::vector<Candidate> candidates;
    candidates.push_back({"cublas", multiply, [&] { cuda_.synchronize(); }});
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
      const TileSlices slices =
          variant.slices > 0
              ? TileSlices{0, variant.slices}
              : params.slices(tiles.num_tiles(), shape.k,
                              static_cast<Index>(context_.device().description.compute_units));
      candidate.options +=
          " slices=" + std::to_string(slices.slices) + " from " + std::to_string(slices.whole);
      candidate.enqueue = [&, gemm, batch, slices] {
        gemm->run(queue_, *batch, {device_a, shape.lower ? device_a : device_b, device_c, {}},
                  slices);
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
    // A variant that clchol refuses, or whose launch fails, is not measured.
    for (const Variant& variant : variants_) {
      try {
        add(variant);
      } catch (const std::exception& error) {
        std::cerr << variant.name << ": " << error.what() << "\n";
      }
    }
    measure(candidates, effort_);
    print(shape, candidates);
    if (!shape.lower) cuda_.release(cuda_b);
    cuda_.release(cuda_a);
    cuda_.release(cuda_c);
  }

 private:
  DeviceBuffer<double> filled(const std::vector<double>& values) {
    DeviceBuffer<double> buffer(context_, static_cast<Offset>(values.size() + values.size() % 2));
    upload<double>(queue_, values, buffer);
    return buffer;
  }
  // A range of columns of C that is compared: at the begin or at the end of C.
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
        difference = larger(difference, std::abs(expected[place] - got[place]));
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
  WorkGroupLimits limits_;
  std::vector<Variant> variants_;
  Effort effort_;
  CudaRuntime cuda_;
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
    if (word == "--variants") {
      variants = read_variants(value);
    } else if (!take_option(word, value, device, effort)) {
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
