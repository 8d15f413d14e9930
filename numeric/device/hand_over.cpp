#include "numeric/device/hand_over.hpp"

#include <algorithm>

namespace clchol::numeric {
namespace {

/// The update matrices of a group.  `handed` is in the order of groups.
std::span<const HandedUpdate> of_group(const std::vector<HandedUpdate>& handed, Index group) {
  const auto first = std::ranges::lower_bound(handed, group, {}, &HandedUpdate::group);
  const auto last = std::ranges::upper_bound(handed, group, {}, &HandedUpdate::group);
  return {first, last};
}

}  // namespace

/// Host memory of the chunk that begins with entry `begin`, when `entries` are handed over in all.
template <class T>
std::span<T> HandOver<T>::chunk(Offset begin, Offset entries) const {
  const Offset size = std::min(chunk_, entries - begin);
  return pages_.span().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
}

template <class T>
void HandOver<T>::rewind() {
  const std::lock_guard lock(mutex_);
  sent_.clear();
  failure_ = nullptr;
}

template <class T>
void HandOver<T>::send(gpu::Queue& copies, gpu::DeviceView<const T> update) {
  for (Offset begin = 0; begin < update.size; begin += chunk_) {
    const std::span<T> to = chunk(begin, update.size);
    gpu::Event event = gpu::download_async<T>(copies, update.part(begin, std::ssize(to)), to);
    copies.flush();
    {
      const std::lock_guard lock(mutex_);
      sent_.push_back(std::move(event));
    }
    changed_.notify_one();
  }
}

template <class T>
gpu::Event HandOver<T>::sent(std::size_t k) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return sent_.size() > k || failure_; });
  if (sent_.size() <= k) std::rethrow_exception(failure_);
  return sent_[k].share();
}

template <class T>
gpu::Event HandOver<T>::receive(gpu::Queue& copies, gpu::DeviceView<T> update) {
  gpu::Event last;
  for (Offset begin = 0, k = 0; begin < update.size; begin += chunk_, ++k) {
    sent(static_cast<std::size_t>(k)).wait();
    const std::span<T> from = chunk(begin, update.size);
    last = gpu::upload_async<T>(copies, from, update.part(begin, std::ssize(from)));
    copies.flush();
  }
  // A driver reads memory that is not pinned at any time until the upload has ended.
  if (!pages_.refusal().empty()) copies.finish();
  return last;
}

template <class T>
void HandOver<T>::fail(const std::exception_ptr& reason) noexcept {
  {
    const std::lock_guard lock(mutex_);
    failure_ = reason;
  }
  changed_.notify_one();
}

/// Unless imports are late (groups.hpp), no group of this factorization writes to the memory of an
/// imported update matrix before the group that reads it.
template <class T>
void ShareExchange<T>::begin_factorization(gpu::Queue& user) {
  if (plan_.imported.empty()) return;
  to_device_->wait_for(user.marker());
  user.flush();
}

template <class T>
void ShareExchange<T>::begin_group(Index group, gpu::Queue& user, gpu::DeviceView<T> updates) {
  for (const HandedUpdate& update : of_group(plan_.imported, group)) {
    if (plan_.late_imports) {
      to_device_->wait_for(user.marker());
      user.flush();
    }
    user.wait_for(imports_.at(update.super)
                      ->receive(*to_device_, updates.part(update.begin, update.entries)));
  }
}

template <class T>
void ShareExchange<T>::end_group(Index group, gpu::Queue& user, gpu::DeviceView<T> updates) {
  for (const HandedUpdate& update : of_group(plan_.exported, group)) {
    to_host_->wait_for(user.marker());
    user.flush();
    exports_.at(update.super)->send(*to_host_, updates.part(update.begin, update.entries));
  }
}

template <class T>
void ShareExchange<T>::end_factorization(gpu::Queue& user) {
  if (plan_.exported.empty()) return;
  user.wait_for(to_host_->marker());
  to_host_->flush();
}

template class HandOver<double>;
template class HandOver<float>;
template class ShareExchange<double>;
template class ShareExchange<float>;

}  // namespace clchol::numeric
