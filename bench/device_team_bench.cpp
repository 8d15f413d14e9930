// Measures one factorization and solves by several devices, beside the same by fewer devices.
//
//   clchol_device_team_bench [--devices NAME,NAME...] [--reps R] [--threads N] MATRIX...
//   clchol_device_team_bench --model P --rates DEVICE MATRIX...
//
// The second form needs no device.  For 1, 2, 4... P devices with the tuning data of DEVICE (its
// whole name) it prints the predictions of the mapping's model, and `chain_s`: the seconds of the
// longest chain of fronts from a leaf to a root, where one device computes each front.  No number
// of devices is faster than that.
//
// Devices are given as for clchol's --device, by number or name (default: the first).  A MATRIX is
// a model problem or a file.  The program prints one JSON line for each number of devices, from the
// first device alone to all devices:
//
//   setup_s      make kernels, lists and buffers
//   factor_s     from values on the host until all devices are done: median of R repetitions
//   speedup      factor_s of the first device alone over factor_s
//   predicted_s, predicted_speedup   seconds and speedup by the mapping's model
//   used         number of devices that have fronts
//   busy_s       seconds of work of each device, by the model
//   handed_over_bytes   bytes of the update matrices that devices hand over to others
//   solve_s, solve_16_s   solves with 1 and 16 right-hand sides on the host: medians of R
//   transfer_s, transfer_16_s   the part of solve_s and solve_16_s that X takes to the devices and
//                               back: medians of R
//   solve_speedup, solve_16_speedup   times of the first device alone over solve_s and solve_16_s
//   same_x       whether the solution with 16 right-hand sides has the bits of the first device's
//   same_bits    whether L has the bits of the first device's L (with --check 1)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/timer.hpp"
#include "bench/median.hpp"
#include "gpu_kernels/devices/device_choice.hpp"
#include "numeric/device/team.hpp"
#include "solver/analysis.hpp"
#include "solver/device/open_device.hpp"
#include "solver/load_matrix.hpp"

namespace {

namespace gpu = clchol::gpu;
namespace numeric = clchol::numeric;
namespace solver = clchol::solver;
using clchol::Index;
using clchol::Offset;

struct Settings {
  std::string devices = "0";
  int reps = 7;
  bool check = false;
  int model = 0;      // Most devices of the model; 0: real devices are measured.
  std::string rates;  // Name of the device whose tuning data the model uses.
  clchol::Options options;
  std::vector<std::string> matrices;
};

/// A checksum over the bits of L's entries, weighted by supernode and position.
std::uint64_t bits_of(numeric::DeviceTeam<double>& team,
                      const clchol::symbolic::SymbolicFactor& symbolic) {
  std::uint64_t sum = 0;
  team.visit_panels([&](const numeric::PanelColumns<double>& of) {
    std::uint64_t place = static_cast<std::uint64_t>(of.s) * 0x9e3779b97f4a7c15U + 1;
    for (Index j = of.begin; j < of.end; ++j) {
      for (Index i = j; i < symbolic.nrow(of.s); ++i) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, of.data + i + j * of.ld, sizeof bits);
        place = place * 0xd1342543de82ef95U + 1;
        sum += bits * (place | 1);
      }
    }
  });
  return sum;
}

/// Right-hand sides X(i, r) = 1 + (i + r) mod 7, stored by rows, and solves X := (L L')^-1 X.
class Sides {
 public:
  Sides(Index n, Index nrhs)
      : n_(n), nrhs_(nrhs), values_(static_cast<std::size_t>(n * clchol::row_length(nrhs))) {}

  /// Median seconds of `reps` solves.
  /// @param solves  false: X only moves to the devices and back.
  double solve(numeric::DeviceTeam<double>& team, int reps, bool solves = true) {
    std::vector<double> seconds;
    for (int k = 0; k <= reps; ++k) {
      fill();
      const clchol::Timer timer;
      team.solve(view(), solves, solves);
      if (k > 0) seconds.push_back(timer.seconds());
    }
    return clchol::median(seconds);
  }
  const std::vector<double>& values() const { return values_; }

 private:
  clchol::RowsView<double> view() { return {values_.data(), n_, nrhs_, clchol::row_length(nrhs_)}; }
  void fill() {
    for (Index i = 0; i < n_; ++i) {
      for (Index r = 0; r < nrhs_; ++r) view().row(i)[r] = 1 + (i + r) % 7;
    }
  }

