#include "solver/out_of_core/choice.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/memory_info.hpp"
#include "base/number_text.hpp"
#include "base/scalar_traits.hpp"
#include "numeric/cpu/out_of_core/plan.hpp"
#include "solver/cpu_engine.hpp"
#include "solver/out_of_core/engine.hpp"

namespace clchol::solver {
namespace {

/// Fraction of the free memory that a factor may use when the options give no limit.
constexpr double kFreeShare = 0.9;

/// A plan of an out-of-core factor.
struct Planned {
  std::unique_ptr<const numeric::CpuPlan> finer;  ///< Null: the analysis' plan of the CPU engine.
  numeric::OutOfCorePlan plan;
};

/// Plans an out-of-core factor, and predicts its memory.
template <class F>
class OutOfCore {
 public:
  OutOfCore(const Analysis& analysis, const Options& options, const HostDemand& demand)
      : analysis_(analysis),
        demand_(demand),
        threads_(useful_factor_threads(analysis.cpu_plan, num_threads(options))) {}

  /// @param room  bytes of host memory that may be used in addition to the analysis.
  Planned plan_within(std::int64_t room) const {
    Planned planned{nullptr, numeric::plan_out_of_core(analysis_.symbolic, analysis_.cpu_plan,
                                                       request(room, nullptr))};
    if (bytes(planned) <= room || room == 0) return planned;
    Planned finer{finer_plan(room), {}};
    finer.plan = numeric::plan_out_of_core(analysis_.symbolic, *finer.finer,
                                           request(room, finer.finer.get()));
    return bytes(finer) < bytes(planned) ? std::move(finer) : std::move(planned);
  }
  /// About the least number of bytes, in addition to the analysis, that a plan needs.
  std::int64_t least_room() const {
    constexpr double kSteps[] = {0.8, 0.95};
    const auto scaled = [](std::int64_t room, double by) {
      return static_cast<std::int64_t>(static_cast<double>(room) * by);
    };
    // Begin with the plan for zero bytes, which need not have the smallest buffer.
    std::int64_t room = bytes(plan_within(0));
    while (!does(room)) room = scaled(room, 1 / kSteps[1]);
    for (const double step : kSteps) {
      while (does(scaled(room, step))) room = scaled(room, step);
    }
    return room;
  }
  /// Bytes of host memory that a plan uses in addition to the analysis.
  std::int64_t bytes(const Planned& planned) const {
    return planned.plan.size * Offset{sizeof(F)} + other_bytes(planned.finer.get());
  }
  int threads() const { return threads_; }

 private:
  /// The panels of a subtree below the cut of a finer plan take at most 1/kSubtreesInRoom of the
  /// room.  The update matrices of the subtree take up to three times as much.
  static constexpr std::int64_t kSubtreesInRoom = 8;

  numeric::OutOfCoreRequest request(std::int64_t room, const numeric::CpuPlan* finer) const {
    return {sizeof(F), threads_, std::max<std::int64_t>(0, room - other_bytes(finer))};
  }
  std::unique_ptr<const numeric::CpuPlan> finer_plan(std::int64_t room) const {
    const std::int64_t most = std::max<std::int64_t>(0, room - other_bytes(nullptr));
    return std::make_unique<const numeric::CpuPlan>(
        numeric::make_finer_plan(analysis_.symbolic, analysis_.cpu_plan,
                                 most / kSubtreesInRoom / static_cast<Offset>(sizeof(F))));
  }
  /// Whether a plan fits into `room` bytes.
  bool does(std::int64_t room) const {
    if (numeric::fits_out_of_core(analysis_.symbolic, analysis_.cpu_plan, request(room, nullptr))) {
      return true;
    }
    const std::unique_ptr<const numeric::CpuPlan> finer = finer_plan(room);
    return numeric::fits_out_of_core(analysis_.symbolic, *finer, request(room, finer.get()));
  }
  /// Bytes in addition to the analysis and to the buffer.
  /// @param finer  finer plan of the CPU engine; null: none.
  std::int64_t other_bytes(const numeric::CpuPlan* finer) const {
    // Bytes of the plan's arrays, and of SendingStore's, for each supernode.
    constexpr Offset kPlanBytes =
        sizeof(Offset) + 2 * sizeof(Index) + sizeof(char) + sizeof(numeric::PanelPlace);
    return demand_.total() - demand_.factor - demand_.workspace +
           analysis_.symbolic.nsuper * kPlanBytes + (finer == nullptr ? 0 : finer->bytes()) +
           OutOfCoreEngine<F>::other_bytes(analysis_.symbolic, threads_);
  }

