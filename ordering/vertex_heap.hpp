// A max-heap of vertices by integer keys, in which the key of any vertex can be changed.
//
// The heap is a tree in which every node has four children, which halves the number of levels of a
// binary heap; the children of a node are in one or two cache lines.  rise() and sink() are not
// inlined, because the loops of their callers would then run out of registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace clchol::ordering {

class VertexHeap {
 public:
  /// Prepares the heap for vertices [0, n).  Precondition: the heap is empty.
  void fit(Index n) {
    if (static_cast<Index>(place_.size()) < n) place_.assign(n + n / 4, kNone);
  }

  bool empty() const { return entry_.empty(); }
  bool contains(Index v) const { return place_[v] != kNone; }

  void push(Index v, std::int64_t key) {
    entry_.push_back({key, v});
    rise(static_cast<Index>(entry_.size()) - 1);
  }

  /// Removes and returns the vertex of greatest key.
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

  /// Adds `change` to the key of v, which must be in the heap.
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

  std::vector<Entry> entry_;  // Children of entry k: entries 4 k + 1 to 4 k + 4.
  std::vector<Index> place_;  // Position of each vertex in entry_, or kNone.
};

}  // namespace clchol::ordering
