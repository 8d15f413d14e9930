// Measures factorizations and solves by the device engine, launch by launch, and checks L against
// the CPU engine.
//
//   clchol_device_factor_bench [--device NAME] [--reps R] [--threads N] [--check 0|1]
//                              [--solve N]... [--set KEY=VALUE[,KEY=VALUE...]]...
//                              [--cost KEY=VALUE[,KEY=VALUE...]] MATRIX...
//
// A MATRIX is a model problem or a file (solver/load_matrix.hpp), or dense:N, one front of order N.
// Every --set is a variant of the plan and the kernels, measured for each matrix.  Its keys for
// factorizations: small_rows, small_columns, least_wave, updates_mib, panels_mib (limits of
// numeric/device/groups.hpp), least_launch, tile_rows, tile_k, stages, mma_k, cached, registers,
// groups, top_share, top_registers, top_work_groups, tall_from, tall_registers, tall_work_groups,
// levels, plain.  Its keys for solves: solve_rhs, solve_stages, solve_registers, solve_groups,
// subtree_rows, subtree_columns, subtrees, part_rows, coupled_blocks, spanned_blocks, span.
// --cost sets coefficients of the model of a front's time by which the analysis merges fronts
// (symbolic/front_cost.hpp): front, small_front, small_rows, column_block, panel_tile, update_tile,
// block, in cycles, rows and columns.  The program prints one JSON line for each matrix and
// variant:
//
//   factor_ms   from the first enqueue to the end, values on the device: median of R repetitions
//   events_ms   time of the launches, by kernel, from events of one more run
//   small_ms    time of the launches for small fronts, in order
//   tflops      rate of the factorization; flops without amalgamated zeros
//   error       largest difference of L's entries from the CPU engine's, over the largest entry
//
// and one for every --solve, with N right-hand sides and with the diagonal blocks already inverted:
//
//   forward_ms, backward_ms   from the begin of the first launch to the end of the last one, by
//                             events: median of R repetitions; solve_ms is their sum
//   subtrees_ms, tiles_ms     time of the launches for subtrees and for tiles, both directions
//   invert_ms                 time of the inversion of the diagonal blocks
//   gb_s                      bytes of L's trapezoids, once for each direction and every solve_rhs
//                             right-hand sides, over solve_ms
//   backward_error            |b - A x| / (|A| |x| + |b|) in infinity norms, the largest of the N
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/timer.hpp"
#include "bench/device_factor_problem.hpp"
#include "bench/device_factor_variants.hpp"
#include "bench/median.hpp"
#include "gpu_kernels/devices/device_choice.hpp"
#include "gpu_kernels/fronts/front_solve.hpp"
#include "gpu_kernels/runtime/capabilities.hpp"
#include "numeric/device/factor.hpp"
#include "solver/analysis.hpp"
#include "solver/factorization.hpp"

namespace {

namespace gpu = clchol::gpu;
namespace numeric = clchol::numeric;
namespace solver = clchol::solver;
using clchol::Index;
using clchol::median;
using clchol::Offset;
using clchol::bench::cost_of;
using clchol::bench::parse_values;
using clchol::bench::Problem;
using clchol::bench::take_solve_params;
using clchol::bench::text_of;
using clchol::bench::Values;
using clchol::bench::Variant;
using clchol::bench::variant_of;

struct Settings {
  std::string device = "0";
  int reps = 7;
  bool check = true;
  std::vector<Index> solves;  // Right-hand sides of each --solve.
  clchol::Options options;
  clchol::symbolic::FrontCost cost;
  std::vector<Values> variants;
  std::vector<std::string> matrices;
};

class Bench {
 public:
  explicit Bench(const Settings& settings)
      : settings_(settings),
        list_(gpu::list_devices()),
        context_(gpu::open_device(gpu::device_at(
            list_, gpu::choose_devices(list_, gpu::split_names(settings.device)).front()))),
        queue_(context_),
        profiled_(context_, {.name = "profiled", .profiling = true}),
        programs_(context_, gpu::default_cache_folder()),
        capabilities_(gpu::probe_capabilities(programs_, queue_)),
        tuning_(context_.device().name(), "") {
    context_.set_static_local_bytes(capabilities_.static_local_bytes);
  }

