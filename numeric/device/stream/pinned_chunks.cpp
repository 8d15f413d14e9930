#include "numeric/device/stream/pinned_chunks.hpp"

#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "base/number_text.hpp"

namespace clchol::numeric {
namespace {

/// Starts a thread that does the work.  Returns an empty one when the system refuses a thread.
template <class Work>
std::jthread thread_for(const Work& work) {
  try {
    return std::jthread(work);
  } catch (const std::system_error&) {
    return {};
  }
}

/// Allocates pages and touches them; they are not pinned yet.  Throws OutOfMemory.
template <class T>
gpu::PinnedPages<T> touched_pages(Offset size, int threads) {
  try {
    return gpu::PinnedPages<T>(size, threads);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("not enough host memory: " + gigabytes_text(size * Offset{sizeof(T)}) +
                      " that panels wait in are refused");
  }
}

template <class T>
gpu::PinnedPages<T> pinned_pages(const gpu::Context& context, Offset size, int threads) {
  gpu::PinnedPages<T> pages = touched_pages<T>(size, threads);
  pages.pin(context);
  return pages;
}

/// Calls touched_pages() in a thread of its own.  With one thread, or when the system refuses
/// another, the call is made by get() of the result.
template <class T>
std::future<gpu::PinnedPages<T>> touched_meanwhile(Offset size, int threads) {
  const auto touched = [=](std::launch how) {
    return std::async(how, touched_pages<T>, size, threads);
  };
  if (threads == 1) return touched(std::launch::deferred);
  try {
    return touched(std::launch::async);
  } catch (const std::system_error&) {
    return touched(std::launch::deferred);
  }
}

/// A chunk of memory that is to be pinned.
template <class T>
struct ChunkToPin {
  Offset size = 0;  // Entries.
  std::promise<gpu::PinnedPages<T>> pages;
};

/// Allocates and pins the chunks one after another: a chunk is pinned while the pages of the next
/// one are touched.
template <class T>
void pin_in_turn(const gpu::Context& context, std::vector<ChunkToPin<T>>& chunks, int threads,
                 const std::stop_token& stop) {
  std::future<gpu::PinnedPages<T>> next;
  for (std::size_t k = 0; k < chunks.size() && !stop.stop_requested(); ++k) {
    try {
      auto touched = std::exchange(next, {});
      if (!touched.valid()) touched = touched_meanwhile<T>(chunks[k].size, threads);
      if (k + 1 < chunks.size()) next = touched_meanwhile<T>(chunks[k + 1].size, threads);
      gpu::PinnedPages<T> pages = touched.get();
      pages.pin(context);
      chunks[k].pages.set_value(std::move(pages));
    } catch (...) {
      chunks[k].pages.set_exception(std::current_exception());
    }
  }
}

}  // namespace

template <class T>
PinnedChunks<T>::PinnedChunks(const gpu::Context& context, std::vector<Offset> sizes,
                              const std::vector<Index>& order, int threads)
    : context_(&context), threads_(threads), sizes_(std::move(sizes)), pages_(sizes_.size()) {
  const auto chunks = std::make_shared<std::vector<ChunkToPin<T>>>();
  chunks->reserve(order.size());
  for (const Index c : order) {
    const auto chunk = static_cast<std::size_t>(c);
    pages_[chunk] = chunks->emplace_back(ChunkToPin<T>{sizes_[chunk], {}}).pages.get_future();
  }
  // The thread must not use members, because this object may be moved meanwhile.
  const auto pin = [&context, threads, chunks](const std::stop_token& stop) {
    pin_in_turn<T>(context, *chunks, threads, stop);
  };
  if (threads > 1) pinning_ = thread_for(pin);
  if (!pinning_.joinable()) pin({});
}

template <class T>
std::span<T> PinnedChunks<T>::operator[](Index chunk) {
  const auto k = static_cast<std::size_t>(chunk);
  try {
    return pages_[k].get().span();
  } catch (const std::exception&) {
    // The host refused the memory earlier, but may have it now.
    std::promise<gpu::PinnedPages<T>> again;
    again.set_value(pinned_pages<T>(*context_, sizes_[k], threads_));
    pages_[k] = again.get_future().share();
    return pages_[k].get().span();
  }
}

template <class T>
bool PinnedChunks<T>::is_pinned(Index chunk) const {
  return pages_[static_cast<std::size_t>(chunk)].get().refusal().empty();
}

template <class T>
std::string PinnedChunks<T>::refusal() const {
  using namespace std::chrono_literals;
  for (const Pages& pages : pages_) {
    if (pages.wait_for(0s) != std::future_status::ready) continue;
    try {
      if (!pages.get().refusal().empty()) return pages.get().refusal();
    } catch (const std::exception& error) {
      return error.what();
    }
  }
  return {};
}

template class PinnedChunks<double>;
template class PinnedChunks<float>;

}  // namespace clchol::numeric
