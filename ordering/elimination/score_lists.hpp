// Lists of variables, one for each score: a priority queue for small integer scores.
//
// Insertion and removal take constant time; pop_least() also takes the time to skip empty lists.
// The lists are doubly linked.  The links are in the nodes of the quotient graph
// (quotient_node.hpp), because code that moves a variable between lists accesses its node anyway;
// this class stores the heads only.  Among equal scores the variable that was inserted last comes
// first.  This makes the order deterministic and keeps successive eliminations close to one another
// in the graph [GL89, Sec. 6].
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
  /// Makes empty lists for the scores [0, num_scores).  `nodes` must outlive the lists.
  ScoreLists(std::span<QuotientNode> nodes, Offset num_scores)
      : nodes_(nodes.data()), head_(num_scores, kNone), least_(static_cast<Index>(num_scores)) {}

  /// Inserts variable i, which must be in no list, into the list of `score`.
  void insert(Index i, Index score) {
    QuotientNode& node = nodes_[i];
    Index& head = head_[score];
    node.next = head;
    node.prev = ~score;
    if (head != kNone) nodes_[head].prev = i;
    head = i;
    if (score < least_) least_ = score;
  }

  /// Removes variable i from its list.
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

  /// Removes and returns a variable of least score.  Returns kNone when no variable has a score of
  /// at most `most`.
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
  Index least_;              // All lists of scores below least_ are empty.
};

}  // namespace clchol::ordering
