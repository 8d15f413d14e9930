// Measures Cholesky factorizations of dense matrices beside cuSOLVER, on one device in one process,
// in turns.  docs/kernels.md reports the results.
//
//   clchol_cusolver_beside [--device NVIDIA] [--rounds 5] [--ms 20] [--warm-ms 50]
//                          [--block 2048] [--blocks-from 8192] N...
//
// The program prints one JSON line for each order N and library.  Seconds are medians over rounds
// of back-to-back factorizations of a random positive definite matrix.  Before each factorization
// the matrix is copied within the device.  `copy_s` is the seconds of that copy, equal for both
// libraries; `tflops` does not include them.  `error` is the largest difference from cuSOLVER's
// factor over the largest entry of that factor.
//
// libcudart and libcusolver are opened at run time.  CLCHOL_CUDART and CLCHOL_CUSOLVER hold their
// paths.
#include <cmath>
#include <cstdio>
#include <iostream>

#include "bench/beside.hpp"
#include "gpu_kernels/devices/device_choice.hpp"
#include "gpu_kernels/fronts/tensor_potrf.hpp"
#include "gpu_kernels/runtime/capabilities.hpp"

namespace clchol::gpu {
namespace {

// cuSOLVER's potrf: LAPACK's dpotrf of the lower triangle, in place.
class CusolverPotrf {
 public:
  CusolverPotrf(const CudaRuntime& cuda, int n, double* a) : cuda_(cuda), n_(n), a_(a) {
    check_cuda(create_(&handle_), "cusolverDnCreate");
    check_cuda(buffer_size_(handle_, kLower, n_, a_, n_, &work_size_), "bufferSize");
    work_ = cuda_.allocate(static_cast<std::size_t>(work_size_));
    info_ = cuda_.allocate<int>(1);
  }
  CusolverPotrf(const CusolverPotrf&) = delete;
  CusolverPotrf& operator=(const CusolverPotrf&) = delete;
  ~CusolverPotrf() {
    cuda_.release(work_);
    cuda_.release(info_);
    destroy_(handle_);
  }
  void run() const {
    check_cuda(potrf_(handle_, kLower, n_, a_, n_, work_, work_size_, info_), "cusolverDnDpotrf");
  }

 private:
  static constexpr int kLower = 0;

  Library library_{"CLCHOL_CUSOLVER", "libcusolver.so"};
  int (*create_)(void**) = library_.function<int(void**)>("cusolverDnCreate");
  int (*destroy_)(void*) = library_.function<int(void*)>("cusolverDnDestroy");
  int (*buffer_size_)(void*, int, int, double*, int, int*) =
      library_.function<int(void*, int, int, double*, int, int*)>("cusolverDnDpotrf_bufferSize");
  int (*potrf_)(void*, int, int, double*, int, double*, int, int*) =
      library_.function<int(void*, int, int, double*, int, double*, int, int*)>("cusolverDnDpotrf");

  const CudaRuntime& cuda_;
  int n_;
  double* a_;
  void* handle_ = nullptr;
  double* work_ = nullptr;
  int work_size_ = 0;
  int* info_ = nullptr;
};

class Bench {
 public:
  /// The two parameters of TensorPotrfParams that a variant may change.
  struct Variant {
    Index block = 0, blocks_from = -1;  // These defaults stand for the library's values.
  };

  Bench(const std::string& device, const Variant& variant, const Effort& effort)
      : list_(list_devices()),
        context_(open_device(device_at(list_, choose_devices(list_, split_names(device)).front()))),
        queue_(context_, {.name = "bench"}),
        programs_(context_, default_cache_folder()),
        effort_(effort) {
    Queue probing(context_, {.name = "probe", .profiling = true});
    const Capabilities found = probe_capabilities(programs_, probing);
    if (!tensor_cores(found).present) throw std::runtime_error(tensor_cores(found).reason);
    context_.set_static_local_bytes(found.static_local_bytes);
    params_ = tensor_potrf_params(Tuning(context_.device().name(), ""),
                                  {found.max_work_group_size, found.static_local_bytes});
    if (variant.block > 0) params_.block = variant.block;
    if (variant.blocks_from >= 0) params_.blocks_from = variant.blocks_from;
  }

