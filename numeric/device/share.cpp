#include "numeric/device/share.hpp"

#include <algorithm>
#include <future>
#include <span>
#include <system_error>
#include <utility>

#include "base/memory_info.hpp"
#include "base/number_text.hpp"
#include "base/timer.hpp"
#include "numeric/device/stream/file_rate.hpp"

namespace clchol::numeric {
namespace {

/// A compiler's error message, shortened to fit into a report.
std::string short_text(std::string text) {
  constexpr std::size_t kLongest = 400;
  if (text.size() > kLongest) text.replace(kLongest, std::string::npos, "...");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Bytes a second of the scratch file; 0: the caller wants no file.  A directory in which no file
/// can be written gets the default rate: the error is reported when the file is created.
double rate_of(const ScratchPlace& scratch) {
  if (scratch.directory.empty() || scratch.rate > 0) return scratch.rate;
  const gpu::BinaryCache cache(gpu::default_cache_folder());
  const double rate = file_rate(scratch.directory, *scratch.calls, cache);
  return rate > 0 ? rate : StreamRates{}.file_bytes_per_s;
}

ShareBudgets budgets_of(const gpu::DeviceDescription& device, const DeviceShareOptions& options) {
  const auto all = static_cast<Offset>(device.global_memory_bytes);
  const auto most = static_cast<Offset>(device.max_allocation_bytes);
  return {.device = options.memory > 0 ? options.memory : all / 20 * 19,
          .buffer = options.largest > 0 ? options.largest : most,
          .host = options.host_memory > 0 ? options.host_memory : available_bytes() / 10 * 9,
          .device_is_given = options.memory > 0,
          .host_is_given = options.host_memory > 0,
          .file_rate = rate_of(options.scratch)};
}

template <class T>
DeviceKernelParams kernel_params(const gpu::DeviceRuntime& runtime, int threads,
                                 const StreamParams& stream) {
  DeviceKernelParams params = device_kernel_params<T>(runtime);
  params.threads = threads;
  params.stream = stream;
  return params;
}

}  // namespace

template <class T>
DeviceShare<T>::DeviceShare(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
                            const symbolic::EntryMap& entries, const DeviceShareOptions& options,
                            std::optional<SharePart> part)
    : runtime_(runtime),
      symbolic_(symbolic),
      part_(part ? std::make_unique<const SharePart>(std::move(*part)) : nullptr),
      planner_(runtime, symbolic, entries.nnz(), budgets_of(runtime.device().description, options),
               options.threads, part_.get()),
      scratch_(options.scratch),
      stream_params_(options.stream) {
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
std::vector<ModeEstimate> DeviceShare<T>::modes(gpu::DeviceRuntime& runtime,
                                                const symbolic::SymbolicFactor& symbolic,
                                                const symbolic::EntryMap& entries,
                                                const DeviceShareOptions& options) {
  const SharePlanner<T> planner(runtime, symbolic, entries.nnz(),
                                budgets_of(runtime.device().description, options), options.threads);
  return planner.modes(entries, kernel_params<T>(runtime, options.threads, options.stream));
}

template <class T>
void DeviceShare<T>::make(const symbolic::EntryMap& entries) {
  const DeviceKernelParams params = kernel_params<T>(runtime_, planner_.threads(), stream_params_);
  setup_.has_tensor_kernels = !params.plain;
  setup_.kernels_reason = params.plain_reason;
  plan_ = planner_.make(entries, params);
  const StreamRates rates = stream_rates(runtime_.tuning(), sizeof(T), planner_.threads());
  runtime_.expect_work(symbolic_.info.flops_stored / rates.flops_per_s);
  bytes_ = planner_.bytes(plan_, 1);
  if (const auto& stream = plan_.factor->plan().stream) {
    setup_.streamed_factor_s = stream->factor_s;
    setup_.streamed_solve_s = stream->solve_s;
  }
}

template <class T>
void DeviceShare<T>::allocate() {
  const gpu::Context& context = runtime_.context();
  const auto values_of = [&](Index buffer) {
    return plan_.memory.plan.bytes(buffer) / Offset{sizeof(T)};
  };
  const DevicePlan& plan = plan_.factor->plan();
  buffers_.updates = gpu::DeviceBuffer<T>(context, values_of(plan_.memory.updates));
  panels_.emplace(plan.panels.slab_sizes, plan.stream, wide_panels(plan));
  const gpu::CopyQueues copies = plan.stream ? runtime_.copy_queues() : gpu::CopyQueues{};
  panels_->allocate(context, buffers_.updates, copies, planner_.threads(), scratch_);
  set_ring();
  plan_.factor->allocate(runtime_.queue(), buffers_.updates, copies);
  if (plan_.memory.inverses.buffer != plan_.memory.updates) {
    buffers_.inverses = gpu::DeviceBuffer<T>(context, values_of(plan_.memory.inverses.buffer));
  }
  plan_.solve->allocate(runtime_.queue());
}

template <class T>
void DeviceShare<T>::connect(std::unique_ptr<ShareExchange<T>> updates,
                             std::unique_ptr<SolveExchange<T>> vectors) {
  exchange_ = std::move(updates);
  vectors_ = std::move(vectors);
}

template <class T>
void DeviceShare<T>::set_ring() {
  std::vector<Offset> inverses;
  inverses.reserve(static_cast<std::size_t>(plan_.first_resident()));
  for (Index s = 0; s < plan_.first_resident(); ++s) {
    inverses.push_back(solve().inverse_entries(s));
  }
  panels_->set_ring(view(plan_.memory.ring), view(plan_.memory.dropped), std::move(inverses));
}

/// The memory of a place in the buffer of update matrices, of inverted blocks or of solves.
template <class T>
gpu::DeviceView<T> DeviceShare<T>::view(const MemoryPlan::Place& place) {
  constexpr Offset kValue = sizeof(T);
  const gpu::DeviceBuffer<T>& buffer = place.buffer == plan_.memory.updates ? buffers_.updates
                                       : place.buffer == plan_.memory.room  ? buffers_.solves
                                                                            : buffers_.inverses;
  return buffer.part(place.begin / kValue, place.bytes / kValue);
}

template <class T>
bool DeviceShare<T>::keeps_values() const {
  const auto& stream = plan_.factor->plan().stream;
  return stream && std::ranges::find(stream->dropped, 1) != stream->dropped.end();
}

template <class T>
gpu::DeviceView<T> DeviceShare<T>::values() {
  if (buffers_.values.size() < num_values()) {
    buffers_.values = gpu::DeviceBuffer<T>(runtime_.context(), num_values());
  }
  return buffers_.values;
}

// ---- Numeric phase and solves -------------------------------------------------------------------

/// Throws DeviceError when no solve kernels could be built.
template <class T>
DeviceSolve<T>& DeviceShare<T>::solve() const {
  if (!plan_.solve) throw DeviceError("there are no kernels for solves on this device");
  return *plan_.solve;
}

template <class T>
FactorOutcome DeviceShare<T>::factorize(gpu::DeviceView<const T> values, const Control& control) {
  factored_ = values;
  if (plan_.host) plan_.host->forget_panels();
  record_factorization();
  const FactorOutcome outcome =
      plan_.factor->factorize(runtime_.queue(), values, *panels_, control, exchange_.get());
  if (outcome == FactorOutcome::kEnqueued) {
    invert_resident();
    record_solve(plan_.memory.plan, true);
  }
  return outcome;
}

/// Inverts the diagonal blocks of slabs that stay on the device.  Blocks of other slabs are
/// inverted each time that their slab comes.
template <class T>
void DeviceShare<T>::invert_resident() {
  for (Index s = plan_.first_resident(); s < panels_->num_slabs(); ++s) {
    solve().invert_blocks(runtime_.queue(), range_of(panels_->acquire(s)));
  }
}

/// Inverted blocks lie beside the panels of a slab that comes, or together for all slabs that stay.
template <class T>
SolveRange<T> DeviceShare<T>::range_of(const PanelLease<T>& lease) {
  if (!panels_->is_resident(lease.slab)) return {lease.slab, lease.panels, lease.beside};
  const auto k = static_cast<std::size_t>(lease.slab);
  const Offset begin = plan_.inverses[k];
  return {lease.slab, lease.panels,
          view(plan_.memory.inverses).part(begin, solve().inverse_entries(lease.slab))};
}

/// Enqueues the download of the rows of X that the CPU reads.
template <class T>
void DeviceShare<T>::begin_on_host(gpu::DeviceView<const T> x) {
  if (!plan_.host) return;
  if (!plan_.host->has_panels()) plan_.host->set_panels(panels_->left_to_host(runtime_.queue()));
  plan_.host->begin(runtime_.queue(), x);
}

/// Calls enqueue(), which enqueues the work of the device, and solve(), which does the work of the
/// CPU, if there is any.  A new thread calls enqueue() meanwhile: this thread leads the team that
/// solves.  If the share may use one thread only, or the system refuses to create a thread, this
/// thread calls enqueue() and then solve().
template <class T>
template <class Enqueue, class Solve>
void DeviceShare<T>::solve_beside(const Enqueue& enqueue, const Solve& solve,
                                  gpu::DeviceView<T> x) {
  if (!plan_.host) {
    enqueue();
    return;
  }
  std::future<void> enqueued;
  try {
    if (planner_.threads() > 1) enqueued = std::async(std::launch::async, enqueue);
  } catch (const std::system_error&) {
    enqueued = {};
  }
  if (!enqueued.valid()) enqueue();
  solve();  // When this call throws, the future's destructor waits for enqueue().
  if (enqueued.valid()) enqueued.get();
  plan_.host->end(runtime_.queue(), x);
}

/// The CPU solves while the device solves with slabs that read nothing from the CPU's fronts.
template <class T>
void DeviceShare<T>::forward(gpu::DeviceView<T> x, Index nrhs, const Control& control) {
  gpu::Queue& queue = runtime_.queue();
  const SolveOrder& order = plan_.factor->plan().solve_order;
  record_solve(layout_.plan, false);
  panels_->will_acquire(order.slabs);
  plan_.factor->will_factor_again(order.slabs, queue);
  const auto pass = [&](std::span<const Index> slabs) {
    for (const Index s : slabs) {
      if (control.cancelled()) return;
      if (vectors_) vectors_->begin_forward(s, half(x, nrhs));
      with_range(s, [&](const SolveRange<T>& range) { solve().forward(queue, range, x, nrhs); });
      if (vectors_) vectors_->end_forward(s, half(x, nrhs));
    }
  };
  if (vectors_) vectors_->begin(half(x, nrhs));
  begin_on_host(x);
  solve_beside([&] { pass(order.free()); }, [&] { plan_.host->forward(queue); }, x);
  pass(order.above());
  if (vectors_) vectors_->end(half(x, nrhs));
}

template <class T>
void DeviceShare<T>::backward(gpu::DeviceView<T> x, Index nrhs, const Control& control) {
  gpu::Queue& queue = runtime_.queue();
  const SolveOrder& order = plan_.factor->plan().solve_order;
  record_solve(layout_.plan, false);
  const std::vector<Index> reverse(order.slabs.rbegin(), order.slabs.rend());
  panels_->will_acquire(reverse);
  plan_.factor->will_factor_again(reverse, queue);
  const auto pass = [&](std::span<const Index> slabs) {
    for (auto s = slabs.rbegin(); s != slabs.rend(); ++s) {
      if (control.cancelled()) return;
      if (vectors_) vectors_->begin_backward(*s, half(x, nrhs));
      with_range(*s, [&](const SolveRange<T>& range) { solve().backward(queue, range, x, nrhs); });
      if (vectors_) vectors_->end_backward(*s, half(x, nrhs));
    }
  };
  if (vectors_) vectors_->begin(half(x, nrhs));
  pass(order.above());
  begin_on_host(x);
  solve_beside([&] { pass(order.free()); }, [&] { plan_.host->backward(queue); }, x);
  if (vectors_) vectors_->end(half(x, nrhs));
}

template <class T>
typename SolveExchange<T>::Half DeviceShare<T>::half(gpu::DeviceView<T> x, Index nrhs) {
  return {.user = runtime_.queue(), .solve = solve(), .x = x, .nrhs = nrhs};
}

template <class T>
gpu::DeviceView<T> DeviceShare<T>::reserve(Index nrhs) {
  solve();
  if (plan_.host) plan_.host->reserve(runtime_.queue(), nrhs);
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
    buffers_.solves = {};  // Frees the old memory before new memory is allocated.
    buffers_.solves = gpu::DeviceBuffer<T>(runtime_.context(), room);
  }
}

/// Called when kernels for a new number of right-hand sides do not build: solves by waves take
/// their place.  When the kernels of these cannot be used either, the share cannot solve any more.
template <class T>
void DeviceShare<T>::solve_by_waves() {
  runtime_.queue().finish();
  plan_.solve = {};  // Frees the old memory before new memory is allocated.
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
  // Solves by waves have other inverted blocks, which may need more memory.
  const symbolic::SymbolicFactor& factor = plan_.chains ? plan_.chains->factor : symbolic_;
  plan_.solve = make_device_solve<T>(runtime_, factor, *plan_.factor, planner_.threads());
  const Offset updates = buffers_.updates.size() * Offset{sizeof(T)};
  planner_.place(plan_, Inverses::kApart, updates);
  const bool there = plan_.inverses.back() * Offset{sizeof(T)} <= updates;
  if (there) planner_.place(plan_, Inverses::kInUpdates, updates);
  bytes_ = planner_.bytes(plan_, 1);
  if (bytes_ > planner_.budgets().device ||
      plan_.memory.plan.bytes(plan_.memory.updates) > updates) {
    throw OutOfMemory("not enough device memory: solves by waves need " + gigabytes_text(bytes_) +
                      " in all, " + gigabytes_text(planner_.budgets().device) + " are the budget");
  }
  set_ring();
  if (!there) {
    buffers_.inverses =
        gpu::DeviceBuffer<T>(runtime_.context(), plan_.memory.inverses.bytes / Offset{sizeof(T)});
  }
  plan_.solve->allocate(runtime_.queue());
  invert_resident();
}

bool finished_unless_cancelled(gpu::Queue& queue, const Control& control) {
  if (control.cancel == nullptr) return true;
  return queue.marker().wait_unless(*control.cancel) && !control.cancelled();
}

template class DeviceShare<double>;
template class DeviceShare<float>;

}  // namespace clchol::numeric
