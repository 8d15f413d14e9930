// Heap of vertices by key, greatest first, with the place of every vertex known.
//
// Four children a node: half the levels, and the children of a node lie in one or two cache lines.
// Rising and sinking are functions of their own, or the callers' loops lose their registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace clchol::ordering {

class VertexHeap {
 public:
  /// For vertices [0, n), all of them outside.  The heap must be empty.
  void fit(Index n) {
    if (static_cast<Index>(place_.size()) < n) place_.assign(n + n / 4, kNone);
  }

  bool empty() const { return entry_.empty(); }
  bool contains(Index v) const { return place_[v] != kNone; }

  void push(Index v, std::int64_t key) {
    entry_.push_back({key, v});
    rise(static_cast<Index>(entry_.size()) - 1);
  }

  /// Takes the vertex of greatest key out.
  Index pop() {
    const Index v = entry_.front().vertex;
    place_[v] = kNone;
    const Entry last = entry_.back();
    entry_.pop_back();
    if (!entry_.empty()) {
      entry_.front() = last;
      sink(0);
    }
    return v;
  }

  /// Adds `change` to the key of v, which must be inside.
  void add(Index v, std::int64_t change) {
    const Index k = place_[v];
    entry_[k].key += change;
    if (change > 0) {
      rise(k);
    } else {
      sink(k);
    }
  }

  void clear() {
    for (const Entry& e : entry_) place_[e.vertex] = kNone;
    entry_.clear();
  }

 private:
  static constexpr Index kArity = 4;
  struct Entry {
    std::int64_t key;
    Index vertex;
  };

  void put(Index k, const Entry& e) {
    entry_[k] = e;
    place_[e.vertex] = k;
  }

  [[gnu::noinline]] void rise(Index k) {
    const Entry e = entry_[k];
    while (k > 0) {
      const Index parent = (k - 1) / kArity;
      if (entry_[parent].key >= e.key) break;
      put(k, entry_[parent]);
      k = parent;
    }
    put(k, e);
  }

  [[gnu::noinline]] void sink(Index k) {
    const Entry e = entry_[k];
    const Index size = static_cast<Index>(entry_.size());
    for (;;) {
      const Index first = kArity * k + 1;
      if (first >= size) break;
      const Index last = std::min(first + kArity, size);
      Index child = first;
      for (Index c = first + 1; c < last; ++c) {
        if (entry_[c].key > entry_[child].key) child = c;
      }
      if (entry_[child].key <= e.key) break;
      put(k, entry_[child]);
      k = child;
    }
    put(k, e);
  }

  std::vector<Entry> entry_;
  std::vector<Index> place_;  // Where a vertex lies in entry_, or kNone.
};

}  // namespace clchol::ordering