  Index n_, nrhs_;
  std::vector<double> values_;
};

class Bench {
 public:
  explicit Bench(const Settings& settings) : settings_(settings), list_(gpu::list_devices()) {
    for (const Index d : gpu::choose_devices(list_, gpu::split_names(settings.devices))) {
      listed_.push_back(d);
      runtimes_.push_back(
          std::make_shared<gpu::DeviceRuntime>(gpu::open_device(gpu::device_at(list_, d))));
    }
  }

  void run(const std::string& name) const {
    const solver::SymmetricMatrix a = solver::load_matrix(name);
    clchol::Timer timer;
    const auto analysis = solver::analyze(
        solver::make_input_map<Offset, Index>(a.n(), a.lower.colptr, a.lower.rowind,
                                              clchol::Triangle::kLower),
        settings_.options, true, solver::analysis_costs_on(gpu::device_at(list_, listed_.front())));
    const double analyze_s = timer.seconds();
    double one_s = 0, one_predicted_s = 0;
    std::uint64_t one_bits = 0;
    double one_solve_s = 0, one_solve_16_s = 0;
    std::vector<double> one_x;
    for (std::size_t count = 1; count <= runtimes_.size(); ++count) {
      timer.restart();
      const numeric::DeviceRuntimes runtimes(runtimes_.begin(), runtimes_.begin() + count);
      const numeric::DeviceTeamOptions options{.threads = solver::num_threads(settings_.options),
                                               .memory = {}};
      numeric::DeviceTeam<double> team(
          runtimes, analysis->symbolic, analysis->entries, options,
          numeric::map_on_devices<double>(runtimes, analysis->symbolic, options));
      team.allocate();
      const double setup_s = timer.seconds();
      static_cast<void>(team.factorize(a.values));
      std::vector<double> seconds;
      for (int k = 0; k < settings_.reps; ++k) {
        timer.restart();
        const numeric::FactorResult result = team.factorize(a.values);
        seconds.push_back(timer.seconds());
        if (result.status != clchol::Status::kOk) throw std::runtime_error("not factored");
      }
      const double factor_s = clchol::median(seconds);
      const numeric::Mapping& mapping = team.mapping();
      if (count == 1) one_s = factor_s, one_predicted_s = mapping.seconds;
      std::string busy;
      for (const double s : mapping.busy_s) {
        busy += (busy.empty() ? "" : ", ") + std::to_string(s);
      }
      Sides side(a.n(), 1), sides(a.n(), 16);
      const double transfer_s = side.solve(team, settings_.reps, false);
      const double transfer_16_s = sides.solve(team, settings_.reps, false);
      const double solve_s = side.solve(team, settings_.reps);
      const double solve_16_s = sides.solve(team, settings_.reps);
      if (count == 1) {
        one_solve_s = solve_s, one_solve_16_s = solve_16_s;
        one_x = sides.values();
      }
      std::string same = "null";
      if (settings_.check) {
        const std::uint64_t bits = bits_of(team, analysis->symbolic);
        if (count == 1) one_bits = bits;
        same = bits == one_bits ? "true" : "false";
      }
      std::printf(
          "{\"matrix\": \"%s\", \"devices\": %zu, \"flops\": %.6e, \"analyze_s\": %.4f, "
          "\"setup_s\": %.4f, \"factor_s\": %.6f, \"speedup\": %.3f, \"predicted_s\": %.6f, "
          "\"predicted_speedup\": %.3f, \"used\": %d, \"busy_s\": [%s], "
          "\"handed_over_bytes\": %lld, \"solve_s\": %.6f, \"solve_16_s\": %.6f, "
          "\"transfer_s\": %.6f, \"transfer_16_s\": %.6f, \"solve_speedup\": %.3f, "
          "\"solve_16_speedup\": %.3f, \"same_x\": %s, "
          "\"same_bits\": %s, \"device\": \"%s\"}\n",
          name.c_str(), count, analysis->symbolic.info.flops, analyze_s, setup_s, factor_s,
          one_s / factor_s, mapping.seconds, one_predicted_s / mapping.seconds, mapping.num_used(),
          busy.c_str(), static_cast<long long>(mapping.handed_over * Offset{sizeof(double)}),
          solve_s, solve_16_s, transfer_s, transfer_16_s, one_solve_s / solve_s,
          one_solve_16_s / solve_16_s, sides.values() == one_x ? "true" : "false", same.c_str(),
          runtimes_.front()->device().name().c_str());
      std::fflush(stdout);
    }
  }

