#include "numeric/device/share.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/memory_info.hpp"
#include "base/number_text.hpp"
#include "base/timer.hpp"

namespace clchol::numeric {
namespace {

/// Up to this number of bytes, update matrices are never split into groups for their size.
constexpr Offset kSmallUpdates = Offset{64} << 20;

/// Right-hand sides at once: level-3 rates are reached with fewer.
constexpr Index kMostColumns = 64;

/// Right-hand sides of a block for which memory is laid out.
constexpr Index kUsualColumns = 16;

/// Plans that are made, each with less room for update matrices, until one fits: the lists of a
/// plan are a part of what has to fit.
constexpr int kPlans = 4;

/// How streamed factors are planned, one way after the other, until one fits.  The more room there
/// is for update matrices, the fewer groups follow one another; the smaller slabs are, the more of
/// them stay, and the more launches there are.
struct Streaming {
  Offset updates;  // The budget divided by this number; 0: as little as can be.
  Offset slab;     // All panels divided by this number.
};
constexpr std::array<Streaming, 4> kStreaming{{{2, 16}, {4, 16}, {0, 16}, {0, 64}}};

/// Of a compiler's error, what fits into a report.
std::string short_text(std::string text) {
  constexpr std::size_t kLongest = 400;
  if (text.size() > kLongest) text.replace(kLongest, std::string::npos, "...");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

template <class T>
DeviceShare<T>::DeviceShare(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
                            const symbolic::EntryMap& entries, const DeviceShareOptions& options)
    : runtime_(runtime),
      symbolic_(symbolic),
      num_values_(entries.nnz()),
      threads_(options.threads),
      spare_(options.spare) {
  const gpu::DeviceDescription& device = runtime.device().description;
  const auto all = static_cast<Offset>(device.global_memory_bytes);
  budget_ = options.memory > 0 ? options.memory : all / 20 * 19;
  largest_ =
      options.largest > 0 ? options.largest : static_cast<Offset>(device.max_allocation_bytes);
  host_budget_ = options.host_memory > 0 ? options.host_memory : available_bytes() / 10 * 9;
  const Timer timer;
  try {
    make(entries, options);
  } catch (const gpu::BuildError& error) {
    if (!runtime.do_without_ptx(short_text(error.what()))) throw;
    make(entries, options);
  }
  setup_.plan_s = timer.seconds();
}

// ---- Plans within the budget --------------------------------------------------------------------

template <class T>
void DeviceShare<T>::make(const symbolic::EntryMap& entries, const DeviceShareOptions& options) {
  DeviceKernelParams params = device_kernel_params<T>(runtime_);
  params.threads = threads_;
  setup_.kernels = params.plain ? "plain" : "tensor cores";
  setup_.kernels_reason = params.plain_reason;
  make_in_core(entries, params);
  if (bytes() > budget_) make_streamed(entries, params);
  if (bytes() > budget_) {
    throw OutOfMemory("not enough device memory: the factor and what it takes to make it need " +
                      gigabytes_text(bytes()) + " at least, " + gigabytes_text(budget_) +
                      (options.memory > 0 ? " are the limit given" : " are there"));
  }
  if (host_bytes() > host_budget_) {
    throw OutOfMemory("not enough host memory: of the factor, the device's " +
                      gigabytes_text(budget_) + " leave " + gigabytes_text(host_bytes()) +
                      " for the host, " + gigabytes_text(host_budget_) +
                      (options.host_memory > 0 ? " are the limit given" : " are there"));
  }
  with_solve(made_, made_.memory, 1).plan.check();
  choose_columns();
}

template <class T>
void DeviceShare<T>::make_in_core(const symbolic::EntryMap& entries,
                                  const DeviceKernelParams& params) {
  const Offset most = largest_ / Offset{sizeof(T)};
  made_ = make_groups(entries, params,
                      usual_limits(symbolic_, {most, most}, kSmallUpdates / Offset{sizeof(T)}));
  Offset room = most;  // For update matrices, in values.
  for (int tried = 1; bytes() > budget_ && room > 0 && tried < kPlans; ++tried) {
    const Offset updates = made_.factor->plan().update_entries;
    const Offset left = updates - (bytes() - budget_) / Offset{sizeof(T)} - 1;
    room = tried + 1 < kPlans ? std::clamp(left, Offset{0}, most) : 0;
    made_ = {};  // Gives the lists back before more are made.
    made_ = make_groups(entries, params, {room, most});
  }
}

/// First with room for a block of right-hand sides and the spare bytes, then without.
template <class T>
void DeviceShare<T>::make_streamed(const symbolic::EntryMap& entries,
                                   const DeviceKernelParams& params) {
  const Offset panels = made_.factor->plan().panel_entries();
  const Offset most = largest_ / Offset{sizeof(T)};
  for (const bool has_room : {true, false}) {
    for (const Streaming& way : kStreaming) {
      const Offset updates = way.updates == 0 ? 0 : budget_ / Offset{sizeof(T)} / way.updates;
      made_ = {};  // Gives the lists back before more are made.
      made_ = make_groups(entries, params, {std::min(updates, most), most, panels / way.slab});
      if (has_room ? move_slabs(kUsualColumns, spare_) : move_slabs(1, 0)) return;
    }
  }
}

/// Moves as few slabs as the budget asks for; all, where that does not do.
/// @return whether a solve with so many right-hand sides then leaves the spare bytes.
template <class T>
bool DeviceShare<T>::move_slabs(Index columns, Offset spare) {
  const auto slabs = static_cast<Index>(made_.factor->plan().slabs.size());
  const auto fits = [&] { return bytes_with(columns) + spare <= budget_; };
  for (Index moving = 1; moving <= slabs && !fits(); ++moving) place_panels(moving, made_);
  return fits();
}

template <class T>
typename DeviceShare<T>::Made DeviceShare<T>::make_groups(const symbolic::EntryMap& entries,
                                                          const DeviceKernelParams& params,
                                                          const GroupLimits& limits) const {
  DevicePlanOptions options = device_plan_options(params);
  options.limits = limits;
  Made made;
  made.factor =
      std::make_unique<DeviceFactor<T>>(runtime_.programs(), symbolic_, entries,
                                        make_device_plan(symbolic_, entries, options), params);
  made.solve = make_device_solve<T>(runtime_, symbolic_, *made.factor, threads_);
  place_panels(0, made);
  return made;
}

template <class T>
void DeviceShare<T>::place_panels(Index first_resident, Made& made) const {
  const std::vector<Offset>& sizes = made.factor->plan().panels.slab_sizes;
  made.panels = panel_places(sizes, first_resident);
  Offset slot = 0;  // Inverted blocks of any slab that moves.
  for (Index s = 0; s < first_resident; ++s) slot = std::max(slot, made.solve->inverse_entries(s));
  made.inverses = {0};
  for (Index p = 0; p < made.panels.num_slots; ++p) {
    made.inverses.push_back(made.inverses.back() + slot);
  }
  for (Index s = first_resident; s < static_cast<Index>(sizes.size()); ++s) {
    made.inverses.push_back(made.inverses.back() + made.solve->inverse_entries(s));
  }
  made.memory = best_layout(made);
}

// ---- Memory -------------------------------------------------------------------------------------

template <class T>
typename DeviceShare<T>::Layout DeviceShare<T>::lay_out(const Made& made, Inverses inverses) const {
  constexpr Offset kValue = sizeof(T);
  const auto solve_step = static_cast<Index>(made.factor->plan().groups.size());
  Layout memory;
  MemoryPlan& plan = memory.plan;
  const auto add_own = [&](const char* what, Offset bytes, Offset most) {
    const Index buffer = plan.add_buffer(what, Tier::kDevice, most);
    return plan.add({.buffer = buffer, .bytes = bytes, .first = 0, .last = solve_step});
  };
  constexpr Offset kAny = std::numeric_limits<Offset>::max();
  const std::vector<Offset>& slabs = made.factor->plan().panels.slab_sizes;
  add_own("panels", device_entries(slabs, made.panels) * kValue, kAny);
  const Index on_host = plan.add_buffer("panels", Tier::kHost);
  plan.add({.buffer = on_host,
            .bytes = host_entries(slabs, made.panels) * kValue,
            .first = 0,
            .last = solve_step});
  add_own("lists", made.factor->bytes(), kAny);
  add_own("update matrices", made.factor->workspace_bytes(), largest_);
  add_own("values of A", num_values_ * kValue, largest_);
  add_own("permutations", 2 * Offset{symbolic_.n} * Offset{sizeof(Index)}, kAny);
  add_own("failed pivot", Offset{sizeof(gpu::PivotStatus<T>)}, kAny);
  // Update matrices that are there already keep their buffer.
  memory.updates =
      plan.add_buffer("update matrices", Tier::kDevice, largest_, updates_.size() * kValue);
  plan.add({.buffer = memory.updates,
            .bytes = made.factor->plan().update_entries * kValue,
            .first = 0,
            .last = solve_step - 1});
  const Index apart = plan.add_buffer("inverted diagonal blocks", Tier::kDevice, largest_);
  memory.inverses = plan.add({.buffer = inverses == Inverses::kInUpdates ? memory.updates : apart,
                              .bytes = made.inverses.back() * kValue,
                              .first = solve_step,
                              .last = solve_step});
  memory.room = plan.add_buffer("solves", Tier::kDevice, largest_);
  return memory;
}

/// X and what else solves write lie where the update matrices were, if there is room.
template <class T>
typename DeviceShare<T>::SolveLayout DeviceShare<T>::with_solve(const Made& made,
                                                                const Layout& memory,
                                                                Index nrhs) const {
  constexpr Offset kValue = sizeof(T);
  const auto step = static_cast<Index>(made.factor->plan().groups.size());
  SolveLayout solve{memory.plan, {}, {}};
  const Index lists = solve.plan.add_buffer("lists of solves", Tier::kDevice);
  solve.plan.add({.buffer = lists, .bytes = made.solve->bytes(nrhs), .first = step, .last = step});
  const auto place = [&](Offset values) {
    return solve.plan.add({.buffer = memory.room,
                           .within = memory.updates,
                           .bytes = values * kValue,
                           .first = step,
                           .last = step});
  };
  const Offset x = Offset{symbolic_.n} * nrhs, workspace = made.solve->workspace_entries(nrhs);
  // The larger one first, while there is most room.
  if (x >= workspace) solve.x = place(x);
  solve.workspace = place(workspace);
  if (x < workspace) solve.x = place(x);
  return solve;
}

template <class T>
Offset DeviceShare<T>::bytes_of(const Made& made, const Layout& memory, Index nrhs) const {
  return with_solve(made, memory, nrhs).plan.bytes(Tier::kDevice);
}

/// Inverted blocks lie where the update matrices were, which get room enough, or apart: whichever
/// takes less with a block of right-hand sides; with one, if the budget has no room for either way.
template <class T>
typename DeviceShare<T>::Layout DeviceShare<T>::best_layout(const Made& made) const {
  Layout apart = lay_out(made, Inverses::kApart), there = lay_out(made, Inverses::kInUpdates);
  const auto takes_less = [&](Index nrhs) {
    return bytes_of(made, apart, nrhs) < bytes_of(made, there, nrhs);
  };
  const bool both_fit = std::max(bytes_of(made, apart, 1), bytes_of(made, there, 1)) <= budget_;
  return takes_less(both_fit ? kUsualColumns : 1) ? std::move(apart) : std::move(there);
}

/// Half of what is left may go to more right-hand sides: the rest is for refinement.  Of a streamed
/// factor, whose panels come anew for each block of them, all but the spare bytes.
template <class T>
void DeviceShare<T>::choose_columns() {
  const Offset one = bytes_with(1);
  const auto fits = [&](Index columns) {
    const MemoryPlan plan = with_solve(made_, made_.memory, columns).plan;
    const Offset left = budget_ - one;
    const Offset most = host_bytes() > 0 ? std::max(left / 2, left - spare_) : left / 2;
    return plan.bytes(Tier::kDevice) - one <= most && plan.bytes(made_.memory.room) <= largest_;
  };
  columns_ = kMostColumns;
  while (columns_ > 1 && !fits(columns_)) columns_ /= 2;
}

template <class T>
void DeviceShare<T>::allocate() {
  const gpu::Context& context = runtime_.context();
  const auto values_of = [&](Index buffer) {
    return made_.memory.plan.bytes(buffer) / Offset{sizeof(T)};
  };
  panels_.emplace(made_.factor->plan().panels.slab_sizes, made_.panels);
  gpu::Queue* const copies = host_bytes() > 0 ? &runtime_.copy_queue() : nullptr;
  panels_->allocate(context, copies, threads_);
  inverted_.assign(static_cast<std::size_t>(panels_->num_places()), kNone);
  updates_ = gpu::DeviceBuffer<T>(context, values_of(made_.memory.updates));
  made_.factor->allocate(runtime_.queue(), updates_);
  if (made_.memory.inverses.buffer != made_.memory.updates) {
    inverses_ = gpu::DeviceBuffer<T>(context, values_of(made_.memory.inverses.buffer));
  }
  made_.solve->allocate(runtime_.queue());
}

/// Of the buffers of update matrices, inverted blocks and solves.
template <class T>
gpu::DeviceView<T> DeviceShare<T>::view(const Place& place) {
  constexpr Offset kValue = sizeof(T);
  const gpu::DeviceBuffer<T>& buffer = place.buffer == made_.memory.updates ? updates_
                                       : place.buffer == made_.memory.room  ? room_
                                                                            : inverses_;
  return buffer.part(place.begin / kValue, place.bytes / kValue);
}

template <class T>
gpu::DeviceView<T> DeviceShare<T>::values() {
  if (values_.size() < num_values_) {
    values_ = gpu::DeviceBuffer<T>(runtime_.context(), num_values_);
  }
  return values_;
}

// ---- Numeric phase and solves -------------------------------------------------------------------

/// Throws DeviceError where others could not take the place of those that did not build.
template <class T>
DeviceSolve<T>& DeviceShare<T>::solve() const {
  if (!made_.solve) throw DeviceError("there are no kernels for solves on this device");
  return *made_.solve;
}

template <class T>
void DeviceShare<T>::factorize(gpu::DeviceView<const T> values) {
  made_.factor->factorize(runtime_.queue(), values, *panels_);
  invert_resident();
}

/// Of slabs that stay, blocks are inverted once; of others whenever they come.
template <class T>
void DeviceShare<T>::invert_resident() {
  std::ranges::fill(inverted_, kNone);
  for (Index s = made_.panels.first_resident; s < panels_->num_slabs(); ++s) {
    with_range(s, [](const SolveRange<T>&) {});
  }
}

/// use(range), with the panels at hand and their diagonal blocks inverted.
template <class T>
template <class Use>
void DeviceShare<T>::with_range(Index slab, const Use& use) {
  gpu::Queue& queue = runtime_.queue();
  const PanelLease<T> lease = panels_->acquire(slab, PanelAccess::kRead);
  queue.wait_for(lease.ready);
  const Offset begin = made_.inverses[static_cast<std::size_t>(lease.place)];
  const SolveRange<T> range{slab, lease.panels,
                            view(made_.memory.inverses).part(begin, solve().inverse_entries(slab))};
  Index& inverted = inverted_[static_cast<std::size_t>(lease.place)];
  if (inverted != slab) {
    inverted = slab;
    solve().invert_blocks(queue, range);
  }
  use(range);
  panels_->release(lease, queue);
}

template <class T>
void DeviceShare<T>::forward(gpu::DeviceView<T> x, Index nrhs) {
  for (Index s = 0; s < panels_->num_slabs(); ++s) {
    with_range(
        s, [&](const SolveRange<T>& range) { solve().forward(runtime_.queue(), range, x, nrhs); });
  }
}

template <class T>
void DeviceShare<T>::backward(gpu::DeviceView<T> x, Index nrhs) {
  for (Index s = panels_->num_slabs() - 1; s >= 0; --s) {
    with_range(
        s, [&](const SolveRange<T>& range) { solve().backward(runtime_.queue(), range, x, nrhs); });
  }
}

template <class T>
gpu::DeviceView<T> DeviceShare<T>::reserve(Index nrhs) {
  solve();
  const auto make_room = [&] {
    if (laid_out_columns_ != nrhs) {
      layout_ = with_solve(made_, made_.memory, nrhs);
      laid_out_columns_ = nrhs;
    }
    const Offset room = layout_.plan.bytes(made_.memory.room) / Offset{sizeof(T)};
    if (room_.size() < room) {
      room_ = {};  // Gives the memory back before more is taken.
      room_ = gpu::DeviceBuffer<T>(runtime_.context(), room);
    }
  };
  make_room();
  try {
    solve().reserve(runtime_.queue(), nrhs, view(layout_.workspace));
  } catch (const gpu::BuildError& error) {
    if (!runtime_.do_without_ptx(short_text(error.what()))) throw;
    solve_by_waves();
    make_room();
    solve().reserve(runtime_.queue(), nrhs, view(layout_.workspace));
  }
  return view(layout_.x);
}

/// After kernels for so many right-hand sides as were not there yet did not build.
template <class T>
void DeviceShare<T>::solve_by_waves() {
  gpu::Queue& queue = runtime_.queue();
  queue.finish();
  made_.solve = {};  // Gives the memory back before more is taken.
  inverses_ = {};
  laid_out_columns_ = 0;
  // Waves have other blocks than tickets, which may be more.
  made_.solve = make_device_solve<T>(runtime_, symbolic_, *made_.factor, threads_);
  place_panels(made_.panels.first_resident, made_);
  const bool there = made_.inverses.back() <= updates_.size();
  made_.memory = lay_out(made_, there ? Inverses::kInUpdates : Inverses::kApart);
  if (bytes() > budget_) {
    made_.solve = {};
    throw OutOfMemory("not enough device memory: solves by waves need " + gigabytes_text(bytes()) +
                      " in all, " + gigabytes_text(budget_) + " are the budget");
  }
  if (!there) {
    inverses_ =
        gpu::DeviceBuffer<T>(runtime_.context(), made_.memory.inverses.bytes / Offset{sizeof(T)});
  }
  made_.solve->allocate(queue);
  invert_resident();
}

template class DeviceShare<double>;
template class DeviceShare<float>;

}  // namespace clchol::numeric