  void run(Index n) {
    const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    std::vector<double> a = random_values(size, 3);
    for (std::size_t i = 0; i < size; i += static_cast<std::size_t>(n) + 1) a[i] += 2.0 * n;

    double* const source = cuda_.copied(a);
    double* const target = cuda_.allocate(size);
    const CusolverPotrf cusolver(cuda_, n, target);
    const DeviceBuffer<double> ours_source(context_, static_cast<Offset>(size)),
        ours_target(context_, static_cast<Offset>(size));
    upload<double>(queue_, a, ours_source);
    TensorPotrf ours(programs_, params_, BatchOrder::kTickets);
    const TensorPotrfPlan plan = ours.upload(queue_, n, n);
    const auto wait_cuda = [&] { cuda_.synchronize(); };
    const auto wait_ours = [&] { queue_.finish(); };
    const auto copy_cuda = [&] { cuda_.copy_on_device(target, source, size); };
    const auto copy_ours = [&] { copy<double>(queue_, ours_source, ours_target); };
    std::vector<Candidate> candidates{{"cusolver copy", copy_cuda, wait_cuda},
                                      {"cusolver",
                                       [&] {
                                         copy_cuda();
                                         cusolver.run();
                                       },
                                       wait_cuda},
                                      {"clchol copy", copy_ours, wait_ours},
                                      {"clchol",
                                       [&] {
                                         copy_ours();
                                         ours.factor(queue_, plan, ours_target);
                                       },
                                       wait_ours}};
    measure(candidates, effort_);

    std::vector<double> expected(size), got(size);
    cuda_.copy(expected.data(), target, size);
    download<double>(queue_, ours_target, got);
    print(n, candidates, error_of(n, expected, got));
    cuda_.release(source);
    cuda_.release(target);
  }

 private:
  static double error_of(Index n, const std::vector<double>& expected,
                         const std::vector<double>& got) {
    double largest = 0, difference = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
      for (std::size_t i = j; i < static_cast<std::size_t>(n); ++i) {
        const std::size_t at = i + j * static_cast<std::size_t>(n);
        largest = std::max(largest, std::abs(expected[at]));
        difference = larger(difference, std::abs(expected[at] - got[at]));
      }
    }
    return difference / largest;
  }
  static void print(Index n, const std::vector<Candidate>& candidates, double error) {
    const double flops = static_cast<double>(n) * n * n / 3;
    double of_cusolver = 0;
    for (std::size_t k = 0; k < candidates.size(); k += 2) {
      const double copying = median(candidates[k].times);
      const double seconds = median(candidates[k + 1].times) - copying;
      if (k == 0) of_cusolver = seconds;
      std::printf(
          "{\"potrf\": %d, \"library\": \"%s\", \"seconds\": %.3e, \"copy_s\": %.2e, \"tflops\": "
          "%.2f, \"to_cusolver\": %.3f, \"error\": %.1e}\n",
          n, candidates[k + 1].name.c_str(), seconds, copying, flops / seconds * 1e-12,
          of_cusolver / seconds, error);
    }
    std::fflush(stdout);
  }

  DeviceList list_;
  Context context_;
  Queue queue_;
  ProgramCache programs_;
  TensorPotrfParams params_;
  Effort effort_;
  CudaRuntime cuda_;
};

int run(int argc, char** argv) {
  std::string device = "NVIDIA";
  Effort effort{5, 0.02};
  Bench::Variant variant;
  std::vector<Index> orders;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      orders.push_back(std::stoi(word));
      if (orders.back() < 2 || orders.back() % 2 != 0) {
        throw std::runtime_error(word + ": orders are even");
      }
      continue;
    }
    if (i + 1 == argc) throw std::runtime_error("no value for " + word);
    const std::string value = argv[++i];
    if (word == "--block") {
      variant.block = std::stoi(value);
    } else if (word == "--blocks-from") {
      variant.blocks_from = std::stoi(value);
    } else if (!take_option(word, value, device, effort)) {
      throw std::runtime_error("unknown option " + word);
    }
  }
  Bench bench(device, variant, effort);
  for (const Index n : orders) bench.run(n);
  return 0;
}

}  // namespace
}  // namespace clchol::gpu

int main(int argc, char** argv) try {
  return clchol::gpu::run(argc, argv);
} catch (const std::exception& error) {
  std::cerr << "clchol_cusolver_beside: " << error.what() << "\n";
  return 1;
}