  void run(const std::string& name) {
    const Problem problem(name, settings_.options, settings_.cost, settings_.check);
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
    Variant v = variant_of(variant, capabilities_, tuning_);
    v.kernels.threads = v.solve_plan.threads = solver::num_threads(settings_.options);
    const clchol::Timer setup;
    numeric::DevicePlan plan =
        numeric::make_device_plan(problem.symbolic(), problem.entries(), v.plan);
    const double plan_s = setup.seconds();
    numeric::DeviceFactor<double> factor(programs_, problem.symbolic(), problem.entries(),
                                         std::move(plan), v.kernels);
    const gpu::DeviceBuffer<double> updates(context_, factor.plan().update_entries);
    factor.allocate(queue_, updates);
    numeric::PanelStore<double> store(factor.plan().panels.slab_sizes, {});
    store.allocate(context_, {}, {}, v.kernels.threads);
    const double setup_s = setup.seconds();
    factor.factorize(queue_, values, store);
    queue_.finish();
    const double error = problem.error(queue_, factor, store);
    std::vector<double> seconds;
    for (int k = 0; k < settings_.reps; ++k) {
      const clchol::Timer timer;
      factor.factorize(queue_, values, store);
      queue_.finish();
      seconds.push_back(timer.seconds());
    }
    const double factor_s = median(seconds);
    const Index small = factor.plan().num_small();
    std::printf(
        "{\"matrix\": \"%s\", \"variant\": \"%s\", \"factor_ms\": %.3f, \"tflops\": %.2f, "
        "\"error\": %.1e, \"plan_s\": %.3f, \"setup_s\": %.3f, \"small\": %d, "
        "\"large\": %d, \"groups\": %zu, \"panel_bytes\": %lld, \"update_bytes\": %lld, "
        "\"events_ms\": {%s]}\n",
        name.c_str(), text_of(variant).c_str(), factor_s * 1e3,
        problem.symbolic().info.flops / factor_s * 1e-12, error, plan_s, setup_s, small,
        static_cast<Index>(factor.plan().fronts.size()) - small, factor.plan().groups.size(),
        8 * static_cast<long long>(factor.plan().panel_entries()),
        8 * static_cast<long long>(factor.plan().update_entries),
        events(factor, store, values).c_str());
    for (const Index nrhs : settings_.solves) {
      measure_solve(name, text_of(variant), problem, {factor, store}, nrhs, v);
    }
  }

  // Milliseconds of one solve, by direction and by kind of launch.
  struct SolveTimes {
    double forward, backward, subtrees, tiles;
  };

  struct Made {
    const numeric::DeviceFactor<double>& factor;
    numeric::PanelStore<double>& panels;
  };

  void measure_solve(const std::string& name, const std::string& variant, const Problem& problem,
                     const Made& made, Index nrhs, const Variant& v) {
    Values given = v.given;
    const clchol::symbolic::SymbolicFactor& symbolic = problem.symbolic();
    const auto fronts = numeric::solve_fronts(symbolic, made.factor.plan());
    const clchol::Timer setup;
    const gpu::FrontSolvePlan plan = gpu::upload_front_solve(
        queue_,
        gpu::make_front_solve(
            {fronts, symbolic.relind, static_cast<Offset>(symbolic.super_rowind.size())},
            v.solve_plan),
        symbolic.super_rowind);
    const gpu::FrontSolveParams params = take_solve_params(given, nrhs, plan.sizes);
    const gpu::FrontSolve kernels(programs_, params);
    const gpu::DeviceBuffer<double> values(
        context_, gpu::FrontSolve::workspace_entries(plan.sizes, params.rhs, nrhs));
    gpu::FrontSolveWorkspace workspace = kernels.workspace(queue_, plan, values, nrhs);
    const gpu::DeviceBuffer<double> inverses(context_, plan.sizes.inverse_entries);
    const double setup_s = setup.seconds();
    gpu::FrontSolveBlocks blocks(programs_);
    std::vector<gpu::FrontSolveOperands> ranges;
    const double invert_ms = logged_ms([&] {
      for (Index g = 0; g < plan.sizes.num_groups; ++g) {
        const gpu::DeviceView<double> panels = made.panels.acquire(g).panels;
        const gpu::DeviceView<double> of_group = inverses.part(
            plan.groups[static_cast<std::size_t>(g)].inverses, plan.inverse_entries(g));
        blocks.run(profiled_, plan, g, panels, of_group);
        ranges.push_back({nrhs, panels, of_group, {}});
      }
    });

    const std::vector<double> b = problem.right_hand_sides(nrhs);
    gpu::DeviceBuffer<double> x(context_, static_cast<Offset>(b.size()));
    for (gpu::FrontSolveOperands& range : ranges) range.x = x;
    std::vector<double> forward, backward, subtrees, tiles;
    for (int k = 0; k <= settings_.reps; ++k) {
      gpu::upload<double>(profiled_, b, x);
      const SolveTimes times = one_solve(kernels, plan, workspace, ranges);
      if (k == 0) continue;  // The first run warms up.
      forward.push_back(times.forward);
      backward.push_back(times.backward);
      subtrees.push_back(times.subtrees);
      tiles.push_back(times.tiles);
    }
    std::vector<double> solution(b.size());
    gpu::download<double>(profiled_, x, solution);
    const double forward_ms = median(forward), backward_ms = median(backward);
    const Index launches = (nrhs + params.rhs - 1) / params.rhs;
    const double bytes =
        2.0 * sizeof(double) * static_cast<double>(symbolic.info.nnz_stored) * launches;
    std::printf(
        "{\"matrix\": \"%s\", \"variant\": \"%s\", \"nrhs\": %d, \"rhs\": %d, \"solve_ms\": %.3f, "
        "\"forward_ms\": %.3f, "
        "\"backward_ms\": %.3f, \"subtrees_ms\": %.3f, \"tiles_ms\": %.3f, \"invert_ms\": %.3f, "
        "\"gb_s\": %.0f, \"backward_error\": %.1e, \"subtrees\": %d, \"forward_tickets\": %lld, "
        "\"backward_tickets\": %lld, \"inverse_gb\": %.3f, \"setup_s\": %.3f}\n",
        name.c_str(), variant.c_str(), nrhs, params.rhs, forward_ms + backward_ms, forward_ms,
        backward_ms, median(subtrees), median(tiles), invert_ms,
        bytes / (forward_ms + backward_ms) * 1e-6, problem.backward_error(b, solution, nrhs),
        plan.groups.back().subtree, static_cast<long long>(plan.forward.size()),
        static_cast<long long>(plan.backward.size()),
        static_cast<double>(plan.sizes.inverse_entries) * 8e-9, setup_s);
  }

