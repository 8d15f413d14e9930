// Hubs of a quotient graph (quotient_graph.hpp): decides which hubs wait, and brings the lists of
// hubs that have waited up to date.
#include <utility>

#include "ordering/elimination/quotient_graph.hpp"

namespace clchol::ordering {

void QuotientGraph::let_hubs_wait(Index p) {
  if (hubs_.readings < 0) return;
  for (const Index i : list(p)) {
    const Index length = nodes_[i].length;
    const bool is_hub = length > hub_length_;
    const bool may_wait = hub_visits_ > hubs_.readings * (num_entries_ + num_members_);
    if (is_hub && may_wait && missed_.empty()) prepare_for_hubs();
    const Index missed = missed_.empty() ? 0 : missed_[i];
    if (is_hub && may_wait && length > hubs_.entries_for_a_pivot * (Offset{missed} + 1)) {
      ++missed_[i];
      continue;
    }
    if (is_hub) hub_visits_ += length;
    if (missed > 0) catch_up(i);
  }
}

void QuotientGraph::prepare_for_hubs() {
  missed_.assign(nodes_.size(), 0);
  above_.assign(nodes_.size(), kNone);
  outside_.clear();  // The kept weights and hashes need lists that are up to date.
}

// Brings the list of variable i up to date.  Every entry becomes the live node that it is now part
// of; duplicates and entries without a live node are dropped.  The element being formed becomes the
// last entry, because prune drops it and puts it in front.
void QuotientGraph::catch_up(Index i) {
  QuotientNode& node = nodes_[i];
  const std::span<Index> list(lists_.data() + node.start, static_cast<std::size_t>(node.length));
  missed_[i] = 0;
  num_visits_ += node.length;
  const Index stamp = next_stamp();
  seen_[i] = stamp;
  std::size_t length = 0, num_elements = 0;
  Index forming = kNone;
  for (const Index k : list) {
    const Index live = live_node_of(k);
    if (live == kNone || seen_[live] == stamp) continue;
    seen_[live] = stamp;
    const bool is_element = nodes_[live].is_element();
    if (is_element && weight_[live] < 0) {
      forming = live;
      continue;
    }
    list[length++] = live;
    if (is_element) std::swap(list[num_elements++], list[length - 1]);
  }
  if (forming != kNone) list[length++] = forming;
  node.length = static_cast<Index>(length);
  node.num_elements = static_cast<Index>(num_elements);
}

// The live node that k is part of: k itself if it is live, else the nearest live node above k;
// kNone if no node above k is live.
Index QuotientGraph::live_node_of(Index k) {
  const auto is_live = [&](Index v) {
    return nodes_[v].is_element() ? nodes_[v].mark != 0 : weight_[v] != 0;
  };
  const auto next = [&](Index v) { return above_[v] != kNone ? above_[v] : parent_[v]; };
  Index live = k;
  while (live != kNone && !is_live(live)) live = next(live);
  while (k != live && k != kNone) {  // Shorten the path for later searches.
    const Index above = next(k);
    above_[k] = live;
    k = above;
  }
  return live;
}

}  // namespace clchol::ordering