 private:
  const Settings& settings_;
  gpu::DeviceList list_;
  std::vector<Index> listed_;
  std::vector<std::shared_ptr<gpu::DeviceRuntime>> runtimes_;
};

/// Predicted seconds of the longest chain of fronts from a leaf to a root.
double chain_seconds(const clchol::symbolic::SymbolicFactor& symbolic,
                     const numeric::ShareRates& rates) {
  std::vector<double> end(static_cast<std::size_t>(symbolic.nsuper), 0);
  double longest = 0;
  for (Index s = 0; s < symbolic.nsuper; ++s) {
    const Index nrow = symbolic.nrow(s), ncol = symbolic.ncol(s);
    end[s] += numeric::front_flops(nrow, ncol) / rates.flops_per_s +
              static_cast<double>(nrow) * ncol * rates.entry_s;
    longest = std::max(longest, end[s]);
    const Index parent = symbolic.super_parent[s];
    if (parent != clchol::kNone) end[parent] = std::max(end[parent], end[s]);
  }
  return longest;
}

void predict(const Settings& settings, const std::string& name) {
  gpu::DeviceDescription device;
  device.name = settings.rates;
  const gpu::Tuning tuning(device.name, {});
  const solver::SymmetricMatrix a = solver::load_matrix(name);
  const auto analysis =
      solver::analyze(solver::make_input_map<Offset, Index>(a.n(), a.lower.colptr, a.lower.rowind,
                                                            clchol::Triangle::kLower),
                      settings.options, true, solver::analysis_costs_on(device));
  double one_s = 0;
  for (int count = 1; count <= settings.model; count *= 2) {
    const auto num_devices = static_cast<std::size_t>(count);
    const std::vector<const gpu::Tuning*> tunings(num_devices, &tuning);
    const std::vector<numeric::ShareRates> rates(
        num_devices,
        numeric::share_rates(tuning, std::numeric_limits<Offset>::max(), sizeof(double)));
    const numeric::Mapping mapping = numeric::map_fronts(
        analysis->symbolic, rates, numeric::hand_over_rates(tunings, sizeof(double)));
    if (count == 1) one_s = mapping.seconds;
    std::printf(
        "{\"matrix\": \"%s\", \"devices\": %d, \"predicted_s\": %.6f, "
        "\"predicted_speedup\": %.3f, \"used\": %d, \"handed_over_bytes\": %lld, "
        "\"chain_s\": %.6f, \"rates\": \"%s\"}\n",
        name.c_str(), count, mapping.seconds, one_s / mapping.seconds, mapping.num_used(),
        static_cast<long long>(mapping.handed_over * Offset{sizeof(double)}),
        chain_seconds(analysis->symbolic, rates.front()), device.name.c_str());
  }
}

int usage() {
  std::fprintf(stderr,
               "usage: clchol_device_team_bench [--devices NAME,NAME...] [--reps R] [--threads N] "
               "[--check 0|1] MATRIX...\n"
               "       clchol_device_team_bench --model P --rates DEVICE MATRIX...\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  settings.options.analysis.ordering = clchol::Ordering::kNestedDissection;
  settings.options.threads = 2;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word.rfind("--", 0) != 0) {
      settings.matrices.push_back(word);
      continue;
    }
    if (k + 1 == argc) return usage();
    const char* const value = argv[++k];
    if (word == "--devices") {
      settings.devices = value;
    } else if (word == "--reps") {
      settings.reps = std::max(1, std::atoi(value));
    } else if (word == "--threads") {
      settings.options.threads = std::atoi(value);
    } else if (word == "--model") {
      settings.model = std::atoi(value);
    } else if (word == "--rates") {
      settings.rates = value;
    } else if (word == "--check") {
      settings.check = std::atoi(value) != 0;
    } else {
      return usage();
    }
  }
  if (settings.matrices.empty()) return usage();
  try {
    if (settings.model > 0) {
      for (const std::string& name : settings.matrices) predict(settings, name);
      return 0;
    }
    const Bench bench(settings);
    for (const std::string& name : settings.matrices) bench.run(name);
  } catch (const std::exception& error) {
    std::printf("{\"error\": \"%s\"}\n", error.what());
    return 1;
  }
  return 0;
}