  const Analysis& analysis_;
  HostDemand demand_;
  int threads_;
};

/// Bytes that a factorization may use in addition to the analysis.
/// @param taken  bytes of the factorization that have been allocated already.
std::int64_t room_for_factor(const Analysis& analysis, const Options& options, std::int64_t taken) {
  const std::int64_t free = available_bytes();
  if (options.memory.host == 0) {
    return taken + static_cast<std::int64_t>(kFreeShare * static_cast<double>(free));
  }
  return std::min(taken + free, options.memory.host - analysis.bytes());
}

template <class F>
std::unique_ptr<Engine<F>> make_out_of_core(const Analysis& analysis, const Options& options,
                                            const HostDemand& demand) {
  const OutOfCore<F> way(analysis, options, demand);
  const std::int64_t room = room_for_factor(analysis, options, demand.values);
  Planned planned = way.plan_within(room);
  if (way.bytes(planned) > room) {
    throw OutOfMemory("not enough memory: out of core, analysis and factorization need " +
                      gigabytes_text(analysis.bytes() + way.least_room()) + " on the host, " +
                      gigabytes_text(analysis.bytes() + std::max<std::int64_t>(room, 0)) +
                      " may be used");
  }
  const typename OutOfCoreEngine<F>::HostMemory memory{
      .budget = analysis.bytes() + room,
      .others = analysis.bytes() + way.bytes(planned) - planned.plan.size * Offset{sizeof(F)}};
  return std::make_unique<OutOfCoreEngine<F>>(
      analysis.symbolic, analysis.entries, analysis.cpu_plan, std::move(planned.finer),
      std::move(planned.plan), options.memory.scratch_directory, way.threads(), memory);
}

template <class F>
std::vector<HostMode> predict_modes(const Analysis& analysis, const Options& options) {
  const HostDemand demand = host_demand(analysis, options, kIsDouble<F>);
  const OutOfCore<F> way(analysis, options, demand);
  const auto mode_of = [&](std::int64_t bytes, const Planned& planned) {
    HostMode mode;
    mode.is_out_of_core = true;
    mode.host_bytes = analysis.bytes() + bytes;
    mode.file_bytes = (planned.plan.sent_size() + planned.plan.spilled_size()) * Offset{sizeof(F)};
    return mode;
  };
  std::vector<HostMode> modes;
  modes.push_back({.is_out_of_core = false,
                   .is_least = false,
                   .host_bytes = analysis.bytes() + demand.total(),
                   .file_bytes = 0});
  const std::int64_t room = room_for_factor(analysis, options, 0);
  if (demand.total() > room) {
    const Planned planned = way.plan_within(room);
    if (way.bytes(planned) <= room) modes.push_back(mode_of(way.bytes(planned), planned));
  }
  const std::int64_t least = way.least_room();
  modes.push_back(mode_of(least, way.plan_within(least)));
  modes.back().is_least = true;
  return modes;
}

}  // namespace

template <class F>
std::unique_ptr<Engine<F>> make_cpu_engine(const Analysis& analysis, const Options& options,
                                           bool copies_values) {
  HostDemand demand = host_demand(analysis, options, kIsDouble<F>);
  if (!copies_values) demand.scaled_values = 0;
  if (!options.memory.scratch_directory.empty() &&
      demand.total() > room_for_factor(analysis, options, demand.values)) {
    return make_out_of_core<F>(analysis, options, demand);
  }
  check_memory(analysis, options, demand);
  return std::make_unique<CpuEngine<F>>(analysis.symbolic, analysis.entries, analysis.cpu_plan,
                                        num_threads(options));
}

std::vector<HostMode> predict_host_modes(const Analysis& analysis, const Options& options,
                                         bool double_factor) {
  return double_factor ? predict_modes<double>(analysis, options)
                       : predict_modes<float>(analysis, options);
}

template std::unique_ptr<Engine<double>> make_cpu_engine(const Analysis&, const Options&, bool);
template std::unique_ptr<Engine<float>> make_cpu_engine(const Analysis&, const Options&, bool);

}  // namespace clchol::solver
