// The device engine's numeric phase, launch by launch, checked against the CPU engine.
//
//   clchol_device_factor_bench [--device NAME] [--reps R] [--threads N] [--check 0|1]
//                              [--set KEY=VALUE[,KEY=VALUE...]]... MATRIX...
//
// A MATRIX is a model problem or a file (solver/load_matrix.hpp), or dense:N, one front of order N.
// Every --set is a variant of the kernels' shapes, measured for each matrix: small_rows,
// small_columns, least_wave, least_launch, tile_rows, slab_k, stages, mma_k, cached, registers,
// groups_per_unit, top_share, top_registers, top_groups_per_unit, levels, plain.  One JSON line
// each:
//
//   factor_ms   from the first enqueue to the end, the values on the device: median of R
//   events_ms   time of the launches by kernel, from events of one more run
//   small_ms    of the launches of small fronts, in order
//   tflops      of the factorization without amalgamated zeros
//   error       largest difference of L's entries from the CPU engine's, over the largest entry
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/timer.hpp"
#include "gpu_kernels/capabilities.hpp"
#include "gpu_kernels/device_choice.hpp"
#include "numeric/factorize_device.hpp"
#include "solver/analysis.hpp"
#include "solver/cpu_engine.hpp"
#include "solver/factorization.hpp"
#include "solver/load_matrix.hpp"

namespace {

namespace gpu = clchol::gpu;
namespace numeric = clchol::numeric;
namespace solver = clchol::solver;
using clchol::Index;
using clchol::Offset;

using Values = std::map<std::string, Index>;

struct Settings {
  std::string device = "0";
  int reps = 7;
  bool check = true;
  clchol::Options options;
  std::vector<Values> variants;
  std::vector<std::string> matrices;
};

Index take(Values& values, const char* name, Index otherwise) {
  const auto found = values.find(name);
  if (found == values.end()) return otherwise;
  const Index value = found->second;
  values.erase(found);
  return value;
}

struct Variant {
  numeric::DevicePlanOptions plan;
  numeric::DeviceKernelParams kernels;
};

Variant variant_of(Values values, const gpu::Capabilities& can, const gpu::Tuning& tuning) {
  Variant v;
  v.plan.small_rows = take(values, "small_rows", v.plan.small_rows);
  v.plan.small_columns = take(values, "small_columns", v.plan.small_columns);
  v.plan.least_wave = take(values, "least_wave", v.plan.least_wave);
  v.kernels.least_launch = take(values, "least_launch", v.kernels.least_launch);
  gpu::FrontBatchParams& b = v.kernels.batch;
  b.tile_rows = take(values, "tile_rows", b.tile_rows);
  b.slab_k = take(values, "slab_k", b.slab_k);
  b.stages = take(values, "stages", b.stages);
  b.mma_k = take(values, "mma_k", b.mma_k);
  b.cached = take(values, "cached", b.cached);
  b.registers = take(values, "registers", b.registers);
  b.groups_per_unit = take(values, "groups_per_unit", b.groups_per_unit);
  b.top_share = take(values, "top_share", b.top_share);
  b.top_registers = take(values, "top_registers", b.top_registers);
  b.top_groups_per_unit = take(values, "top_groups_per_unit", b.top_groups_per_unit);
  if (take(values, "plain", 0) != 0) {
    const gpu::GroupLimits limits{can.max_work_group_size, can.static_local_bytes};
    v.kernels.plain =
        numeric::PlainWavesParams{gpu::panel_params<double>(tuning, limits),
                                  {gpu::gemm_params<double>(tuning, "plain", limits),
                                   gpu::gemm_params<double>(tuning, "plain_small", limits)},
                                  {}};
  }
  if (take(values, "levels", 0) != 0) v.kernels.order = gpu::BatchOrder::kLevels;
  v.kernels.small_classes = gpu::small_front_classes(can, tuning, sizeof(double));
  if (!values.empty()) throw clchol::InvalidArgument("no such parameter: " + values.begin()->first);
  return v;
}

std::string text_of(const Values& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(value);
  }
  return text;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A dense matrix with a heavy diagonal.
solver::SymmetricMatrix make_dense(Index n) {
  solver::SymmetricMatrix a;
  a.lower.n = n;
  a.lower.colptr.push_back(0);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      a.lower.rowind.push_back(i);
      a.values.push_back(i == j ? n : std::cos(1.0 + i * 0.7 + j * 1.3));
    }
    a.lower.colptr.push_back(static_cast<Offset>(a.values.size()));
  }
  return a;
}

