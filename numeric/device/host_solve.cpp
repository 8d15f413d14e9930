#include "numeric/device/host_solve.hpp"

#include <algorithm>
#include <utility>

#include "base/team.hpp"
#include "gpu_kernels/devices/cl_check.hpp"

namespace clchol::numeric {

template <class T>
HostSolve<T>::HostSolve(const symbolic::SymbolicFactor& symbolic, const DevicePlan& plan,
                        int threads)
    : symbolic_(symbolic), control_{.threads = threads}, table_(panel_table(plan)) {
  const std::vector<char> is_part = part_of_host(plan);
  plan_ = make_cpu_solve_plan(symbolic, is_part, {.cost = {}, .threads = threads});
  for (Index s = 0; s < symbolic.nsuper; ++s) {
    if (is_part[s]) supers_.push_back(s);
  }
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
  const Offset x = (symbolic_.n + rows_in_all()) * nrhs + dense::kReadSlack;
  const Offset values =
      x + symbolic_.n + SolveWorkspace<T>::entries(symbolic_, plan_, control_.threads, nrhs);
  return plan_.bytes() + bytes_of_all(table_.place, supers_) + values * Offset{sizeof(T)};
}

template <class T>
void HostSolve<T>::reserve(gpu::Queue& queue, Index nrhs) {
  if (nrhs == nrhs_) return;
  transfers_.reset();  // Waits for those that are under way.
  const Offset exchanged = rows_in_all() * nrhs;
  if (rows_.size() < exchanged) {
    rows_ = {};  // Gives the memory back before more is taken.
    rows_ = gpu::PinnedPages<T>(queue.context(), exchanged, control_.threads);
  }
  columns_.reserve_discard(Offset{symbolic_.n} * nrhs + dense::kReadSlack);
  workspace_.reserve(symbolic_, plan_, control_.threads, nrhs);
  nrhs_ = nrhs;
}

template <class T>
void HostSolve<T>::set_panels(std::vector<T*> slabs) {
  factor_.emplace(symbolic_, plan_, table_, std::move(slabs));
  parallel_for(static_cast<Index>(supers_.size()), control_.threads, [&](Index k) {
    const Index s = supers_[k];
    const PanelView<const T> panel = std::as_const(*factor_).panel(s);
    T* const inverse = factor_->inv_diag(s);
    for (Index j = 0; j < symbolic_.ncol(s); ++j)
      inverse[j] = T{1} / panel.data[j * (panel.ld + 1)];
  });
}

template <class T>
void HostSolve<T>::Finish::operator()(gpu::Queue* queue) const {
  gpu::check_in_destructor(clFinish(queue->get()), "clFinish");
}

// ---- Rows ---------------------------------------------------------------------------------------

template <class T>
std::span<T> HostSolve<T>::values_of(const Exchanged& range) const {
  return rows_.span().subspan(static_cast<std::size_t>(range.begin * nrhs_),
                              static_cast<std::size_t>(Offset{range.rows.size()} * nrhs_));
}

/// Calls move(row-major place, column-major place) for the values of a range.
template <class T>
template <class Move>
void HostSolve<T>::for_rows(const Exchanged& range, const Move& move) const {
  constexpr Index kPiece = 4096;  // Rows.
  const Index n = symbolic_.n, num_pieces = (range.rows.size() + kPiece - 1) / kPiece;
  T* const rows = values_of(range).data();
  parallel_for(num_pieces, num_pieces > 1 ? control_.threads : 1, [&](Index piece) {
    const Index begin = piece * kPiece, end = std::min(begin + kPiece, range.rows.size());
    for (Index r = 0; r < nrhs_; ++r) {
      T* const column = columns_.data() + range.rows.begin + Offset{r} * n;
      for (Index i = begin; i < end; ++i) move(rows[Offset{i} * nrhs_ + r], column[i]);
    }
  });
}

template <class T>
void HostSolve<T>::put_into_columns(const std::vector<Exchanged>& ranges) const {
  for (const Exchanged& range : ranges) {
    for_rows(range, [](const T& row, T& column) { column = row; });
  }
}

template <class T>
void HostSolve<T>::send(gpu::Queue& queue, const std::vector<Exchanged>& ranges,
                        gpu::DeviceView<T> x) const {
  for (const Exchanged& range : ranges) {
    for_rows(range, [](T& row, const T& column) { row = column; });
    const std::span<T> values = values_of(range);
    gpu::upload_async<T>(queue, values,
                         x.part(Offset{range.rows.begin} * nrhs_, std::ssize(values)));
  }
  queue.flush();
}

// ---- Solves -------------------------------------------------------------------------------------

template <class T>
void HostSolve<T>::begin(gpu::Queue& queue, gpu::DeviceView<const T> x) {
  transfers_.release();  // Those of this queue, which are in order.
  transfers_.reset(&queue);
  for (const auto* ranges : {&own_, &above_}) {
    for (const Exchanged& range : *ranges) {
      const std::span<T> values = values_of(range);
      came_ = gpu::download_async<T>(
          queue, x.part(Offset{range.rows.begin} * nrhs_, std::ssize(values)), values);
    }
  }
  queue.flush();
}

template <class T>
void HostSolve<T>::forward(gpu::Queue& queue, gpu::DeviceView<T> x) {
  queue.flush();
  came_.wait();
  put_into_columns(own_);
  put_into_columns(above_);
  forward_solve(*factor_, columns(), workspace_, control_);
  send(queue, own_, x);
  send(queue, above_, x);
}

template <class T>
void HostSolve<T>::backward(gpu::Queue& queue, gpu::DeviceView<T> x) {
  queue.flush();
  came_.wait();
  put_into_columns(own_);
  put_into_columns(above_);
  backward_solve(*factor_, columns(), workspace_, control_);
  send(queue, own_, x);
}

template class HostSolve<double>;
template class HostSolve<float>;

}  // namespace clchol::numeric
