#include "numeric/device/stream/plan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/index_math.hpp"
#include "base/team.hpp"
#include "numeric/device/host_rows.hpp"
#include "numeric/device/stream/cuts.hpp"
#include "numeric/device/stream/far_slabs.hpp"
#include "numeric/device/stream/schedule.hpp"
#include "numeric/memory_plan.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

/// Limits on the slabs that are dropped.  A slab is dropped when factoring it again takes at most
/// `each` times as long as its transfer, and when factoring all dropped slabs again takes at most
/// `all` times as long as the transfers of the other slabs.
struct Drop {
  double each, all;
};
constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr std::array<Drop, 7> kDrops{
    {{0, 0}, {0.4, 2}, {0.8, 2}, {1.6, 2}, {4, 0.5}, {4, 1}, {4, kAny}}};
// Least time of the kernels of half a solve with a slab, relative to the slab's transfer time.
constexpr double kSolveKernels = 1.0 / 40;
// The CPU may solve with 0, 1, 2... of this many equal parts of the panels that do not stay.
constexpr Offset kHostParts = 16;
// Most ranges of rows that the CPU and the device may exchange in a solve.
constexpr std::size_t kMostRanges = 256;
/// The best plan found.
struct Found {
  std::optional<StreamPlan> plan;
  /// Entries of host memory that the plan needs beyond the budget; then seconds of a factorization
  /// and a solve.  Compared in this order.
  std::pair<Offset, double> cost;

  bool is_better_than(const Found& other) const {
    return plan && (!other.plan || cost < other.cost);
  }
};

/// The search for the best plan with one cut of the tree.
class Search {
 public:
  Search(const SymbolicFactor& factor, const StreamBudget& budget, const StreamRates& rates,
         const StreamCut& cut)
      : factor_(factor),
        budget_(budget),
        rates_(rates),
        groups_(make_stream_groups(factor, cut, rates)) {
    for (Index s = 0; s < groups_.num_slabs(); ++s) {
      transfer_s_.push_back(static_cast<double>(groups_.moved_entries(s) * rates_.value_bytes) /
                            rates_.bytes_per_s);
      kernels_s_.push_back(groups_.slab_seconds(s));
      solve_s_.push_back(
          std::max(kSolveKernels * transfer_seconds(s), groups_.slab_solve_seconds(s)));
      can_drop_.push_back(groups_.is_made_of_subtrees(s) ? 1 : 0);
    }
  }

  Found run() {
    if (budget_.any_will_do) {
      consider({.first_resident = first_apart(), .first_apart = first_apart()});
    } else {
      search();
    }
    return std::move(best_);
  }

 private:
  void search() {
    const Index apart = first_apart();
    // Bisection for the most slabs that can stay: assumes that more of them need more memory.
    Index least = 0, enough = apart;
    if (!fits({.first_resident = apart, .first_apart = apart})) return;
    while (least < enough) {
      const Index middle = least + (enough - least) / 2;
      if (fits({.first_resident = middle, .first_apart = apart})) {
        enough = middle;
      } else {
        least = middle + 1;
      }
    }
    for (const Index eighths : {0, 1, 2, 4, 8}) {
      StreamWay way{.first_resident = enough + (apart - enough) * eighths / 8,
                    .first_apart = apart};
      const double spilled_s = consider(way);
      way.waits_first = true;
      way.waits_first = consider(way) < spilled_s;
      StreamWay before = way;
      for (const Drop& drop : kDrops) {
        leave_to_host(drop, way);
        const bool is_new =
            way.dropped != before.dropped || way.first_on_device != before.first_on_device;
        if (is_new) consider(way);
        before = way;
      }
    }
  }