solver::SymmetricMatrix load(const std::string& name) {
  if (name.rfind("dense:", 0) == 0) return make_dense(std::atoi(name.c_str() + 6));
  return solver::load_matrix(name);
}

/// A matrix, its analysis, and L from the CPU engine.
class Problem {
 public:
  Problem(const std::string& name, const Settings& settings)
      : a_(load(name)),
        analysis_(
            solver::analyze(solver::make_input_map<Offset, Index>(
                                a_.n(), a_.lower.colptr, a_.lower.rowind, clchol::Triangle::kLower),
                            settings.options, true)) {
    solver::map_values<double>(analysis_->map, a_.values, 1, values_);
    if (values_.empty()) values_ = a_.values;
    if (!settings.check) return;
    engine_.emplace(analysis_->symbolic, analysis_->plan, settings.options.threads);
    result_ = engine_->factorize(values_, solver::control_of(settings.options));
  }

  const clchol::symbolic::SymbolicFactor& symbolic() const { return analysis_->symbolic; }
  const clchol::symbolic::ExecutionPlan& plan() const { return analysis_->plan; }
  const std::vector<double>& values() const { return values_; }

  double error(gpu::Queue& queue, const numeric::DeviceFactor<double>& factor) const {
    if (!engine_) return -1;
    std::vector<double> panels(static_cast<std::size_t>(factor.panels().size));
    gpu::download<double>(queue, factor.panels(), panels);
    double difference = 0, largest = 0;
    const numeric::DevicePlan& plan = factor.plan();
    for (std::size_t f = 0; f < plan.fronts.size(); ++f) {
      const gpu::Front& front = plan.fronts[f];
      const auto twin = engine_->factor().panel(plan.super[f]);
      for (Index j = 0; j < front.ncol; ++j) {
        for (Index i = j; i < front.nrow; ++i) {
          const double l = twin.data[i + j * twin.ld];
          const double d = std::abs(panels[front.panel + i + j * front.ldp] - l);
          if (!(d <= difference)) difference = d;
          largest = std::max(largest, std::abs(l));
        }
      }
    }
    return difference / largest;
  }

 private:
  solver::SymmetricMatrix a_;
  std::unique_ptr<solver::Analysis> analysis_;
  std::vector<double> values_;
  std::optional<solver::CpuEngine<double>> engine_;
  numeric::FactorResult result_;
};

class Bench {
 public:
  explicit Bench(const Settings& settings)
      : settings_(settings),
        list_(gpu::list_devices()),
        context_(gpu::open_device(
            gpu::device_at(list_, gpu::choose_devices(list_, settings.device).front()))),
        queue_(context_),
        profiled_(context_, {.name = "profiled", .profiling = true}),
        programs_(context_, gpu::default_cache_folder()),
        capabilities_(gpu::probe_capabilities(programs_, queue_)),
        tuning_(context_.device().name(), "") {
    context_.set_static_local_bytes(capabilities_.static_local_bytes);
  }

  void run(const std::string& name) {
    const Problem problem(name, settings_);
    gpu::DeviceBuffer<double> values(context_, static_cast<Offset>(problem.values().size()));
    gpu::upload<double>(queue_, problem.values(), values);
    for (const Values& variant : settings_.variants) {
      try {
        measure(name, problem, values, variant);
      } catch (const std::exception& error) {
        std::printf("{\"matrix\": \"%s\", \"variant\": \"%s\", \"error\": \"%.300s\"}\n",
                    name.c_str(), text_of(variant).c_str(), error.what());
      }
      std::fflush(stdout);
    }
  }

