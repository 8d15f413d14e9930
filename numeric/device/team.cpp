#include "numeric/device/team.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "base/row_entries.hpp"
#include "base/team.hpp"
#include "base/timer.hpp"

namespace clchol::numeric {
namespace {

/// Entries of a chunk in transfers of A's values: enough to hide the cost of starting a transfer.
template <class T>
constexpr Offset kStagedChunk = (Offset{4} << 20) / Offset{sizeof(T)};

/// Flops that take about as long as it takes to read, write and assemble one entry of a panel, at a
/// few bytes a flop.
constexpr double kFlopsOfEntry = 400;
/// Flops that tensor cores do in about the time in which memory moves one value of a solve.
constexpr double kFlopsOfMoved = 140;
/// Tenths of a device's memory that panels may take, beside update matrices, lists and values.
constexpr Offset kPanelTenths = 6;

Offset memory_of(const DeviceTeamOptions& options, std::size_t device) {
  return device < options.memory.size() ? options.memory[device] : 0;
}

}  // namespace

ShareRates share_rates(const gpu::Tuning& tuning, Offset memory, Offset value_bytes) {
  const StreamRates rates = stream_rates(tuning, value_bytes, 1);
  return {.flops_per_s = rates.flops_per_s,
          .entry_s = kFlopsOfEntry / rates.flops_per_s,
          .group_s = rates.group_s,
          .column_s = rates.column_s,
          .moved_s = kFlopsOfMoved / rates.flops_per_s,
          .panels = memory / value_bytes / 10 * kPanelTenths};
}

HandOverRates hand_over_rates(std::span<const gpu::Tuning* const> devices, Offset value_bytes) {
  constexpr double kBegin = 200e-6;  // Seconds that each hand-over costs beside its transfer.
  double bytes_per_s = std::numeric_limits<double>::infinity();
  for (const gpu::Tuning* const tuning : devices) {
    bytes_per_s = std::min(bytes_per_s, stream_rates(*tuning, value_bytes, 1).bytes_per_s);
  }
  return {kBegin, bytes_per_s / static_cast<double>(value_bytes)};
}

/// One device and its part of the factor.
template <class T>
struct DeviceTeam<T>::Member {
  Index device = 0;
  symbolic::FactorPart part;
  std::vector<std::uint32_t> value_source;  // Position in A's values of each value of the part.
  symbolic::EntryMap entries;               // Entry map of the part.
  std::unique_ptr<DeviceShare<T>> share;
  Crossings exports;  // Hand-overs of the part's exports, until crossings_ takes them.
  std::unique_ptr<gpu::Staging<T>> staging;
  std::unique_ptr<gpu::FirstFailure<T>> first_failure;
  gpu::DeviceBuffer<gpu::PivotStatus<T>> failure;
};

template <class T>
Mapping map_on_devices(const DeviceRuntimes& runtimes, const symbolic::SymbolicFactor& symbolic,
                       const DeviceTeamOptions& options) {
  std::vector<ShareRates> rates;
  std::vector<const gpu::Tuning*> tunings;
  for (std::size_t d = 0; d < runtimes.size(); ++d) {
    const Offset given = memory_of(options, d);
    const Offset there =
        static_cast<Offset>(runtimes[d]->device().description.global_memory_bytes / 20 * 19);
    tunings.push_back(&runtimes[d]->tuning());
    rates.push_back(share_rates(*tunings.back(), given > 0 ? given : there, sizeof(T)));
  }
  return map_fronts(symbolic, rates, hand_over_rates(tunings, sizeof(T)));
}

template <class T>
DeviceTeam<T>::DeviceTeam(DeviceRuntimes runtimes, const symbolic::SymbolicFactor& symbolic,
                          const symbolic::EntryMap& entries, const DeviceTeamOptions& options,
                          Mapping mapping)
    : runtimes_(std::move(runtimes)),
      symbolic_(symbolic),
      threads_(options.threads),
      mapping_(std::move(mapping)) {
  for (Index d = 0; d < static_cast<Index>(runtimes_.size()); ++d) {
    if (std::ranges::find(mapping_.share, d) == mapping_.share.end()) continue;
    members_.push_back(std::make_unique<Member>());
    members_.back()->device = d;
  }
  for_members([&](Member& member) { make_part(member, entries, options); });
}

template <class T>
DeviceTeam<T>::~DeviceTeam() = default;

template <class T>
void DeviceTeam<T>::make_part(Member& member, const symbolic::EntryMap& entries,
                              const DeviceTeamOptions& options) {
  member.part = symbolic::part_of_factor(symbolic_, mapping_.share, member.device);
  symbolic::PartEntries own = symbolic::part_of_entries(entries, member.part);
  member.value_source = std::move(own.values);
  member.entries = std::move(own.map);
  gpu::DeviceRuntime& runtime = runtime_of(member);
  // The whole factor decides which kernels the fronts get.
  const DeviceKernelParams params = device_kernel_params<T>(runtime);
  const std::vector<Index> waves = small_waves(symbolic_, device_plan_options(params));
  const symbolic::FactorPart& of = member.part;
  SharePart part{.imported = of.imported,
                 .exported = of.exported,
                 .level = of.level,
                 .waves = {},
                 .joined = joined_small_classes(symbolic_, waves, params)};
  for (Index s = 0; s < of.factor.nsuper; ++s) {
    const Index whole = of.super[static_cast<std::size_t>(s)];
    part.waves.push_back(of.is_imported(s) ? kNone : waves[whole]);
  }
  const DeviceShareOptions share_options{
      .threads = threads_of_member(),
      .memory = memory_of(options, static_cast<std::size_t>(member.device))};
  member.share = std::make_unique<DeviceShare<T>>(runtime, of.factor, member.entries, share_options,
                                                  std::move(part));
}

template <class T>
void DeviceTeam<T>::allocate() {
  for_members([&](Member& member) {
    gpu::DeviceRuntime& runtime = runtime_of(member);
    {
      const Timer timer;
      // Entries of the largest transfer: the part's values, or its rows of X.
      const Offset most =
          std::max(member.share->num_values(), Offset{member.part.num_columns} * kUsualColumns);
      member.staging =
          std::make_unique<gpu::Staging<T>>(runtime.queue(), std::min(kStagedChunk<T>, most));
      member.exports = make_crossings(member);
      member.share->setup().pin_s += timer.seconds();
    }
    const Timer timer;
    member.first_failure = std::make_unique<gpu::FirstFailure<T>>(runtime.programs());
    member.share->allocate();
    member.failure = gpu::DeviceBuffer<gpu::PivotStatus<T>>(runtime.context(), 1);
    member.share->setup().upload_s += timer.seconds();
  });
  for (const auto& member : members_) crossings_.merge(member->exports);
  for (const auto& member : members_) connect(*member);
}

template <class T>
gpu::DeviceRuntime& DeviceTeam<T>::runtime_of(const Member& member) const {
  return *runtimes_[static_cast<std::size_t>(member.device)];
}

template <class T>
int DeviceTeam<T>::threads_of_member() const {
  return std::max(1, threads_ / static_cast<int>(members_.size()));
}

/// Makes the hand-overs of the update matrices that the member exports.
template <class T>
typename DeviceTeam<T>::Crossings DeviceTeam<T>::make_crossings(const Member& member) const {
  const gpu::Context& context = runtime_of(member).context();
  const symbolic::FactorPart& part = member.part;
  Crossings made;
  for (const HandedUpdate& update : member.share->factor().plan().exported) {
    const Offset values = Offset{part.factor.nupd(update.super)} * kUsualColumns;
    const auto way = [&](Offset entries) {
      return std::make_shared<HandOver<T>>(context, entries, threads_of_member());
    };
    made[part.super[static_cast<std::size_t>(update.super)]] = {way(update.entries),
                                                                {way(values), way(values)}};
  }
  return made;
}

template <class T>
void DeviceTeam<T>::connect(Member& member) {
  const auto make = [&](const std::vector<Index>& fronts, auto& updates, auto& vectors) {
    for (const Index s : fronts) {
      const Crossing& crossing = crossings_.at(member.part.super[static_cast<std::size_t>(s)]);
      updates[s] = crossing.update;
      vectors[s] = crossing.vectors;
    }
  };
  typename ShareExchange<T>::Updates import_updates, export_updates;
  typename SolveExchange<T>::WaysByFront import_vectors, export_vectors;
  make(member.part.imported, import_updates, import_vectors);
  make(member.part.exported, export_updates, export_vectors);
  gpu::DeviceRuntime& runtime = runtime_of(member);
  const DeviceFactor<T>& factor = member.share->factor();
  member.share->connect(
      std::make_unique<ShareExchange<T>>(factor.plan(), std::move(import_updates),
                                         std::move(export_updates), runtime.copy_queues()),
      std::make_unique<SolveExchange<T>>(runtime, factor, std::move(import_vectors),
                                         std::move(export_vectors)));
}

/// Calls work(member) for all members at once, each in a thread of its own.  When a call throws,
/// all hand-overs fail, so that no member waits forever, and the first exception is thrown again.
template <class T>
template <class Work>
void DeviceTeam<T>::for_members(const Work& work) {
  std::mutex mutex;
  std::exception_ptr first;
  const auto give_up = [&] {
    const std::lock_guard lock(mutex);
    if (!first) first = std::current_exception();
    for (const auto& [super, crossing] : crossings_) {
      crossing.for_each([&](HandOver<T>& hand_over) { hand_over.fail(first); });
    }
  };
  const auto guarded = [&](const auto& step) {
    try {
      step();
    } catch (...) {
      give_up();
    }
  };
  {
    std::vector<std::jthread> threads;
    // If the system refuses a thread, guarded() makes all hand-overs fail, so that the threads that
    // have begun do not wait.
    guarded([&] {
      threads.reserve(members_.size());
      for (std::size_t k = 1; k < members_.size(); ++k) {
        threads.emplace_back([&, k] { guarded([&] { work(*members_[k]); }); });
      }
      work(*members_.front());
    });
  }
  if (first) std::rethrow_exception(first);
}

/// Prepares all hand-overs for their next use.  No member may be at work.
template <class T>
void DeviceTeam<T>::rewind() {
  for (const auto& [super, crossing] : crossings_) {
    crossing.for_each([](HandOver<T>& hand_over) { hand_over.rewind(); });
  }
}

template <class T>
FactorResult DeviceTeam<T>::factorize(std::span<const T> values, const Control& control) {
  rewind();
  std::mutex mutex;
  FactorResult result;
  for_members([&](Member& member) {
    const FactorResult of_part = factorize_part(member, values, control);
    const std::lock_guard lock(mutex);
    if (of_part.status == Status::kOk || result.status == Status::kInterrupted) return;
    const bool is_first = result.status == Status::kOk || of_part.column < result.column;
    if (of_part.status == Status::kInterrupted || is_first) result = of_part;
  });
  if (control.progress != nullptr && result.status != Status::kInterrupted) {
    const double flops = symbolic_.info.flops;
    control.progress(control.progress_data, flops, flops);
  }
  return result;
}

/// Factors the part of one member.
/// @return the part's failed pivot with the smallest column in the whole factor, if there is one.
template <class T>
FactorResult DeviceTeam<T>::factorize_part(Member& member, std::span<const T> values,
                                           const Control& control) {
  DeviceShare<T>& share = *member.share;
  gpu::Queue& queue = runtime_of(member).queue();
  const int threads = gpu::staging_threads(threads_of_member());
  run_in_team(threads, [&] {
    member.staging->upload(queue, share.values(), [&](Offset begin, std::span<T> chunk) {
      parallel_for(std::ssize(chunk), threads, [&](std::ptrdiff_t k) {
        chunk[static_cast<std::size_t>(k)] =
            values[member.value_source[static_cast<std::size_t>(begin + k)]];
      });
    });
  });
  // A part is never streamed, so this call enqueues all commands, and no other share waits for an
  // update matrix that is never sent.
  static_cast<void>(share.factorize(share.values(), control));
  const auto fronts = share.factor().lists().fronts();
  const auto status = share.factor().status();
  member.first_failure->run(queue, fronts, status, member.failure);
  gpu::PivotStatus<T> failure{};
  if (!finished_unless_cancelled(queue, control)) return {.status = Status::kInterrupted};
  gpu::download<gpu::PivotStatus<T>>(queue, member.failure, std::span(&failure, 1));
  return failure.column == kNone ? FactorResult{} : first_failure(member);
}

/// The part's failed pivot with the smallest column in the whole factor.  The order of columns in
/// the part is another one.
template <class T>
FactorResult DeviceTeam<T>::first_failure(Member& member) {
  const DevicePlan& plan = member.share->factor().plan();
  std::vector<gpu::PivotStatus<T>> pivots(plan.fronts.size());
  gpu::download<gpu::PivotStatus<T>>(runtime_of(member).queue(), member.share->factor().status(),
                                     pivots);
  FactorResult result;
  for (std::size_t f = 0; f < pivots.size(); ++f) {
    if (pivots[f].column == kNone) continue;
    const Index column =
        member.part
            .row[static_cast<std::size_t>(Offset{plan.fronts[f].first_column} + pivots[f].column)];
    if (result.status == Status::kOk || column < result.column) {
      result = {Status::kNotPositiveDefinite, column, static_cast<double>(pivots[f].value)};
    }
  }
  return result;
}

template <class T>
Index DeviceTeam<T>::columns() const {
  Index columns = kUsualColumns;
  for (const auto& member : members_) columns = std::min(columns, member->share->columns());
  return columns;
}

template <class T>
void DeviceTeam<T>::solve(const RowsView<T>& x, bool forward, bool backward) {
  for (Index r = 0; r < x.nrhs; r += columns()) {
    const RowsView<T> block{x.data + r, x.nrow, std::min(columns(), x.nrhs - r), x.ld};
    rewind();
    for_members([&](Member& member) { solve_part(member, block, forward, backward); });
  }
}

/// Uploads the part's own rows of X, solves, and downloads them.  Rows of the part's border are
/// written on the device only.
template <class T>
void DeviceTeam<T>::solve_part(Member& member, const RowsView<T>& x, bool forward, bool backward) {
  gpu::Queue& queue = runtime_of(member).queue();
  DeviceShare<T>& share = *member.share;
  const Index nrhs = x.nrhs;
  const int threads = gpu::staging_threads(threads_of_member());
  const gpu::DeviceView<T> by_rows = share.reserve(nrhs);
  const gpu::DeviceView<T> own = by_rows.part(0, Offset{member.part.num_columns} * nrhs);
  const auto row_of = [&](Index i) { return x.row(member.part.row[static_cast<std::size_t>(i)]); };
  run_in_team(threads, [&] {
    member.staging->upload(queue, own, [&](Offset begin, std::span<T> chunk) {
      read_row_entries(row_of, nrhs, begin, chunk, threads);
    });
  });
  if (forward) share.forward(by_rows, nrhs);
  if (backward) share.backward(by_rows, nrhs);
  run_in_team(threads, [&] {
    member.staging->download(queue, own, [&](Offset begin, std::span<const T> chunk) {
      write_row_entries(row_of, nrhs, begin, chunk, threads);
    });
  });
}

template <class T>
void DeviceTeam<T>::visit_panels(const VisitColumns<T>& visit) {
  for (const auto& member : members_) {
    const DevicePlan& plan = member->share->factor().plan();
    gpu::Queue& queue = runtime_of(*member).queue();
    for (std::size_t slab = 0; slab < plan.slabs.size(); ++slab) {
      const std::vector<T> panels = member->share->panels().read(static_cast<Index>(slab), queue);
      for (Index f = plan.slabs[slab].begin; f < plan.slabs[slab].end; ++f) {
        const gpu::Front& front = plan.fronts[f];
        const Index s = member->part.super[static_cast<std::size_t>(plan.super[f])];
        if (front.ncol > 0) {
          visit({s, 0, front.ncol, panels.data() + front.panel, front.ldp});
        }
      }
    }
  }
}

template <class T>
std::vector<T> DeviceTeam<T>::diagonal() {
  std::vector<T> diagonal(static_cast<std::size_t>(symbolic_.n));
  for (const auto& member : members_) {
    const std::vector<T> own = member->share->diagonal();
    for (Index j = 0; j < member->part.num_columns; ++j) {
      diagonal[static_cast<std::size_t>(member->part.row[static_cast<std::size_t>(j)])] = own[j];
    }
  }
  return diagonal;
}

template <class T>
DeviceShareSetup DeviceTeam<T>::setup() const {
  DeviceShareSetup setup = members_.front()->share->setup();
  setup.solves_by_tickets = members_.front()->share->solves_by_tickets();
  setup.solve_columns = columns();
  for (std::size_t k = 1; k < members_.size(); ++k) {
    const DeviceShareSetup& of = members_[k]->share->setup();
    setup.plan_s = std::max(setup.plan_s, of.plan_s);
    setup.upload_s = std::max(setup.upload_s, of.upload_s);
    setup.pin_s = std::max(setup.pin_s, of.pin_s);
  }
  return setup;
}

template <class T>
Offset DeviceTeam<T>::bytes(Index device) const {
  for (const auto& member : members_) {
    if (member->device == device) return member->share->bytes();
  }
  return 0;
}

template Mapping map_on_devices<double>(const DeviceRuntimes&, const symbolic::SymbolicFactor&,
                                        const DeviceTeamOptions&);
template Mapping map_on_devices<float>(const DeviceRuntimes&, const symbolic::SymbolicFactor&,
                                       const DeviceTeamOptions&);
template class DeviceTeam<double>;
template class DeviceTeam<float>;

}  // namespace clchol::numeric
