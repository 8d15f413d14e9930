#include "numeric/device/host_solve.hpp"

#include <algorithm>
#include <utility>

#include "base/team.hpp"

namespace clchol::numeric {

template <class T>
HostSolve<T>::HostSolve(const symbolic::SymbolicFactor& symbolic, const DevicePlan& plan,
                        int threads)
    : n_(symbolic.n), threads_(threads) {
  const std::vector<char> is_part = part_of_host(plan);
  part_ = make_part_solve<T>(symbolic, is_part, panel_table(plan), threads);
  const HostRows rows = host_rows(symbolic, is_part);
  Offset end = 0;
  for (const auto& [from, to] : {std::pair(&rows.own, &own_), std::pair(&rows.above, &above_)}) {
    for (const RowRange& range : *from) {
      to->push_back({range, end});
      end += range.size();
    }
  }
}

template <class T>
Offset HostSolve<T>::rows_in_all() const {
  const std::vector<Exchanged>& last = above_.empty() ? own_ : above_;
  return last.back().begin + last.back().rows.size();
}

template <class T>
Offset HostSolve<T>::bytes(Index nrhs) const {
  return part_->bytes(nrhs) + rows_in_all() * nrhs * Offset{sizeof(T)};
}

template <class T>
void HostSolve<T>::reserve(gpu::Queue& queue, Index nrhs) {
  if (nrhs == nrhs_) return;
  transfers_.reset();  // Waits for transfers that still use rows_.
  nrhs_ = 0;
  const Offset exchanged = rows_in_all() * nrhs;
  if (rows_.size() < exchanged) {
    rows_ = {};  // Frees the old memory before new memory is allocated.
    rows_ = gpu::PinnedPages<T>(queue.context(), exchanged, threads_);
  }
  x_ = part_->reserve(nrhs);
  nrhs_ = nrhs;
}

template <class T>
void HostSolve<T>::set_panels(std::vector<T*> slabs) {
  part_->set_panels(std::move(slabs));
  has_panels_ = true;
}

// ---- Rows ---------------------------------------------------------------------------------------

template <class T>
std::span<T> HostSolve<T>::values_of(const Exchanged& range) const {
  return rows_.span().subspan(static_cast<std::size_t>(range.begin * nrhs_),
                              static_cast<std::size_t>(Offset{range.rows.size()} * nrhs_));
}

/// Calls move(entry of rows_, entry of x_) for all entries of a range of rows.
template <class T>
template <class Move>
void HostSolve<T>::for_rows(const Exchanged& range, const Move& move) const {
  constexpr Index kChunk = 4096;  // Rows that a thread moves at a time.
  const Index num_chunks = (range.rows.size() + kChunk - 1) / kChunk;
  T* const rows = values_of(range).data();
  parallel_for(num_chunks, num_chunks > 1 ? threads_ : 1, [&](Index chunk) {
    const Index begin = chunk * kChunk, end = std::min(begin + kChunk, range.rows.size());
    for (Index i = begin; i < end; ++i) {
      T* const x = x_.row(range.rows.begin + i);
      T* const row = rows + Offset{i} * nrhs_;
      for (Index r = 0; r < nrhs_; ++r) move(row[r], x[r]);
    }
  });
}

template <class T>
void HostSolve<T>::take(const std::vector<Exchanged>& ranges) const {
  for (const Exchanged& range : ranges) {
    for_rows(range, [](const T& came, T& x) { x = came; });
  }
}

template <class T>
void HostSolve<T>::send(gpu::Queue& queue, const std::vector<Exchanged>& ranges,
                        gpu::DeviceView<T> x) const {
  for (const Exchanged& range : ranges) {
    for_rows(range, [](T& goes, const T& x) { goes = x; });
    const std::span<T> values = values_of(range);
    gpu::upload_async<T>(queue, values,
                         x.part(Offset{range.rows.begin} * nrhs_, std::ssize(values)));
  }
  queue.flush();
  // A driver reads memory that is not pinned at any time until the upload has ended.
  if (!rows_.refusal().empty()) queue.finish();
}

// ---- Solves -------------------------------------------------------------------------------------

template <class T>
void HostSolve<T>::begin(gpu::Queue& queue, gpu::DeviceView<const T> x) {
  // The queue is in order: downloads into rows_ follow earlier uploads from rows_.
  if (transfers_.get() != &queue) transfers_.reset(&queue);
  for (const auto* ranges : {&own_, &above_}) {
    for (const Exchanged& range : *ranges) {
      const std::span<T> values = values_of(range);
      came_ = gpu::download_async<T>(
          queue, x.part(Offset{range.rows.begin} * nrhs_, std::ssize(values)), values);
    }
  }
  queue.flush();
}

/// Waits for the rows that begin() downloads, and copies them to x_.
template <class T>
void HostSolve<T>::take_rows(const gpu::Queue& queue) {
  queue.on_host("wait for rows", [&] { came_.wait(); });
  take(own_);
  take(above_);
}

template <class T>
void HostSolve<T>::forward(const gpu::Queue& queue) {
  take_rows(queue);
  queue.on_host("forward solve", [&] { part_->forward(); });
  sends_above_ = true;
}

template <class T>
void HostSolve<T>::backward(const gpu::Queue& queue) {
  take_rows(queue);
  queue.on_host("backward solve", [&] { part_->backward(); });
  sends_above_ = false;
}

template <class T>
void HostSolve<T>::end(gpu::Queue& queue, gpu::DeviceView<T> x) {
  send(queue, own_, x);
  if (sends_above_) send(queue, above_, x);
}

template class HostSolve<double>;
template class HostSolve<float>;

}  // namespace clchol::numeric