 private:
  void measure(const std::string& name, const Problem& problem,
               const gpu::DeviceBuffer<double>& values, const Values& variant) {
    const Variant v = variant_of(variant, capabilities_, tuning_);
    const clchol::Timer setup;
    numeric::DevicePlan plan =
        numeric::make_device_plan(problem.symbolic(), problem.plan(), v.plan);
    const double plan_s = setup.seconds();
    numeric::DeviceFactor<double> factor(programs_, queue_, problem.symbolic(), problem.plan(),
                                         std::move(plan), v.kernels);
    const double setup_s = setup.seconds();
    factor.factorize(queue_, values);
    queue_.finish();
    const double error = problem.error(queue_, factor);
    std::vector<double> seconds;
    for (int k = 0; k < settings_.reps; ++k) {
      const clchol::Timer timer;
      factor.factorize(queue_, values);
      queue_.finish();
      seconds.push_back(timer.seconds());
    }
    const double factor_s = median(seconds);
    std::printf(
        "{\"matrix\": \"%s\", \"variant\": \"%s\", \"factor_ms\": %.3f, \"tflops\": %.2f, "
        "\"error\": %.1e, \"plan_s\": %.3f, \"setup_s\": %.3f, \"small\": %d, "
        "\"large\": %zu, \"events_ms\": {%s]}\n",
        name.c_str(), text_of(variant).c_str(), factor_s * 1e3,
        problem.symbolic().info.flops / factor_s * 1e-12, error, plan_s, setup_s,
        factor.plan().num_small, factor.plan().batch.size(), events(factor, values).c_str());
  }

  std::string events(numeric::DeviceFactor<double>& factor,
                     const gpu::DeviceBuffer<double>& values) {
    gpu::EventLog log;
    profiled_.set_log(&log);
    factor.factorize(profiled_, values);
    profiled_.set_log(nullptr);
    std::map<std::string, double> by_kernel;
    std::map<std::string, int> launches;
    std::string small;
    for (const gpu::LoggedEvent& event : log.take()) {
      const double ms = event.times.seconds() * 1e3;
      by_kernel[event.name] += ms;
      ++launches[event.name];
      if (event.name.rfind("small_front", 0) == 0) {
        small += (small.empty() ? "" : ", ") + std::to_string(ms);
      }
    }
    std::string text;
    for (const auto& [kernel, ms] : by_kernel) {
      char item[100];
      std::snprintf(item, sizeof item, "%s\"%s:%d\": %.3f", text.empty() ? "" : ", ",
                    kernel.c_str(), launches[kernel], ms);
      text += item;
    }
    return text + "}, \"small_ms\": [" + small;
  }

  const Settings& settings_;
  gpu::DeviceList list_;
  gpu::Context context_;
  gpu::Queue queue_, profiled_;
  gpu::ProgramCache programs_;
  gpu::Capabilities capabilities_;
  gpu::Tuning tuning_;
};

Values parse_values(const std::string& text) {
  Values values;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const std::size_t equals = item.find('=');
    if (equals != std::string::npos) {
      values[item.substr(0, equals)] = std::atoi(item.c_str() + equals + 1);
    }
    begin = end + 1;
  }
  return values;
}

Settings parse(int argc, char** argv) {
  Settings settings;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word.rfind("--", 0) != 0) {
      settings.matrices.push_back(word);
      continue;
    }
    if (++k == argc) throw clchol::InvalidArgument(word + " wants a value");
    const std::string value = argv[k];
    if (word == "--device")
      settings.device = value;
    else if (word == "--reps")
      settings.reps = std::max(1, std::atoi(value.c_str()));
    else if (word == "--threads")
      settings.options.threads = std::atoi(value.c_str());
    else if (word == "--check")
      settings.check = value != "0";
    else if (word == "--set")
      settings.variants.push_back(parse_values(value));
    else
      throw clchol::InvalidArgument("no such option: " + word);
  }
  if (settings.variants.empty()) settings.variants.emplace_back();
  return settings;
}

}  // namespace

int main(int argc, char** argv) try {
  const Settings settings = parse(argc, argv);
  Bench bench(settings);
  for (const std::string& name : settings.matrices) bench.run(name);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
