// One node of the quotient graph: a variable (not yet eliminated) or an element (a pivot).
//
// All data of a node that a pivot step needs are in 32 bytes, half a cache line.  The step accesses
// nodes at random, so that the number of cache lines touched determines the speed of the step. Only
// the weights are in an array of their own, QuotientGraph::weight_, because scans of long lists of
// variables need nothing but weights.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace clchol::ordering {

struct QuotientNode {
  /// Value of num_elements that marks an element.
  static constexpr Index kElement = -1;

  Offset start;  // Position of the node's list in the array of all lists, in entries.
  // Number of entries of the list.  The list of a variable i has first its elements E_i, then its
  // variables A_i.  The list of an element p is L_p.
  Index length;
  Index num_elements;  // Variable: number of elements in its list.  Element: kElement.
  // Variable: upper bound of its external degree, in rows.  Element p: weight of L_p, in rows.
  Index degree;
  union {
    Index next;  // Variable: next variable in its score list, or kNone.
    // Element e: 0 once e is absorbed or has no members.  Otherwise, if e shares a member with the
    // newest pivot's L_p: |L_e \ L_p| plus a base, which grows from pivot to pivot, as computed by
    // QuotientGraph::measure_overlaps().  A mark below the base is from an earlier pivot.
    Index mark;
  };
  Index prev;          // Variable in a score list: previous variable; ~score for the first.
  std::uint32_t hash;  // Member of the newest element: hash of its list, whatever the list's order.

  bool is_element() const { return num_elements == kElement; }
  bool is_live_element() const { return is_element() && mark != 0; }
};

static_assert(sizeof(QuotientNode) == 32);

}  // namespace clchol::ordering
