// Variables bucketed by score: insert, remove and "one of least score" in constant time.
//
// The lists are doubly linked through the nodes of the quotient graph themselves, because whoever
// moves a variable between lists has its node at hand; only the heads are stored here.  Among equal
// scores the variable that was inserted last comes first, which makes the order deterministic and
// keeps eliminations close to one another [GL89, Sec. 6].
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "base/assert.hpp"
#include "ordering/elimination/quotient_node.hpp"

namespace clchol::ordering {

class ScoreLists {
 public:
  /// Scores in [0, num_scores).  `nodes` must outlive the lists.
  ScoreLists(std::span<QuotientNode> nodes, Offset num_scores)
      : nodes_(nodes.data()), head_(num_scores, kNone), least_(static_cast<Index>(num_scores)) {}

  /// Puts variable i, which is in no list, into the list of `score`.
  void insert(Index i, Index score) {
    QuotientNode& node = nodes_[i];
    Index& head = head_[score];
    node.next = head;
    node.prev = ~score;
    if (head != kNone) nodes_[head].prev = i;
    head = i;
    if (score < least_) least_ = score;
  }

  /// Takes variable i out of its list.
  void remove(Index i) {
    const QuotientNode& node = nodes_[i];
    if (node.next != kNone) nodes_[node.next].prev = node.prev;
    if (node.prev >= 0) {
      nodes_[node.prev].next = node.next;
    } else {
      CLCHOL_ASSERT(head_[~node.prev] == i);
      head_[~node.prev] = node.next;
    }
  }

  /// Takes out and returns a variable of least score; kNone when none has a score up to `most`.
  Index pop_least(Index most = std::numeric_limits<Index>::max()) {
    const Index end = std::min(most, static_cast<Index>(head_.size()) - 1) + 1;
    while (least_ < end && head_[least_] == kNone) ++least_;
    if (least_ >= end) return kNone;
    const Index i = head_[least_];
    remove(i);
    return i;
  }

 private:
  QuotientNode* nodes_;
  std::vector<Index> head_;  // First variable of each score, or kNone.
  Index least_;              // No list below this score has a member.
};

}  // namespace clchol::ordering
