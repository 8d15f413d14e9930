// One node of the quotient graph: a variable (not yet eliminated) or an element (a pivot).
//
// All data of a node that a pivot step needs are in 32 bytes, half a cache line.  The step accesses
// nodes at random, so that the number of cache lines touched determines its speed.  Only the
// weights are in an array of their own (in QuotientGraph), because scans of long variable lists
// need nothing else.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace clchol::ordering {

struct QuotientNode {
  /// Value of num_elements that marks an element.
  static constexpr Index kElement = -1;

  Offset start;  // Offset of the node's list in the array of all lists.
  // Entries of the list.  Variable: first its elements E_i, then its variables A_i.  Element p:
  // L_p.
  Index length;
  Index num_elements;  // Variable: number of elements in its list.  Element: kElement.
  Index degree;        // Variable: bound of its external degree.  Element: weight of L_p.
  union {
    Index next;  // Variable: next variable in its score list, or kNone.
    Index mark;  // Element: see QuotientGraph::measure_overlaps; 0 once it is absorbed.
  };
  Index prev;          // Variable in a score list: previous variable; ~score for the first.
  std::uint32_t hash;  // Member of the element being formed: hash of its list as a set.

  bool is_element() const { return num_elements == kElement; }
  bool is_live_element() const { return is_element() && mark != 0; }
};

static_assert(sizeof(QuotientNode) == 32);

}  // namespace clchol::ordering