  /// Chooses the slabs that the CPU solves with and the slabs that are dropped, for the fastest
  /// solve of the choices tried.
  void leave_to_host(const Drop& drop, StreamWay& way) {
    std::vector<std::pair<double, StreamWay>> tried;
    for (const Index first : host_choices(way.first_resident)) {
      StreamWay choice = way;
      choice.first_on_device = first;
      choice.dropped = dropped_slabs(choice, drop);
      const StreamRing ring = ring_of(choice);
      const bool overlaps = room_of_solve(choice) + ring.both + ring.dropped <= budget_.arena;
      const double solve_s = solve_seconds(choice, first_on_host(choice), overlaps);
      tried.emplace_back(solve_s, std::move(choice));
    }
    std::ranges::stable_sort(tried, {}, [](const auto& choice) { return choice.first; });
    const auto best = std::ranges::find_if(
        tried, [this](const auto& choice) { return can_exchange(choice.second.first_on_device); });
    way = std::move(best->second);
  }
  /// Values of first_on_device to try: the first slabs then hold 0, 1, 2... of kHostParts parts of
  /// the panels that do not stay.
  std::vector<Index> host_choices(Index first_resident) const {
    std::vector<Index> choices{0};
    const Offset all = panels_before(first_resident);
    // A file takes much longer than the bus, so that solves on the CPU would save no time.
    if (rates_.host_bytes_per_s <= 0 || goes_to_file(all)) return choices;
    Offset sum = 0;
    for (Index s = 0; s < first_resident; ++s) {
      const Offset part = sum * kHostParts / all;
      sum += groups_.slabs.slab_sizes[at(s)];
      const bool is_last = s + 1 == groups_.num_slabs();  // One slab is left to the device.
      if (sum * kHostParts / all > part && !is_last) choices.push_back(s + 1);
    }
    return choices;
  }
  /// Whether the rows that the CPU and the device exchange are at most kMostRanges ranges: each
  /// range is a transfer.
  bool can_exchange(Index first_on_device) {
    if (first_on_device == 0) return true;
    const auto [found, is_new] = can_exchange_.try_emplace(first_on_device);
    if (is_new) {
      const HostRows rows = host_rows(factor_, groups_.part_before(first_on_device));
      found->second = rows.own.size() + rows.above.size() <= kMostRanges;
    }
    return found->second;
  }
  const SolveOrder& order_of(const StreamWay& way) {
    const auto [found, is_new] = orders_.try_emplace(way.first_on_device);
    if (is_new) found->second = groups_.solve_order(way.first_on_device);
    return found->second;
  }

