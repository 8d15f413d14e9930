// A hash table of the members of one element, by the hashes of their lists.  It finds candidates
// for indistinguishable variables, that is for variables with equal lists (quotient_graph.hpp).
//
// The number of buckets is the next power of two above the number of members, and does not depend
// on the graph, so that for the usual small elements the table fits into the first-level cache.
// The entries of a bucket are a linked list, the latest first.  The memory grows to that of the
// largest element and stays allocated.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace clchol::ordering {

class HashLists {
 public:
  struct Entry {
    std::uint32_t hash;  // Hash of the variable's list.
    Index variable;
    Index next;  // Position in entries_ of the next entry of the same bucket, or kNone.
  };

  /// Empties the table and prepares it for about `count` entries.
  void reset(Index count) {
    const std::size_t num_buckets = std::bit_ceil(static_cast<std::size_t>(count) + 2);
    shift_ = 32 - std::bit_width(num_buckets - 1);
    heads_.assign(num_buckets, kNone);
    entries_.clear();
  }

  void insert(std::uint32_t hash, Index variable) {
    Index& head = heads_[bucket(hash)];
    entries_.push_back({hash, variable, head});
    head = static_cast<Index>(entries_.size()) - 1;
  }

  /// The latest inserted variable with this hash for which equal(variable) is true, or kNone.
  template <class Equal>
  Index find(std::uint32_t hash, Equal&& equal) const {
    for (Index k = heads_[bucket(hash)]; k != kNone; k = entries_[k].next) {
      if (entries_[k].hash == hash && equal(entries_[k].variable)) return entries_[k].variable;
    }
    return kNone;
  }

 private:
  std::size_t bucket(std::uint32_t hash) const { return (hash * 0x9e3779b1u) >> shift_; }

  std::vector<Index> heads_;  // Position in entries_ of the latest entry of each bucket, or kNone.
  std::vector<Entry> entries_;  // All entries, in the order of insertion.
  int shift_ = 31;              // 32 less the binary logarithm of the number of buckets in use.
};

}  // namespace clchol::ordering
