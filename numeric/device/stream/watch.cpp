#include "numeric/device/stream/watch.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/index_math.hpp"

namespace clchol::numeric {
namespace {

// The host waits for the oldest mark if more than kAhead marks are not waited for, and if their
// groups take more than kAheadSeconds, or 1 / kAheadShare of all groups' predicted seconds.
// A look's download follows the transfers of earlier groups in its queue.  The host must therefore
// be ahead by more than these transfers take: else the device waits until the host enqueues a
// group.
constexpr std::size_t kAhead = 2;
constexpr double kAheadSeconds = 0.05, kAheadShare = 8;
constexpr double kLookSeconds = 0.02;  // Least predicted seconds of kernels between looks.

}  // namespace

template <class T>
StreamWatch<T>::StreamWatch(gpu::ProgramCache& programs, const DevicePlan& plan)
    : plan_(plan), first_failure_(programs) {
  const std::vector<double>& seconds = plan.stream->seconds;
  all_s_ = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const auto most = static_cast<Index>(std::min(all_s_ / kLookSeconds, 1e6));
  num_looks_ = std::min(most, static_cast<Index>(seconds.size()));
  least_column_.assign(plan.groups.size() + 1, std::numeric_limits<Index>::max());
  for (std::size_t g = plan.groups.size(); g-- > 0;) {
    least_column_[g] = least_column_[g + 1];
    for (Index f = plan.groups[g].begin; f < plan.groups[g].end; ++f) {
      least_column_[g] = std::min(least_column_[g], plan.fronts[at(f)].first_column);
    }
  }
}

template <class T>
void StreamWatch<T>::allocate(gpu::Queue& queue, gpu::Queue& to_host) {
  to_host_.reset(&to_host);
  if (num_looks_ == 0) return;
  found_ = gpu::DeviceBuffer<gpu::PivotStatus<T>>(queue.context(), num_looks_);
  on_host_ = gpu::PinnedBuffer<gpu::PivotStatus<T>>(queue, num_looks_);
}

template <class T>
void StreamWatch<T>::begin(const Control& control) {
  control_ = &control;
  done_s_ = unseen_s_ = unmarked_s_ = pending_s_ = 0;
  first_unseen_ = next_look_ = 0;
  pending_.clear();
}

template <class T>
FactorOutcome StreamWatch<T>::follow(gpu::Queue& queue, Index group,
                                     gpu::DeviceView<const gpu::Front> fronts,
                                     gpu::DeviceView<const gpu::PivotStatus<T>> status) {
  const bool is_watched = control_->cancel != nullptr || control_->progress != nullptr;
  Mark mark;
  mark.group = group;
  unseen_s_ += plan_.stream->seconds[at(group)];
  unmarked_s_ += plan_.stream->seconds[at(group)];
  if (unseen_s_ >= kLookSeconds && next_look_ < num_looks_) look(queue, mark, fronts, status);
  if (is_watched && mark.look == kNone) mark.event = queue.marker();
  if (is_watched || mark.look != kNone) {
    queue.flush();
    pending_s_ += mark.seconds = std::exchange(unmarked_s_, 0);
    pending_.push_back(std::move(mark));
  }
  const double ahead_s = std::min(kAheadSeconds, all_s_ / kAheadShare);
  while (pending_.size() > kAhead && pending_s_ > ahead_s) {
    if (control_->cancelled()) return FactorOutcome::kCancelled;
    if (wait_for_oldest()) return FactorOutcome::kFailed;
  }
  return control_->cancelled() ? FactorOutcome::kCancelled : FactorOutcome::kEnqueued;
}

/// Waits for the oldest mark and reports progress.
/// @return whether the mark's look has found a failed pivot after which no later group matters.
template <class T>
bool StreamWatch<T>::wait_for_oldest() {
  const Mark oldest = std::move(pending_.front());
  pending_.pop_front();
  pending_s_ -= oldest.seconds;
  oldest.event.wait();
  if (has_failed(oldest)) return true;
  done_s_ += oldest.seconds;
  if (control_->progress != nullptr) {
    const double flops = plan_.flops;
    control_->progress(control_->progress_data, flops * std::min(done_s_ / all_s_, 1.0), flops);
  }
  return false;
}

/// Enqueues a look at all fronts since the last look, and the transfer of its result.
template <class T>
void StreamWatch<T>::look(gpu::Queue& queue, Mark& mark, gpu::DeviceView<const gpu::Front> fronts,
                          gpu::DeviceView<const gpu::PivotStatus<T>> status) {
  mark.look = next_look_++;
  unseen_s_ = 0;
  const DeviceGroup& last = plan_.groups[at(mark.group)];
  const Index count = last.end - first_unseen_;
  const auto found = found_.part(mark.look, 1);
  first_failure_.run(queue, fronts.part(first_unseen_, count), status.part(first_unseen_, count),
                     found);
  const gpu::Event is_found = queue.marker();
  queue.flush();
  to_host_->wait_for(is_found);
  mark.event = gpu::download_async<gpu::PivotStatus<T>>(*to_host_, found,
                                                        on_host_.span().subspan(at(mark.look), 1));
  to_host_->flush();
  // The next group may be another strip of the same front: the next look covers that front again.
  first_unseen_ = last.strip ? last.begin : last.end;
}

template <class T>
bool StreamWatch<T>::has_failed(const Mark& mark) const {
  if (mark.look == kNone) return false;
  // Of several failures the caller wants the one with the smallest column.
  const Index column = on_host_.span()[at(mark.look)].column;
  return column != kNone && column < least_column_[at(mark.group) + 1];
}

template class StreamWatch<double>;
template class StreamWatch<float>;

}  // namespace clchol::numeric
