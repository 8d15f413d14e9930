#include "symbolic/assembly_tree.hpp"

#include <algorithm>

#include "base/update_layout.hpp"
#include "symbolic/etree.hpp"

namespace clchol::symbolic {

std::vector<Index> order_fronts(const FrontTree& tree) {
  const Index nsuper = tree.partition.nsuper();
  Children children = children_of(tree.parent);
  std::vector<Offset> own(nsuper), other(nsuper);
  for (Index p = 0; p < nsuper; ++p) {  // Children have smaller numbers than their parents.
    const auto begin = children.child.begin() + children.child_ptr[p];
    const auto end = children.child.begin() + children.child_ptr[p + 1];
    auto excess = [&](Index c) { return own[c] - update_size(tree.nupd[c]); };
    std::stable_sort(begin, end, [&](Index a, Index b) { return excess(a) > excess(b); });
    Offset stacked = 0, peak_children = 0, peak_other = 0;
    for (auto c = begin; c != end; ++c) {
      peak_children = std::max(peak_children, stacked + own[*c]);
      peak_other = std::max(peak_other, other[*c]);
      stacked += update_size(tree.nupd[*c]);
    }
    other[p] = peak_children;
    own[p] = std::max(update_size(tree.nupd[p]), peak_other);
  }
  return postorder(children);
}

}  // namespace clchol::symbolic
