#include "numeric/device/solve_exchange.hpp"

#include <utility>

namespace clchol::numeric {

template <class T>
SolveExchange<T>::SolveExchange(gpu::DeviceRuntime& runtime, const DeviceFactor<T>& factor,
                                WaysByFront imports, WaysByFront exports)
    : factor_(factor),
      imports_(std::move(imports)),
      exports_(std::move(exports)),
      move_rows_(runtime.programs()),
      to_host_(runtime.copy_queues().to_host),
      to_device_(runtime.copy_queues().to_device) {}

template <class T>
gpu::DeviceView<const Index> SolveExchange<T>::update_rows(const HandedUpdate& update) const {
  const gpu::Front& front = factor_.plan().fronts[static_cast<std::size_t>(update.front)];
  return factor_.lists().rowind().part(front.rows + front.ncol, front.nrow - front.ncol);
}

/// Makes uploads of this half wait for the commands of the half before, which read the same memory.
template <class T>
void SolveExchange<T>::begin(const Half& half) {
  to_device_->wait_for(half.user.marker());
  half.user.flush();
}

/// Makes later commands, which may overwrite the workspace, wait for all downloads.
template <class T>
void SolveExchange<T>::end(const Half& half) {
  half.user.wait_for(to_host_->marker());
  to_host_->flush();
}

template <class T>
void SolveExchange<T>::receive(HandOver<T>& from, const HandedUpdate& update, const Half& half) {
  half.user.wait_for(from.receive(*to_device_, half.solve.update_vector(update.front, half.nrhs)));
}

template <class T>
void SolveExchange<T>::send(HandOver<T>& to, const HandedUpdate& update, const Half& half) {
  to_host_->wait_for(half.user.marker());
  half.user.flush();
  to.send(*to_host_, half.solve.update_vector(update.front, half.nrhs));
}

template <class T>
void SolveExchange<T>::begin_forward(Index slab, const Half& half) {
  for (const HandedUpdate& update : factor_.plan().imported) {
    if (update.slab == slab) receive(*imports_.at(update.super).sums, update, half);
  }
}

template <class T>
void SolveExchange<T>::end_forward(Index slab, const Half& half) {
  for (const HandedUpdate& update : factor_.plan().exported) {
    if (update.slab == slab) send(*exports_.at(update.super).sums, update, half);
  }
}

template <class T>
void SolveExchange<T>::begin_backward(Index slab, const Half& half) {
  for (const HandedUpdate& update : factor_.plan().exported) {
    if (update.slab != slab) continue;
    receive(*exports_.at(update.super).x, update, half);
    move_rows_.scatter(half.user, update_rows(update), half.nrhs,
                       half.solve.update_vector(update.front, half.nrhs), half.x);
  }
}

template <class T>
void SolveExchange<T>::end_backward(Index slab, const Half& half) {
  for (const HandedUpdate& update : factor_.plan().imported) {
    if (update.slab != slab) continue;
    move_rows_.gather(half.user, update_rows(update), half.nrhs, half.x,
                      half.solve.update_vector(update.front, half.nrhs));
    send(*imports_.at(update.super).x, update, half);
  }
}

template class SolveExchange<double>;
template class SolveExchange<float>;

}  // namespace clchol::numeric
