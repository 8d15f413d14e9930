#include "numeric/device/engine.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <tuple>
#include <utility>

#include "base/number_text.hpp"
#include "base/team.hpp"
#include "base/timer.hpp"

namespace clchol::numeric {
namespace {

/// Values of a piece of a transfer: long enough to hide what it costs to begin one.
template <class T>
Offset staged_piece(Offset most) {
  return std::min<Offset>(most, (Offset{4} << 20) / Offset{sizeof(T)});
}

/// visit(e, row, column) for entries [begin, end) of a matrix by rows; rows side by side.
template <class Visit>
void for_entries(Offset begin, Offset end, Index ncol, int threads, const Visit& visit) {
  const Offset first_row = begin / ncol, end_row = (end + ncol - 1) / ncol;
  parallel_for(end_row - first_row, threads, [&](Offset k) {
    const Offset row = first_row + k;
    const Offset first = std::max(begin, row * ncol), last = std::min(end, (row + 1) * ncol);
    for (Offset e = first; e < last; ++e) {
      visit(e, static_cast<Index>(row), static_cast<Index>(e - row * ncol));
    }
  });
}

std::string gigabytes(Offset bytes) {
  return general_text(static_cast<double>(bytes) * 1e-9, 3) + " GB";
}

/// Update matrices of so many bytes are never too many.
constexpr Offset kSmallUpdates = Offset{64} << 20;

/// Right-hand sides at once: level-3 rates are reached with fewer.
constexpr Index kMostColumns = 64;

/// Of a block of them for which memory is laid out.
constexpr Index kUsualColumns = 16;

/// Plans that are made, each with less room for update matrices, until one fits: its lists are a
/// part of what has to.
constexpr int kPlans = 4;

/// Adds the seconds until its end.
class TimeInto {
 public:
  explicit TimeInto(double& seconds) : seconds_(seconds) {}
  TimeInto(const TimeInto&) = delete;
  TimeInto& operator=(const TimeInto&) = delete;
  ~TimeInto() { seconds_ += timer_.seconds(); }

