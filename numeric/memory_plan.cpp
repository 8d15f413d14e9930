#include "numeric/memory_plan.hpp"

#include <algorithm>
#include <utility>

#include "base/number_text.hpp"

namespace clchol::numeric {
namespace {

Offset aligned(Offset bytes) {
  constexpr Offset kUnit = MemoryPlan::kAlignment;
  return (bytes + kUnit - 1) / kUnit * kUnit;
}

}  // namespace

Index MemoryPlan::add_buffer(std::string what, Tier tier, Offset most, Offset bytes) {
  buffers_.push_back({std::move(what), tier, most, bytes, {}});
  return static_cast<Index>(buffers_.size()) - 1;
}

MemoryPlan::Place MemoryPlan::add(const MemoryRequest& request) {
  Index at = request.buffer;
  if (request.within != kNone) {
    const Buffer& within = buffers_[request.within];
    if (find_place(within, request) + request.bytes <= within.bytes) at = request.within;
  }
  const Place place{at, find_place(buffers_[at], request), request.bytes};
  put(place, request);
  return place;
}

void MemoryPlan::add_at(Offset begin, const MemoryRequest& request) {
  put({request.buffer, begin, request.bytes}, request);
}

void MemoryPlan::forget_before(Index step) {
  for (Buffer& buffer : buffers_) {
    std::erase_if(buffer.placed, [&](const Placed& of) { return of.last < step; });
  }
}

void MemoryPlan::put(const Place& place, const MemoryRequest& request) {
  Buffer& buffer = buffers_[place.buffer];
  buffer.bytes = std::max(buffer.bytes, place.begin + place.bytes);
  const auto behind = std::ranges::upper_bound(buffer.placed, place.begin, {},
                                               [](const Placed& p) { return p.place.begin; });
  buffer.placed.insert(behind, {place, request.first, request.last});
}

Offset MemoryPlan::find_place(const Buffer& buffer, const MemoryRequest& request) {
  Offset begin = 0;
  for (const Placed& other : buffer.placed) {
    if (other.last < request.first || request.last < other.first) continue;
    if (begin + request.bytes <= other.place.begin) break;
    begin = std::max(begin, aligned(other.place.begin + other.place.bytes));
  }
  return begin;
}

Offset MemoryPlan::used(Index buffer, Index step) const {
  Offset sum = 0;
  for (const Placed& of : buffers_[buffer].placed) {
    if (of.first <= step && step <= of.last) sum += of.place.bytes;
  }
  return sum;
}

Offset MemoryPlan::bytes(Tier tier) const {
  Offset sum = 0;
  for (const Buffer& buffer : buffers_) sum += buffer.tier == tier ? buffer.bytes : 0;
  return sum;
}

void MemoryPlan::check() const {
  for (const Buffer& buffer : buffers_) {
    if (buffer.bytes <= buffer.most) continue;
    const bool on_device = buffer.tier == Tier::kDevice;
    throw OutOfMemory(
        std::string("not enough ") + (on_device ? "device" : "host") + " memory: " + buffer.what +
        " need a buffer of " + gigabytes_text(buffer.bytes) + ", " +
        (on_device ? "the device allows " : "the limit is ") + gigabytes_text(buffer.most));
  }
}

}  // namespace clchol::numeric