  SolveTimes one_solve(const gpu::FrontSolve& kernels, const gpu::FrontSolvePlan& plan,
                       gpu::FrontSolveWorkspace& workspace,
                       const std::vector<gpu::FrontSolveOperands>& ranges) {
    SolveTimes times{};
    const auto take = [&](double& direction, const std::vector<gpu::LoggedEvent>& events) {
      direction = span_ms(events);
      for (const gpu::LoggedEvent& event : events) {
        const bool subtree = event.name.rfind("subtree", 0) == 0;
        if (event.name.rfind("front_solve", 0) == 0) times.tiles += event.times.seconds() * 1e3;
        if (subtree) times.subtrees += event.times.seconds() * 1e3;
      }
    };
    const auto groups = static_cast<Index>(ranges.size());
    take(times.forward, logged([&] {
           for (Index g = 0; g < groups; ++g) {
             kernels.forward(profiled_, plan, workspace, g, ranges[static_cast<std::size_t>(g)]);
           }
         }));
    take(times.backward, logged([&] {
           for (Index g = groups - 1; g >= 0; --g) {
             kernels.backward(profiled_, plan, workspace, g, ranges[static_cast<std::size_t>(g)]);
           }
         }));
    return times;
  }

  template <class Enqueue>
  std::vector<gpu::LoggedEvent> logged(const Enqueue& enqueue) {
    gpu::EventLog log;
    profiled_.set_log(&log);
    enqueue();
    profiled_.set_log(nullptr);
    return log.take();
  }
  template <class Enqueue>
  double logged_ms(const Enqueue& enqueue) {
    return span_ms(logged(enqueue));
  }
  static double span_ms(const std::vector<gpu::LoggedEvent>& events) {
    if (events.empty()) return 0;
    std::uint64_t start = events.front().times.start, end = 0;
    for (const gpu::LoggedEvent& event : events) {
      start = std::min(start, event.times.start);
      end = std::max(end, event.times.end);
    }
    return static_cast<double>(end - start) * 1e-6;
  }

  std::string events(numeric::DeviceFactor<double>& factor, numeric::PanelStore<double>& store,
                     const gpu::DeviceBuffer<double>& values) {
    gpu::EventLog log;
    profiled_.set_log(&log);
    factor.factorize(profiled_, values, store);
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
    else if (word == "--solve")
      settings.solves.push_back(std::max(1, std::atoi(value.c_str())));
    else if (word == "--cost")
      settings.cost = cost_of(parse_values(value));
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