 private:
  double& seconds_;
  Timer timer_;
};

template <class T>
gpu::Staging<T> timed_staging(const gpu::Queue& queue, Offset piece, double& seconds) {
  const TimeInto time(seconds);
  return gpu::Staging<T>(queue, piece);
}

/// Of a compiler's error, what fits into a report.
std::string short_text(std::string text) {
  constexpr std::size_t kLongest = 400;
  if (text.size() > kLongest) text.replace(kLongest, std::string::npos, "...");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Waits for all that is enqueued; false when it is cancelled before.
bool finished_unless_cancelled(gpu::Queue& queue, const Control& control) {
  using namespace std::chrono_literals;
  if (control.cancel == nullptr) return true;
  const gpu::Event last = queue.marker();
  queue.flush();
  // Short factorizations are not to wait for a sleeper.
  constexpr double kSpinSeconds = 2e-3;
  for (const Timer timer; !last.is_done();) {
    if (control.cancelled()) return false;
    if (timer.seconds() < kSpinSeconds) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(100us);
    }
  }
  return !control.cancelled();
}

template <class T>
gpu::DeviceColumns<T> block_of(const gpu::DeviceColumns<T>& columns, Index first, Index count,
                               Index n) {
  return {columns.values.part(first * columns.ld, (Offset{count} - 1) * columns.ld + n), count,
          columns.ld};
}

/// X at the begin of a solve's room, whose workspace begins where a sector does.
template <class T>
Offset x_entries(Index n, Index columns) {
  constexpr Offset kSector = 32 / Offset{sizeof(T)};
  return (Offset{n} * columns + kSector - 1) / kSector * kSector;
}

template <class T>
void require_buffer(const char* what, Offset entries, Offset most) {
  if (entries <= most) return;
  throw OutOfMemory(std::string("not enough device memory: ") + what + " need a buffer of " +
                    gigabytes(entries * Offset{sizeof(T)}) + ", the device allows " +
                    gigabytes(most * Offset{sizeof(T)}));
}

}  // namespace

template <class T>
DeviceEngine<T>::DeviceEngine(std::shared_ptr<gpu::DeviceRuntime> runtime,
                              const symbolic::SymbolicFactor& symbolic,
                              const symbolic::EntryMap& entries, const DeviceEngineOptions& options)
    : runtime_(std::move(runtime)),
      symbolic_(&symbolic),
      num_values_(entries.nnz()),
      prepared_(prepare(*runtime_, symbolic, entries, options, setup_)),
      first_failure_(runtime_->programs()),
      gather_(runtime_->programs()),
      threads_(options.threads),
      staging_(timed_staging<T>(runtime_->queue(),
                                staged_piece<T>(std::max<Offset>(entries.nnz(), symbolic.n)),
                                setup_.pin_s)),
      permute_(runtime_->programs()) {
  const TimeInto time(setup_.upload_s);
  prepared_.factor->allocate(runtime_->queue());
  prepared_.solve->allocate(runtime_->queue(),
                            room_of_inverses(prepared_.solve->inverse_entries()));
  const gpu::Context& context = runtime_->context();
  failure_ = gpu::DeviceBuffer<gpu::PivotStatus<T>>(context, 1);
  place_ = gpu::uploaded<Index>(runtime_->queue(), symbolic.permutation.iperm);
  order_ = gpu::uploaded<Index>(runtime_->queue(), symbolic.permutation.perm);
}

template <class T>
DeviceEngineSetup DeviceEngine<T>::setup() const {
  const std::lock_guard lock(mutex_);
  DeviceEngineSetup setup = setup_;
  if (prepared_.solve) setup.solve_kernels = prepared_.solve->order();
  const gpu::Capability& ptx = runtime_->capabilities().inline_ptx;
  if (setup.kernels_reason.empty() && !ptx.present) setup.kernels_reason = ptx.reason;
  return setup;
}

template <class T>
Offset DeviceEngine<T>::predict_bytes(gpu::DeviceRuntime& runtime,
                                      const symbolic::SymbolicFactor& symbolic,
                                      const symbolic::EntryMap& entries,
                                      const DeviceEngineOptions& options) {
  DeviceEngineSetup setup;
  return prepare(runtime, symbolic, entries, options, setup).bytes;
}

template <class T>
typename DeviceEngine<T>::Prepared DeviceEngine<T>::prepare(
    gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
    const symbolic::EntryMap& entries, const DeviceEngineOptions& options,
    DeviceEngineSetup& setup) {
  const TimeInto time(setup.plan_s);
  const auto make = [&] {
    DeviceKernelParams params = device_kernel_params<T>(runtime);
    params.threads = options.threads;
    setup.kernels = params.plain ? "plain" : "tensor cores";
    setup.kernels_reason = params.plain_reason;
    return prepare_within(runtime, symbolic, entries, options, params);
  };
  try {
    return make();
  } catch (const gpu::BuildError& error) {
    if (!runtime.do_without_ptx(short_text(error.what()))) throw;
  }
  return make();
}

/// Within the budget.
template <class T>
typename DeviceEngine<T>::Prepared DeviceEngine<T>::prepare_within(
    gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
    const symbolic::EntryMap& entries, const DeviceEngineOptions& options,
    const DeviceKernelParams& params) {
  const gpu::DeviceDescription& device = runtime.device().description;
  const auto all = static_cast<Offset>(device.global_memory_bytes);
  const auto largest = static_cast<Offset>(device.max_allocation_bytes);
  const Offset budget = options.memory > 0 ? options.memory : all / 20 * 19;
  const Offset most = (options.largest > 0 ? options.largest : largest) / Offset{sizeof(T)};
  Prepared made = prepare_groups(
      runtime, symbolic, entries, params,
      usual_limits(symbolic, {most, most}, kSmallUpdates / Offset{sizeof(T)}), budget);
  Offset room = most;  // For update matrices, in values.
  for (int tried = 1; made.bytes > budget && room > 0 && tried < kPlans; ++tried) {
    const Offset updates = made.factor->plan().update_entries;
    const Offset left = updates - (made.bytes - budget) / Offset{sizeof(T)} - 1;
    room = tried + 1 < kPlans ? std::clamp(left, Offset{0}, most) : 0;
    made = {};  // Gives the lists back before more are made.
    made = prepare_groups(runtime, symbolic, entries, params, {room, most}, budget);
  }
  if (made.bytes > budget) {
    throw OutOfMemory("not enough device memory: the factor and what it takes to make it need " +
                      gigabytes(made.bytes) + " at least, " + gigabytes(budget) +
                      (options.memory > 0 ? " are the limit given" : " are there"));
  }
  require_buffer<T>("update matrices", made.factor->largest_buffer(), most);
  require_buffer<T>("inverted diagonal blocks", made.solve->inverse_entries(), most);
  const Offset own_room = solve_room(made, symbolic.n, 1).own();
  require_buffer<T>("solves", own_room, most);
  require_buffer<T>("values of A", entries.nnz(), most);
  made.budget = budget;
  // What more right-hand sides take.
  const Offset for_one = made.solve->bytes(1);
  const auto bytes_more = [&](Index columns) {
    return made.solve->bytes(columns) - for_one +
           (solve_room(made, symbolic.n, columns).own() - own_room) * Offset{sizeof(T)};
  };
  // Half of what is left: the rest is for refinement.
  const auto fits = [&](Index columns) {
    return bytes_more(columns) <= (budget - made.bytes) / 2 &&
           solve_room(made, symbolic.n, columns).own() <= most;
  };
  made.columns = kMostColumns;
  while (made.columns > 1 && !fits(made.columns)) made.columns /= 2;
  made.bytes_more = bytes_more(made.columns);
  return made;
}

template <class T>
typename DeviceEngine<T>::Prepared DeviceEngine<T>::prepare_groups(
    gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
    const symbolic::EntryMap& entries, const DeviceKernelParams& params, const GroupLimits& limits,
    Offset budget) {
  DevicePlanOptions options = device_plan_options(params);
  options.limits = limits;
  Prepared made;
  made.factor = std::make_unique<DeviceFactor<T>>(
      runtime.programs(), symbolic, entries, make_device_plan(symbolic, entries, options), params);
  made.solve = make_device_solve<T>(runtime, symbolic, *made.factor, params.threads);
  place_inverses(made, symbolic.n, entries.nnz(), budget);
  return made;
}

/// Of all that an engine takes for so many right-hand sides at once.
template <class T>
Offset DeviceEngine<T>::total_bytes(const Prepared& prepared, Index n, Offset num_values,
                                    Index columns) {
  const Offset inverses = prepared.inverses_in_updates ? 0 : prepared.solve->inverse_entries();
  const Offset values = num_values + inverses + solve_room(prepared, n, columns).own();
  return prepared.factor->bytes() + prepared.solve->bytes(columns) + values * Offset{sizeof(T)} +
         2 * Offset{n} * Offset{sizeof(Index)} + Offset{sizeof(gpu::PivotStatus<T>)};
}

/// Inverted blocks lie where the update matrices were, which are made large enough, or apart:
/// whichever takes less with a block of right-hand sides, for x and what else solves write lie
/// there too if there is room.  With one right-hand side, if the budget has no room for either way.
template <class T>
void DeviceEngine<T>::place_inverses(Prepared& prepared, Index n, Offset num_values,
                                     Offset budget) {
  const auto place = [&](bool in_updates) {
    prepared.inverses_in_updates = in_updates;
    prepared.factor->reserve_updates(in_updates ? prepared.solve->inverse_entries() : 0);
    prepared.bytes = total_bytes(prepared, n, num_values, 1);
    return total_bytes(prepared, n, num_values, kUsualColumns);
  };
  const Offset block_apart = place(false), apart = prepared.bytes;
  const Offset block_there = place(true), there = prepared.bytes;
  const bool both_fit = std::max(apart, there) <= budget;
  if (both_fit ? block_apart < block_there : apart < there) place(false);
}

/// The update matrices are dead then: as much as there is room for lies in them, behind the
/// inverted blocks.
template <class T>
typename DeviceEngine<T>::SolveRoom DeviceEngine<T>::solve_room(const Prepared& prepared, Index n,
                                                                Index columns) {
  Offset left = prepared.factor->update_room();
  SolveRoom room{x_entries<T>(n, columns), prepared.solve->workspace_entries(columns)};
  if (prepared.inverses_in_updates) room.behind = prepared.solve->inverse_entries();
  left -= room.behind;
  const auto put = [&left](Offset entries, bool& in_updates) {
    in_updates = entries <= left;
    if (in_updates) left -= entries;
  };
  if (room.x >= room.workspace) {
    put(room.x, room.x_in_updates);
    put(room.workspace, room.workspace_in_updates);
  } else {
    put(room.workspace, room.workspace_in_updates);
    put(room.x, room.x_in_updates);
  }
  return room;
}

template <class T>
FactorResult DeviceEngine<T>::factorize(std::span<const T> values, const Control& control) {
  const std::lock_guard lock(mutex_);
  if (control.cancelled()) return {.status = Status::kInterrupted};
  staging_.upload(runtime_->queue(), own_values(), [&](Offset begin, std::span<T> piece) {
    const Offset end = begin + static_cast<Offset>(piece.size());
    for_entries(begin, end, 1, threads_, [&](Offset e, Index, Index) {
      piece[static_cast<std::size_t>(e - begin)] = values[static_cast<std::size_t>(e)];
    });
  });
  callers_values_ = {};
  factored_ = values_;
  enqueue_factorization(factored_);
  if (!finished_unless_cancelled(runtime_->queue(), control)) {
    return {.status = Status::kInterrupted};
  }
  const FactorResult result = read_result();
  const double flops = symbolic_->info.flops;
  if (control.progress != nullptr) control.progress(control.progress_data, flops, flops);
  return result;
}

template <class T>
FactorResult DeviceEngine<T>::factorize(gpu::DeviceBuffer<T> values, Offset offset) {
  const std::lock_guard lock(mutex_);
  callers_values_ = std::move(values);
  factored_ = callers_values_.part(offset, num_values_);
  return factor_and_wait(factored_);
}

template <class T>
FactorResult DeviceEngine<T>::factorize_gathered(gpu::DeviceView<const T> values,
                                                 gpu::DeviceView<const Offset> places) {
  const std::lock_guard lock(mutex_);
  gather_.run(runtime_->queue(), places, values, own_values());
  callers_values_ = {};
  factored_ = values_;
  return factor_and_wait(factored_);
}

/// Where values go that are not the caller's.
template <class T>
gpu::DeviceView<T> DeviceEngine<T>::own_values() {
  if (values_.size() < num_values_) {
    values_ = gpu::DeviceBuffer<T>(runtime_->context(), num_values_);
  }
  return values_;
}

/// Throws DeviceError where others could not take the place of those that did not build.
template <class T>
DeviceSolve<T>& DeviceEngine<T>::solves() const {
  if (!prepared_.solve) throw DeviceError("there are no kernels for solves on this device");
  return *prepared_.solve;
}

template <class T>
void DeviceEngine<T>::enqueue_factorization(gpu::DeviceView<const T> values) {
  gpu::Queue& queue = runtime_->queue();
  prepared_.factor->factorize(queue, values);
  solves().invert_blocks(queue);
  first_failure_.run(queue, prepared_.factor->lists().fronts(), prepared_.factor->status(),
                     failure_);
}

template <class T>
FactorResult DeviceEngine<T>::factor_and_wait(gpu::DeviceView<const T> values) {
  enqueue_factorization(values);
  return read_result();
}

template <class T>
FactorResult DeviceEngine<T>::read_result() {
  gpu::PivotStatus<T> failure{};
  gpu::download<gpu::PivotStatus<T>>(runtime_->queue(), failure_, std::span(&failure, 1));
  if (failure.column == kNone) return {};
  return {Status::kNotPositiveDefinite, failure.column, static_cast<double>(failure.value)};
}

template <class T>
void DeviceEngine<T>::solve(const DenseView<T>& x, bool forward, bool backward) const {
  if (x.nrow == 0) return;
  const std::lock_guard lock(mutex_);
  for (Index r = 0; r < x.ncol; r += prepared_.columns) {
    const Index count = std::min(prepared_.columns, x.ncol - r);
    solve_block({x.column(r), x.nrow, count, x.ld}, forward, backward);
  }
}

template <class T>
void DeviceEngine<T>::solve_block(const DenseView<T>& x, bool forward, bool backward) const {
  gpu::Queue& queue = runtime_->queue();
  const gpu::DeviceView<T> by_rows = reserve(x.ncol);
  staging_.upload(queue, by_rows, [&](Offset begin, std::span<T> piece) {
    for_entries(
        begin, begin + static_cast<Offset>(piece.size()), x.ncol, threads_,
        [&](Offset e, Index i, Index r) { piece[static_cast<std::size_t>(e - begin)] = x(i, r); });
  });
  if (forward) solves().forward(queue, by_rows, x.ncol);
  if (backward) solves().backward(queue, by_rows, x.ncol);
  staging_.download(queue, by_rows, [&](Offset begin, std::span<const T> piece) {
    for_entries(
        begin, begin + static_cast<Offset>(piece.size()), x.ncol, threads_,
        [&](Offset e, Index i, Index r) { x(i, r) = piece[static_cast<std::size_t>(e - begin)]; });
  });
}

template <class T>
void DeviceEngine<T>::solve(const gpu::DeviceColumns<const T>& b,
                            const gpu::DeviceColumns<T>& x) const {
  const std::lock_guard lock(mutex_);
  for (Index r = 0; r < b.num_columns; r += prepared_.columns) {
    const Index count = std::min(prepared_.columns, b.num_columns - r);
    enqueue_solve(block_of(b, r, count, symbolic_->n), block_of(x, r, count, symbolic_->n));
  }
}

/// At most prepared_.columns of them.
template <class T>
void DeviceEngine<T>::enqueue_solve(const gpu::DeviceColumns<const T>& b,
                                    const gpu::DeviceColumns<T>& x) const {
  const Index nrhs = b.num_columns;
  gpu::Queue& queue = runtime_->queue();
  const gpu::DeviceView<T> y = reserve(nrhs);
  if (nrhs == 1) {
    permute_.gather_column(queue, order_, b.values, y);
  } else {
    permute_.gather(queue, place_, {}, b, y);
  }
  solves().forward(queue, y, nrhs);
  solves().backward(queue, y, nrhs);
  permute_.scatter(queue, place_, {}, y, x);
}

template <class T>
std::vector<RefineResult> DeviceEngine<T>::solve_refined(const CscPatternView& lower,
                                                         const TransposedIndex& transposed,
                                                         const gpu::DeviceColumns<const T>& b,
                                                         const gpu::DeviceColumns<T>& x,
                                                         const RefineOptions& options) const {
  const Index n = symbolic_->n, nrhs = b.num_columns;
  if (nrhs == 0) return {};
  const std::lock_guard lock(mutex_);
  const Index columns = refined_columns(lower, nrhs);
  if (!refinement_) {
    refinement_ = std::make_unique<DeviceRefinement<T>>(*runtime_, lower, transposed);
  }
  std::vector<RefineResult> results;
  for (Index r = 0; r < nrhs; r += columns) {
    const Index count = std::min(columns, nrhs - r);
    const auto of_block = refine_block(block_of(b, r, count, n), block_of(x, r, count, n), options);
    results.insert(results.end(), of_block.begin(), of_block.end());
  }
  return results;
}

/// As many right-hand sides as can be refined at once.
template <class T>
Index DeviceEngine<T>::refined_columns(const CscPatternView& lower, Index nrhs) const {
  const Offset left = prepared_.budget - prepared_.bytes - prepared_.bytes_more;
  // And B, where X overwrites it.
  const auto bytes = [&](Index columns) {
    return DeviceRefinement<T>::bytes(lower, columns) +
           Offset{symbolic_->n} * columns * Offset{sizeof(T)};
  };
  Index columns = std::min(prepared_.columns, nrhs);
  while (columns > 1 && bytes(columns) > left) columns /= 2;
  if (bytes(columns) <= left) return columns;
  throw OutOfMemory("not enough device memory: refinement needs " + gigabytes(bytes(1)) + ", " +
                    gigabytes(std::max(left, Offset{0})) + " are left");
}

template <class T>
std::vector<RefineResult> DeviceEngine<T>::refine_block(const gpu::DeviceColumns<const T>& b,
                                                        const gpu::DeviceColumns<T>& x,
                                                        const RefineOptions& options) const {
  const Index n = symbolic_->n, nrhs = b.num_columns;
  gpu::Queue& queue = runtime_->queue();
  gpu::DeviceColumns<const T> sides = b;
  if (b.values.buffer == x.values.buffer) {
    if (b_.size() < Offset{n} * nrhs) {
      b_ = {};  // Gives the memory back before more is taken.
      b_ = gpu::DeviceBuffer<T>(runtime_->context(), Offset{n} * nrhs);
    }
    for (Index r = 0; r < nrhs; ++r) {
      gpu::copy<T>(queue, b.values.part(r * b.ld, n), b_.part(Offset{r} * n, n));
    }
    sides = {b_, nrhs, n};
  }
  enqueue_solve(sides, x);
  const auto solve = [this](const gpu::DeviceColumns<const T>& r, const gpu::DeviceColumns<T>& z) {
    enqueue_solve(r, z);
  };
  return refinement_->refine(queue, factored_, sides, x, solve, options);
}

/// Makes room for a solve.  Returns that of X, row-major.
template <class T>
gpu::DeviceView<T> DeviceEngine<T>::reserve(Index nrhs) const {
  solves();
  const auto room_of = [&] {
    const SolveRoom room = solve_room(prepared_, symbolic_->n, nrhs);
    if (room_.size() < room.own()) {
      room_ = {};  // Gives the memory back before more is taken.
      room_ = gpu::DeviceBuffer<T>(runtime_->context(), room.own());
    }
    const gpu::DeviceView<T> all = prepared_.factor->updates(), own = room_;
    const gpu::DeviceView<T> updates = all.part(room.behind, all.size - room.behind);
    // The workspace lies behind X where both are in one of them.
    const bool behind = room.x_in_updates == room.workspace_in_updates;
    return std::pair(
        (room.x_in_updates ? updates : own).part(0, Offset{symbolic_->n} * nrhs),
        (room.workspace_in_updates ? updates : own).part(behind ? room.x : 0, room.workspace));
  };
  auto [x, workspace] = room_of();
  gpu::Queue& queue = runtime_->queue();
  try {
    solves().reserve(queue, nrhs, workspace);
  } catch (const gpu::BuildError& error) {
    if (!runtime_->do_without_ptx(short_text(error.what()))) throw;
    solve_by_waves();
    std::tie(x, workspace) = room_of();
    solves().reserve(queue, nrhs, workspace);
  }
  return x;
}

/// After kernels for so many right-hand sides as were not there yet did not build.
template <class T>
void DeviceEngine<T>::solve_by_waves() const {
  gpu::Queue& queue = runtime_->queue();
  queue.finish();
  const Offset before = inverses_.size();
  prepared_.solve = {};  // Gives the memory back before more is taken.
  inverses_ = {};
  auto solve = make_device_solve<T>(*runtime_, *symbolic_, *prepared_.factor, threads_);
  // Waves have other blocks than tickets, which may be more.
  const Offset entries = solve->inverse_entries();
  if (entries > prepared_.factor->update_room()) prepared_.inverses_in_updates = false;
  const Offset apart = prepared_.inverses_in_updates ? 0 : entries;
  prepared_.bytes += (apart - before) * Offset{sizeof(T)};
  if (prepared_.bytes > prepared_.budget) {
    throw OutOfMemory("not enough device memory: inverted diagonal blocks of " +
                      gigabytes(apart * Offset{sizeof(T)}) + " do not fit");
  }
  solve->allocate(queue, room_of_inverses(entries));
  solve->invert_blocks(queue);
  prepared_.solve = std::move(solve);
}

template <class T>
gpu::DeviceView<T> DeviceEngine<T>::room_of_inverses(Offset entries) const {
  if (prepared_.inverses_in_updates) return prepared_.factor->updates().part(0, entries);
  inverses_ = gpu::DeviceBuffer<T>(runtime_->context(), entries);
  return inverses_;
}

template <class T>
std::vector<T> DeviceEngine<T>::diagonal() const {
  const std::lock_guard lock(mutex_);
  gpu::Queue& queue = runtime_->queue();
  std::vector<T> diagonal(static_cast<std::size_t>(symbolic_->n));
  const DevicePlan& plan = prepared_.factor->plan();
  for (std::size_t s = 0; s < plan.slabs.size(); ++s) {
    std::vector<Index> columns;
    std::vector<Offset> places;  // Of L(j,j) in the slab.
    for (Index f = plan.slabs[s].begin; f < plan.slabs[s].end; ++f) {
      const gpu::Front& front = plan.fronts[f];
      for (Index k = 0; k < front.ncol; ++k) {
        columns.push_back(front.first_column + k);
        places.push_back(front.panel + k * (front.ldp + 1));
      }
    }
    const gpu::DeviceBuffer<T> picked(runtime_->context(), static_cast<Offset>(places.size()));
    gather_.run(queue, gpu::uploaded<Offset>(queue, places), prepared_.factor->panels()[s], picked);
    std::vector<T> values(places.size());
    gpu::download<T>(queue, picked, values);
    for (std::size_t k = 0; k < columns.size(); ++k) diagonal[columns[k]] = values[k];
  }
  return diagonal;
}

template <class T>
void DeviceEngine<T>::visit_panels(
    const std::function<void(Index, const T*, Offset)>& visit) const {
  const std::lock_guard lock(mutex_);
  const DevicePlan& plan = prepared_.factor->plan();
  for (std::size_t s = 0; s < plan.slabs.size(); ++s) {
    const gpu::DeviceView<const T> slab = prepared_.factor->panels()[s];
    std::vector<T> panels(static_cast<std::size_t>(slab.size));
    gpu::download<T>(runtime_->queue(), slab, panels);
    for (Index f = plan.slabs[s].begin; f < plan.slabs[s].end; ++f) {
      visit(plan.super[f], panels.data() + plan.fronts[f].panel, plan.fronts[f].ldp);
    }
  }
}

template class DeviceEngine<double>;
template class DeviceEngine<float>;

}  // namespace clchol::numeric
