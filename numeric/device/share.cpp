#include "numeric/device/share.hpp"

#include <algorithm>
#include <utility>

#include "base/memory_info.hpp"
#include "base/number_text.hpp"
#include "base/timer.hpp"

namespace clchol::numeric {
namespace {

/// Of a compiler's error, what fits into a report.
std::string short_text(std::string text) {
  constexpr std::size_t kLongest = 400;
  if (text.size() > kLongest) text.replace(kLongest, std::string::npos, "...");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

ShareBudgets budgets_of(const gpu::DeviceDescription& device, const DeviceShareOptions& options) {
  const auto all = static_cast<Offset>(device.global_memory_bytes);
  const auto most = static_cast<Offset>(device.max_allocation_bytes);
  return {.device = options.memory > 0 ? options.memory : all / 20 * 19,
          .buffer = options.largest > 0 ? options.largest : most,
          .host = options.host_memory > 0 ? options.host_memory : available_bytes() / 10 * 9,
          .spare = options.spare,
          .device_is_given = options.memory > 0,
          .host_is_given = options.host_memory > 0};
}

}  // namespace

template <class T>
DeviceShare<T>::DeviceShare(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
                            const symbolic::EntryMap& entries, const DeviceShareOptions& options)
    : runtime_(runtime),
      symbolic_(symbolic),
      planner_(runtime, symbolic, entries.nnz(), budgets_of(runtime.device().description, options),
               options.threads) {
  const Timer timer;
  try {
    make(entries);
  } catch (const gpu::BuildError& error) {
    if (!runtime.do_without_ptx(short_text(error.what()))) throw;
    make(entries);
  }
  setup_.plan_s = timer.seconds();
}

template <class T>
void DeviceShare<T>::make(const symbolic::EntryMap& entries) {
  DeviceKernelParams params = device_kernel_params<T>(runtime_);
  params.threads = planner_.threads();
  setup_.kernels = params.plain ? "plain" : "tensor cores";
  setup_.kernels_reason = params.plain_reason;
  plan_ = planner_.make(entries, params);
  bytes_ = planner_.bytes(plan_, 1);
}

template <class T>
void DeviceShare<T>::allocate() {
  const gpu::Context& context = runtime_.context();
  const auto values_of = [&](Index buffer) {
    return plan_.memory.plan.bytes(buffer) / Offset{sizeof(T)};
  };
  panels_.emplace(plan_.factor->plan().panels.slab_sizes, plan_.panels);
  gpu::Queue* const copies = host_bytes() > 0 ? &runtime_.copy_queue() : nullptr;
  panels_->allocate(context, copies, planner_.threads());
  inverted_.assign(static_cast<std::size_t>(panels_->num_places()), kNone);
  buffers_.updates = gpu::DeviceBuffer<T>(context, values_of(plan_.memory.updates));
  plan_.factor->allocate(runtime_.queue(), buffers_.updates);
  if (plan_.memory.inverses.buffer != plan_.memory.updates) {
    buffers_.inverses = gpu::DeviceBuffer<T>(context, values_of(plan_.memory.inverses.buffer));
  }
  plan_.solve->allocate(runtime_.queue());
}

/// A place in the buffer of update matrices, of inverted blocks or of solves.
template <class T>
gpu::DeviceView<T> DeviceShare<T>::view(const MemoryPlan::Place& place) {
  constexpr Offset kValue = sizeof(T);
  const gpu::DeviceBuffer<T>& buffer = place.buffer == plan_.memory.updates ? buffers_.updates
                                       : place.buffer == plan_.memory.room  ? buffers_.solves
                                                                            : buffers_.inverses;
  return buffer.part(place.begin / kValue, place.bytes / kValue);
}

template <class T>
gpu::DeviceView<T> DeviceShare<T>::values() {
  if (buffers_.values.size() < num_values()) {
    buffers_.values = gpu::DeviceBuffer<T>(runtime_.context(), num_values());
  }
  return buffers_.values;
}

// ---- Numeric phase and solves -------------------------------------------------------------------

/// Throws DeviceError where others could not take the place of those that did not build.
template <class T>
DeviceSolve<T>& DeviceShare<T>::solve() const {
  if (!plan_.solve) throw DeviceError("there are no kernels for solves on this device");
  return *plan_.solve;
}

template <class T>
void DeviceShare<T>::factorize(gpu::DeviceView<const T> values) {
  plan_.factor->factorize(runtime_.queue(), values, *panels_);
  invert_resident();
}

/// Blocks of slabs that stay are inverted once; blocks of others whenever their slab comes.
template <class T>
void DeviceShare<T>::invert_resident() {
  std::ranges::fill(inverted_, kNone);
  for (Index s = plan_.panels.first_resident; s < panels_->num_slabs(); ++s) {
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
  const Offset begin = plan_.inverses[static_cast<std::size_t>(lease.place)];
  const SolveRange<T> range{slab, lease.panels,
                            view(plan_.memory.inverses).part(begin, solve().inverse_entries(slab))};
  Index& inverted = inverted_[static_cast<std::size_t>(lease.place)];
  if (inverted != slab) {
    inverted = kNone;  // Until they are all enqueued.
    solve().invert_blocks(queue, range);
    inverted = slab;
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
  make_room(nrhs);
  try {
    solve().reserve(runtime_.queue(), nrhs, view(layout_.workspace));
  } catch (const gpu::BuildError& error) {
    if (!runtime_.do_without_ptx(short_text(error.what()))) throw;
    solve_by_waves();
    make_room(nrhs);
    solve().reserve(runtime_.queue(), nrhs, view(layout_.workspace));
  }
  return view(layout_.x);
}

template <class T>
void DeviceShare<T>::make_room(Index nrhs) {
  if (laid_out_columns_ != nrhs) {
    layout_ = planner_.with_solve(plan_, nrhs);
    laid_out_columns_ = nrhs;
  }
  const Offset room = layout_.plan.bytes(plan_.memory.room) / Offset{sizeof(T)};
  if (buffers_.solves.size() < room) {
    buffers_.solves = {};  // Gives the memory back before more is taken.
    buffers_.solves = gpu::DeviceBuffer<T>(runtime_.context(), room);
  }
}

/// After kernels for so many right-hand sides as were not there yet did not build.  Where waves
/// cannot take their place, there are no solves any more.
template <class T>
void DeviceShare<T>::solve_by_waves() {
  runtime_.queue().finish();
  plan_.solve = {};  // Gives the memory back before more is taken.
  buffers_.inverses = {};
  laid_out_columns_ = 0;
  try {
    make_waves();
  } catch (...) {
    plan_.solve = {};
    throw;
  }
}

template <class T>
void DeviceShare<T>::make_waves() {
  using Inverses = typename SharePlanner<T>::Inverses;
  // Waves have other blocks than tickets, which may be more.
  plan_.solve = make_device_solve<T>(runtime_, symbolic_, *plan_.factor, planner_.threads());
  const Index first_resident = plan_.panels.first_resident;
  const Offset updates = buffers_.updates.size();
  planner_.place(first_resident, plan_, Inverses::kApart, updates * Offset{sizeof(T)});
  const bool there = plan_.inverses.back() <= updates;
  if (there) {
    planner_.place(first_resident, plan_, Inverses::kInUpdates, updates * Offset{sizeof(T)});
  }
  bytes_ = planner_.bytes(plan_, 1);
  if (bytes_ > planner_.budgets().device) {
    throw OutOfMemory("not enough device memory: solves by waves need " + gigabytes_text(bytes_) +
                      " in all, " + gigabytes_text(planner_.budgets().device) + " are the budget");
  }
  if (!there) {
    buffers_.inverses =
        gpu::DeviceBuffer<T>(runtime_.context(), plan_.memory.inverses.bytes / Offset{sizeof(T)});
  }
  plan_.solve->allocate(runtime_.queue());
  invert_resident();
}

template class DeviceShare<double>;
template class DeviceShare<float>;

}  // namespace clchol::numeric
