// One node of the quotient graph: a variable (not yet eliminated) or an element (a pivot).
//
// What a pivot step asks of a node lies in 32 bytes, half a cache line: the step jumps from node to
// node, so that the number of lines touched decides its speed.  Weights alone are kept apart (in
// QuotientGraph): long variable lists are scanned for nothing else.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace clchol::ordering {

struct QuotientNode {
  /// Value of num_elements that marks an element.
  static constexpr Index kElement = -1;

  Offset start;  // Where the node's list begins in the shared storage.
  Index length;  // Entries of the list.  Variable: elements first, then variables.  Element: L_p.
  Index num_elements;  // Variable: how many entries are elements.  Element: kElement.
  Index degree;        // Variable: bound of its external degree.  Element: weight of L_p.
  union {
    Index next;  // Variable: the next one in its score list.
    Index mark;  // Element: see QuotientGraph::measure_overlaps; 0 once it is absorbed.
  };
  Index prev;          // Variable in a score list: the one before, or ~score for the first.
  std::uint32_t hash;  // Member of the element being formed: depends on its list as a set.

  bool is_element() const { return num_elements == kElement; }
  bool is_live_element() const { return is_element() && mark != 0; }
};

static_assert(sizeof(QuotientNode) == 32);

}  // namespace clchol::ordering