  /// For each slab, whether it is dropped.  Slabs are dropped in ascending order of the time to
  /// factor them again, relative to the time of their transfer, within the limits of `drop`.
  std::vector<char> dropped_slabs(const StreamWay& way, const Drop& drop) const {
    const bool by_file = goes_to_file(panels_before(way.first_resident));
    const auto transfer_seconds = [&](Index s) {
      return by_file ? file_seconds(s) : this->transfer_seconds(s);
    };
    std::vector<Index> order;
    double kernels = 0, bus = 0;
    for (Index s = way.first_on_device; s < way.first_resident; ++s) {
      bus += transfer_seconds(s);
      if (can_drop_[at(s)] != 0) order.push_back(s);
    }
    const auto ratio = [&](Index s) { return kernels_s_[at(s)] / transfer_seconds(s); };
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return ratio(a) < ratio(b); });
    std::vector<char> dropped(at(groups_.num_slabs()), 0);
    for (const Index s : order) {
      kernels += kernels_s_[at(s)];
      bus -= transfer_seconds(s);
      if (ratio(s) > drop.each || (drop.all < kAny && kernels > drop.all * bus)) break;
      dropped[at(s)] = 1;
    }
    return dropped;
  }
  /// Seconds to send a slab over the bus, one way.
  double transfer_seconds(Index slab) const { return transfer_s_[at(slab)]; }

  /// Seconds to write a slab to the file, or to read it.
  double file_seconds(Index slab) const {
    return static_cast<double>(groups_.slabs.slab_sizes[at(slab)] * rates_.value_bytes) /
           rates_.file_bytes_per_s;
  }

  /// The first slab with a buffer of its own beside the arena.  The budget is given to the last
  /// slab first.
  Index first_apart() const {
    Index slab = groups_.num_slabs();
    for (Offset left = budget_.apart; slab > 0; --slab) {
      left -= groups_.slabs.slab_sizes[at(slab - 1)];
      if (left < 0) break;
    }
    return slab;
  }

  bool fits(const StreamWay& way) {
    if (!fits_solve(way)) return false;
    StreamSchedule schedule(factor_, groups_, budget_.arena, way, rates_);
    return schedule.run() && has_places(schedule, way, ring_of(way).largest);
  }

  StreamRing ring_of(const StreamWay& way) {
    std::vector<Offset> sizes;
    std::vector<char> dropped;
    for (const Index s : order_of(way).slabs) {
      if (s >= way.first_resident) continue;
      sizes.push_back(slot_entries(groups_.slabs.slab_sizes[at(s)], groups_.inverses[at(s)]));
      dropped.push_back(way.drops(s));
    }
    return stream_ring(sizes, dropped);
  }
  /// Entries of ranges of the arena that a solve needs, besides the ring, the range for dropped
  /// slabs and the panels that stay: update matrices of a dropped slab, inverted diagonal blocks of
  /// the slabs that stay, X and the fronts' vectors.
  std::array<Offset, 4> ranges_of_solve(const StreamWay& way) const {
    Offset scratch = 0, inverses = 0;
    for (Index s = 0; s < way.first_resident; ++s) {
      const auto [first, last] = groups_.groups_of(s);
      for (Index g = first; g < last && way.drops(s); ++g) {
        scratch = std::max(scratch, groups_.space_of(g));
      }
    }
    for (Index s = way.first_resident; s < groups_.num_slabs(); ++s) {
      inverses += groups_.inverses[at(s)];
    }
    return {scratch, inverses, Offset{budget_.columns} * factor_.n,
            budget_.columns * groups_.vector_rows(way.first_on_device)};
  }
  /// Entries of the arena that a solve needs, without the ring and the range for dropped slabs.
  Offset room_of_solve(const StreamWay& way) const {
    const auto ranges = ranges_of_solve(way);
    Offset sum = std::accumulate(ranges.begin(), ranges.end(), Offset{0});
    for (Index s = way.first_resident; s < way.first_apart; ++s) {
      sum += groups_.slabs.slab_sizes[at(s)];
    }
    return sum;
  }
  /// Whether the arena has free ranges for a solve between the panels that stay.  The ranges get
  /// their places in about the order in which SharePlanner places them.
  /// @param ring  Entries of the ring.
  bool has_places(const StreamSchedule& schedule, const StreamWay& way, Offset ring) {
    MemoryPlan memory;  // Counts entries.
    const Index arena = memory.add_buffer("ranges of solves", Tier::kDevice);
    const auto request = [&](Offset entries) {
      return MemoryRequest{.buffer = arena, .bytes = entries};
    };
    for (Index s = way.first_resident; s < way.first_apart; ++s) {
      memory.add_at(schedule.panels()[at(s)], request(groups_.slabs.slab_sizes[at(s)]));
    }
    auto [scratch, inverses, x, vectors] = ranges_of_solve(way);
    for (const Offset entries : {ring, ring_of(way).dropped, scratch, inverses,
                                 std::max(x, vectors), std::min(x, vectors)}) {
      memory.add(request(entries));
    }
    return memory.bytes(arena) <= budget_.arena;
  }
  bool fits_solve(const StreamWay& way) {
    const StreamRing ring = ring_of(way);
    return room_of_solve(way) + ring.largest + ring.dropped <= budget_.arena;
  }
  /// Entries of all slabs before this one.
  Offset panels_before(Index slab) const {
    const auto sizes = std::span(groups_.slabs.slab_sizes).first(at(slab));
    return std::accumulate(sizes.begin(), sizes.end(), Offset{0});
  }
  /// Entries of panels that go to the host.
  Offset far(const StreamWay& way) const {
    Offset sum = 0;
    for (Index s = 0; s < way.first_resident; ++s) {
      if (!way.drops(s)) sum += groups_.slabs.slab_sizes[at(s)];
    }
    return sum;
  }

  /// Whether slabs go to a file when `far` entries of panels do not stay on the device: when they
  /// would fill more than all of the host memory.
  bool goes_to_file(Offset far) const { return budget_.has_file && far > budget_.host; }
  /// Entries of slab s that go to the host; 0: it is dropped.
  Offset far_size(const StreamWay& way, Index s) const {
    return way.drops(s) ? 0 : groups_.slabs.slab_sizes[at(s)];
  }
  /// The first of the last slabs that fit into host memory together, about: host memory is taken to
  /// hold no update matrices any more.
  Index first_on_host(const StreamWay& way) const {
    if (!goes_to_file(far(way))) return way.first_on_device;
    Index s = way.first_resident;
    for (Offset left = budget_.host; s > way.first_on_device; --s) {
      left -= far_size(way, s - 1);
      if (left < 0) break;
    }
    return s;
  }

  /// Predicted seconds of a solve: forward through all slabs, then backward.  The CPU solves while
  /// the device solves with the slabs that have no front of the CPU below them.
  /// @param overlaps  Whether the ring has room for two slabs.
  double solve_seconds(const StreamWay& way, Index first_on_host, bool overlaps) {
    const SolveOrder& order = order_of(way);
    double file = 0, bus = 0, kernels = 0;
    std::array<double, 2> used{};  // Times at which the two ends of the ring are free again.
    std::size_t end = 0;
    Index factored = kNone;  // The dropped slab whose panels are there.
    const auto pass = [&](Index s) {
      if (way.drops(s) || s >= way.first_resident) {
        kernels += solve_s_[at(s)];
        if (way.drops(s) && std::exchange(factored, s) != s) kernels += kernels_s_[at(s)];
        return;
      }
      bus = std::max(bus, overlaps ? used[end] : std::max(used[0], used[1]));
      if (s < first_on_host) bus = std::max(bus, file += file_seconds(s));
      bus += transfer_seconds(s);
      kernels = std::max(kernels, bus) + solve_s_[at(s)];
      used[end] = kernels;
      end = 1 - end;
    };
    const auto free = order.free(), above = order.above();
    const double host = host_seconds(way.first_on_device);
    for (const Index s : free) pass(s);
    if (host > 0) bus = kernels = std::max(kernels, host);
    for (const Index s : above) pass(s);
    for (auto s = above.rbegin(); s != above.rend(); ++s) pass(*s);
    const double host_begins = kernels;
    for (auto s = free.rbegin(); s != free.rend(); ++s) pass(*s);
    return host > 0 ? std::max(kernels, host_begins + host) : kernels;
  }
  /// Predicted seconds of the CPU's half of a solve, forward or backward, with the slabs before
  /// this one.
  double host_seconds(Index first_on_device) const {
    if (first_on_device == 0) return 0;
    constexpr double kBegins = 1e-4;
    const Offset entries = panels_before(first_on_device);
    // X goes to the host and back, 2 n entries in all.  The CPU moves twice as much in its memory.
    const double x = 2.0 * factor_.n * static_cast<double>(rates_.value_bytes);
    return kBegins + x / rates_.bytes_per_s +
           (static_cast<double>(entries * rates_.value_bytes) + 2 * x) / rates_.host_bytes_per_s;
  }

  /// Makes the plan for `way` and keeps it if it is the best so far.
  /// @return predicted seconds of a factorization and a solve; infinity when the plan does not fit.
  double consider(const StreamWay& way) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    if (!fits_solve(way)) return kNever;
    StreamSchedule schedule(factor_, groups_, budget_.arena, way, rates_);
    const StreamRing ring = ring_of(way);
    if (!schedule.run() || !has_places(schedule, way, ring.largest)) return kNever;
    FarSlabs far = divide_far(groups_, way, schedule, budget_, rates_);
    if (far.num_file_slots > 0 && way.first_on_device > 0) return kNever;
    const double factor_s = std::max(schedule.seconds(), far.file_s);
    const double solve_s =
        solve_seconds(way, far.first_on_host, has_places(schedule, way, ring.both));
    const std::pair cost(std::max<Offset>(far.host - budget_.host, 0), factor_s + solve_s);
    if (best_.plan && best_.cost <= cost) return factor_s + solve_s;
    best_ = {std::move(schedule).plan(std::move(far.places)), cost};
    best_.plan->host = far.host;
    best_.plan->first_on_host = far.first_on_host;
    best_.plan->num_file_slots = far.num_file_slots;
    best_.plan->file_chunk = far.file_chunk;
    best_.plan->factor_s = factor_s;
    best_.plan->solve_s = solve_s;
    best_.plan->columns = budget_.columns;
    best_.plan->transfer_block = budget_.transfer_block;
    count_moved(*best_.plan);
    return factor_s + solve_s;
  }
  /// Counts the entries that cross the bus.  Slabs in the file are moved as a whole.
  void count_moved(StreamPlan& plan) const {
    for (StreamTransfer& transfer : plan.transfers) {
      const bool is_panels = transfer.what == StreamTransfer::What::kPanels;
      if (is_panels && plan.is_in_file(transfer.of)) transfer.not_moved = 0;
    }
    plan.solve_entries = 0;
    for (Index s = plan.first_on_device; s < plan.first_resident; ++s) {
      if (plan.is_dropped(s)) continue;
      const bool is_whole = plan.is_in_file(s);
      plan.solve_entries +=
          2 * (is_whole ? groups_.slabs.slab_sizes[at(s)] : groups_.moved_entries(s));
    }
  }

  const SymbolicFactor& factor_;
  StreamBudget budget_;
  StreamRates rates_;
  StreamGroups groups_;
  std::vector<double> transfer_s_;      // For each slab: seconds of its transfer over the bus.
  std::vector<double> kernels_s_;       // For each slab: seconds to factor its groups.
  std::vector<double> solve_s_;         // For each slab: seconds of half a solve with it.
  std::vector<char> can_drop_;          // For each slab: whether it can be dropped.
  std::map<Index, SolveOrder> orders_;  // order_of(), by first_on_device.
  std::map<Index, bool> can_exchange_;  // can_exchange(), by first_on_device.
  Found best_;
};

}  // namespace

