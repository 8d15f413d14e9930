#include "numeric/device/engine.hpp"

#include <algorithm>
#include <utility>

#include "base/row_entries.hpp"
#include "base/team.hpp"
#include "base/timer.hpp"

namespace clchol::numeric {
namespace {

/// Entries of a chunk of a transfer: enough to hide the cost of starting it; `most` at most.
template <class T>
Offset staged_chunk(Offset most) {
  return std::min<Offset>(most, (Offset{4} << 20) / Offset{sizeof(T)});
}

/// Adds the seconds of its own lifetime to a number.
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

/// Columns [first, first + count) of `columns`, which have n rows.
template <class T>
gpu::DeviceColumns<T> block_of(const gpu::DeviceColumns<T>& columns, Index first, Index count,
                               Index n) {
  return {columns.values.part(first * columns.ld, (Offset{count} - 1) * columns.ld + n), count,
          columns.ld};
}

}  // namespace

template <class T>
DeviceEngine<T>::DeviceEngine(std::shared_ptr<gpu::DeviceRuntime> runtime,
                              const symbolic::SymbolicFactor& symbolic,
                              const symbolic::EntryMap& entries, const DeviceShareOptions& options)
    : runtime_(std::move(runtime)),
      symbolic_(&symbolic),
      threads_(options.threads),
      share_(std::make_unique<DeviceShare<T>>(*runtime_, symbolic, entries, options)) {
  {
    const TimeInto time(share_->setup().pin_s);
    tools_ = std::make_unique<Tools>(*runtime_,
                                     staged_chunk<T>(std::max<Offset>(entries.nnz(), symbolic.n)));
  }
  const TimeInto time(share_->setup().upload_s);
  share_->allocate();
  failure_ = gpu::DeviceBuffer<gpu::PivotStatus<T>>(runtime_->context(), 1);
  place_ = gpu::uploaded<Index>(runtime_->queue(), symbolic.permutation.iperm);
  order_ = gpu::uploaded<Index>(runtime_->queue(), symbolic.permutation.perm);
}

template <class T>
DeviceShareSetup DeviceEngine<T>::setup() const {
  const std::lock_guard lock(mutex_);
  DeviceShareSetup setup = share_->setup();
  setup.solves_by_tickets = share_->solves_by_tickets();
  setup.solve_columns = share_->columns();
  setup.unpinned_reason = share_->panels().pin_refusal();
  const gpu::Capability& ptx = runtime_->capabilities().inline_ptx;
  if (setup.kernels_reason.empty() && !ptx.present) setup.kernels_reason = ptx.reason;
  return setup;
}

template <class T>
Offset DeviceEngine<T>::predict_bytes(gpu::DeviceRuntime& runtime,
                                      const symbolic::SymbolicFactor& symbolic,
                                      const symbolic::EntryMap& entries,
                                      const DeviceShareOptions& options) {
  return DeviceShare<T>(runtime, symbolic, entries, options).bytes();
}

template <class T>
std::vector<ModeEstimate> DeviceEngine<T>::predict_modes(gpu::DeviceRuntime& runtime,
                                                         const symbolic::SymbolicFactor& symbolic,
                                                         const symbolic::EntryMap& entries,
                                                         const DeviceShareOptions& options) {
  return DeviceShare<T>::modes(runtime, symbolic, entries, options);
}

template <class T>
FactorResult DeviceEngine<T>::factorize(std::span<const T> values, const Control& control) {
  const std::lock_guard lock(mutex_);
  if (control.cancelled()) return {.status = Status::kInterrupted};
  const int threads = gpu::staging_threads(threads_);
  run_in_team(threads, [&] {
    tools_->staging.upload(
        runtime_->queue(), share_->values(), [&](Offset begin, std::span<T> chunk) {
          const Offset size = std::ssize(chunk);
          parallel_blocks(size, block_for(size, threads), threads, [&](Offset from, Offset to) {
            std::copy_n(values.data() + begin + from, to - from, chunk.data() + from);
          });
        });
  });
  callers_values_ = {};
  factored_ = share_->values();
  if (!enqueue_factorization(factored_, control) ||
      !finished_unless_cancelled(runtime_->queue(), control)) {
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
  factored_ = callers_values_.part(offset, share_->num_values());
  // Solves read the values again, but the caller may overwrite them.
  if (share_->keeps_values()) {
    gpu::copy<T>(runtime_->queue(), factored_, share_->values());
    factored_ = share_->values();
    callers_values_ = {};
  }
  return factor_and_wait(factored_);
}

template <class T>
FactorResult DeviceEngine<T>::factorize_gathered(gpu::DeviceView<const T> values,
                                                 gpu::DeviceView<const Offset> places) {
  const std::lock_guard lock(mutex_);
  tools_->gather.run(runtime_->queue(), places, values, share_->values());
  callers_values_ = {};
  factored_ = share_->values();
  return factor_and_wait(factored_);
}

template <class T>
bool DeviceEngine<T>::enqueue_factorization(gpu::DeviceView<const T> values,
                                            const Control& control) {
  gpu::Queue& queue = runtime_->queue();
  if (share_->factorize(values, control) == FactorOutcome::kCancelled) return false;
  tools_->first_failure.run(queue, share_->factor().lists().fronts(), share_->factor().status(),
                            failure_);
  return true;
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
void DeviceEngine<T>::solve(const RowsView<T>& x, bool forward, bool backward,
                            const Control& control) const {
  if (x.nrow == 0) return;
  const std::lock_guard lock(mutex_);
  for (Index r = 0; r < x.nrhs && !control.cancelled(); r += share_->columns()) {
    const Index count = std::min(share_->columns(), x.nrhs - r);
    solve_block({x.data + r, x.nrow, count, x.ld}, forward, backward, control);
  }
}

/// Solves for share_->columns() right-hand sides at most.
/// @param x  These right-hand sides, a part of each row.
template <class T>
void DeviceEngine<T>::solve_block(const RowsView<T>& x, bool forward, bool backward,
                                  const Control& control) const {
  gpu::Queue& queue = runtime_->queue();
  const gpu::DeviceView<T> by_rows = share_->reserve(x.nrhs);
  const int threads = gpu::staging_threads(threads_);
  const auto row = [&](Index i) { return x.row(i); };
  run_in_team(threads, [&] {
    tools_->staging.upload(queue, by_rows, [&](Offset begin, std::span<T> chunk) {
      read_row_entries(row, x.nrhs, begin, chunk, threads);
    });
  });
  if (forward) share_->forward(by_rows, x.nrhs, control);
  if (backward) share_->backward(by_rows, x.nrhs, control);
  run_in_team(threads, [&] {
    tools_->staging.download(queue, by_rows, [&](Offset begin, std::span<const T> chunk) {
      write_row_entries(row, x.nrhs, begin, chunk, threads);
    });
  });
}

template <class T>
void DeviceEngine<T>::solve(const gpu::DeviceColumns<const T>& b,
                            const gpu::DeviceColumns<T>& x) const {
  const std::lock_guard lock(mutex_);
  for (Index r = 0; r < b.num_columns; r += share_->columns()) {
    const Index count = std::min(share_->columns(), b.num_columns - r);
    enqueue_solve(block_of(b, r, count, symbolic_->n), block_of(x, r, count, symbolic_->n));
  }
}

/// Enqueues a solve for share_->columns() right-hand sides at most.
template <class T>
void DeviceEngine<T>::enqueue_solve(const gpu::DeviceColumns<const T>& b,
                                    const gpu::DeviceColumns<T>& x) const {
  const Index nrhs = b.num_columns;
  gpu::Queue& queue = runtime_->queue();
  const gpu::DeviceView<T> y = share_->reserve(nrhs);
  if (nrhs == 1) {
    tools_->permute.gather_column(queue, order_, b.values, y);
  } else {
    tools_->permute.gather(queue, place_, {}, b, y);
  }
  share_->forward(y, nrhs);
  share_->backward(y, nrhs);
  tools_->permute.scatter(queue, place_, {}, y, x);
}

template <class T>
std::optional<std::vector<RefineResult>> DeviceEngine<T>::solve_refined(
    const CscPatternView& lower, const TransposedIndex& transposed,
    const gpu::DeviceColumns<const T>& b, const gpu::DeviceColumns<T>& x,
    const RefineOptions& options) const {
  const Index n = symbolic_->n, nrhs = b.num_columns;
  if (nrhs == 0) return std::vector<RefineResult>();
  const std::lock_guard lock(mutex_);
  const Index columns = refined_columns(lower, nrhs);
  if (columns == 0) return std::nullopt;
  if (!tools_->refinement) {
    tools_->refinement = std::make_unique<DeviceRefinement<T>>(*runtime_, lower, transposed);
  }
  std::vector<RefineResult> results;
  for (Index r = 0; r < nrhs; r += columns) {
    const Index count = std::min(columns, nrhs - r);
    const auto of_block = refine_block(block_of(b, r, count, n), block_of(x, r, count, n), options);
    results.insert(results.end(), of_block.begin(), of_block.end());
  }
  return results;
}

/// Number of right-hand sides that can be refined at once; 0: the budget has no room for any.
template <class T>
Index DeviceEngine<T>::refined_columns(const CscPatternView& lower, Index nrhs) const {
  const Offset left = share_->bytes_left();
  // Room for a copy of B is included: X may overwrite B.
  const auto bytes = [&](Index columns) {
    return DeviceRefinement<T>::bytes(lower.n, lower.nnz(), columns) +
           Offset{symbolic_->n} * columns * Offset{sizeof(T)};
  };
  Index columns = std::min(share_->columns(), nrhs);
  while (columns > 1 && bytes(columns) > left) columns /= 2;
  return bytes(columns) <= left ? columns : 0;
}

template <class T>
std::vector<RefineResult> DeviceEngine<T>::refine_block(const gpu::DeviceColumns<const T>& b,
                                                        const gpu::DeviceColumns<T>& x,
                                                        const RefineOptions& options) const {
  const Index n = symbolic_->n, nrhs = b.num_columns;
  gpu::Queue& queue = runtime_->queue();
  gpu::DeviceColumns<const T> sides = b;
  if (b.values.buffer == x.values.buffer) {
    if (tools_->b.size() < Offset{n} * nrhs) {
      tools_->b = {};  // Frees the old memory before new memory is allocated.
      tools_->b = gpu::DeviceBuffer<T>(runtime_->context(), Offset{n} * nrhs);
    }
    for (Index r = 0; r < nrhs; ++r) {
      gpu::copy<T>(queue, b.values.part(r * b.ld, n), tools_->b.part(Offset{r} * n, n));
    }
    sides = {tools_->b, nrhs, n};
  }
  enqueue_solve(sides, x);
  const auto solve = [this](const gpu::DeviceColumns<const T>& r, const gpu::DeviceColumns<T>& z) {
    enqueue_solve(r, z);
  };
  return tools_->refinement->refine(queue, factored_, sides, x, solve, options);
}

template <class T>
void DeviceEngine<T>::read(const gpu::DeviceColumns<const T>& columns,
                           const DenseView<T>& to) const {
  const std::lock_guard lock(mutex_);
  for (Index r = 0; r < columns.num_columns; ++r) {
    gpu::download<T>(runtime_->queue(), columns.values.part(r * columns.ld, to.nrow),
                     std::span(to.column(r), static_cast<std::size_t>(to.nrow)));
  }
}

template <class T>
void DeviceEngine<T>::write(const DenseView<const T>& columns,
                            const gpu::DeviceColumns<T>& to) const {
  const std::lock_guard lock(mutex_);
  for (Index r = 0; r < to.num_columns; ++r) {
    gpu::upload<T>(runtime_->queue(),
                   std::span(columns.column(r), static_cast<std::size_t>(columns.nrow)),
                   to.values.part(r * to.ld, columns.nrow));
  }
}

template <class T>
std::vector<T> DeviceEngine<T>::read_values() const {
  const std::lock_guard lock(mutex_);
  std::vector<T> values(static_cast<std::size_t>(factored_.size));
  gpu::download<T>(runtime_->queue(), factored_, values);
  return values;
}

template <class T>
std::vector<T> DeviceEngine<T>::diagonal() const {
  const std::lock_guard lock(mutex_);
  return share_->diagonal();
}

template <class T>
void DeviceEngine<T>::visit_panels(const VisitColumns<T>& visit) const {
  const std::lock_guard lock(mutex_);
  share_->visit_panels(visit);
}

template class DeviceEngine<double>;
template class DeviceEngine<float>;

}  // namespace clchol::numeric