StreamRing stream_ring(std::span<const Offset> sizes, std::span<const char> dropped) {
  StreamRing ring;
  Offset before = 0;  // Entries of the slab before s in the ring.
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    if (s < dropped.size() && dropped[s] != 0) {
      ring.dropped = std::max(ring.dropped, sizes[s]);
      continue;
    }
    ring.largest = std::max(ring.largest, sizes[s]);
    ring.both = std::max(ring.both, before + sizes[s]);
    before = sizes[s];
  }
  return ring;
}

std::optional<StreamPlan> plan_stream(const SymbolicFactor& factor, const StreamBudget& budget,
                                      const StreamRates& rates, int threads) {
  std::vector<StreamCut> cuts = stream_cuts(factor, budget);
  // The last cuts have the smallest groups and strips, which are the first to fit.
  if (budget.any_will_do) std::ranges::reverse(cuts);
  const auto num_cuts = static_cast<Index>(cuts.size());
  // Cuts that are tried before the search ends with the best plan, if there is one.
  const Index num_tried = budget.any_will_do ? 8 : num_cuts;
  Found best;
  for (Index first = 0; first < num_cuts && !best.plan; first += num_tried) {
    const Index count = std::min(num_tried, num_cuts - first);
    std::vector<Found> found(at(count));
    parallel_for(count, threads, [&](Index k) {
      found[at(k)] = Search(factor, budget, rates, cuts[at(first + k)]).run();
    });
    for (Found& of : found) {
      if (of.is_better_than(best)) best = std::move(of);
    }
  }
  return std::move(best.plan);
}

}  // namespace clchol::numeric
