#include "ordering/quotient_graph.hpp"

#include <algorithm>
#include <limits>

#include "base/assert.hpp"

namespace clchol::ordering {
namespace {

// Summed over a list: equal sets have equal sums, different ones rarely.
std::uint32_t hash_of(Index i) {
  const auto x = static_cast<std::uint32_t>(i);
  return x * (x + 0x9e3779b1u);
}

}  // namespace

QuotientGraph::QuotientGraph(Graph&& graph, Offset room) {
  const Index n = graph.n;
  const Offset nnz = graph.xadj[n];
  total_weight_ = total_weight(graph);
  lists_ = std::move(graph.adjncy);
  lists_.resize(nnz + room);
  nodes_.resize(n);
  parent_.assign(n, kNone);
  seen_.assign(n, 0);
  free_ = nnz;
  for (Index i = 0; i < n; ++i) {
    QuotientNode& node = nodes_[i];
    node.start = graph.xadj[i];
    node.length = static_cast<Index>(graph.xadj[i + 1] - graph.xadj[i]);
    node.num_elements = 0;
    node.degree = node.length;
    node.next = kNone;
    node.prev = kNone;
  }
  const bool weighted = !graph.weight.empty();
  if (weighted) {
    weight_ = std::move(graph.weight);
  } else {
    weight_.assign(n, 1);
  }
  if (!weighted) return;
  for (Index i = 0; i < n; ++i) {
    Index degree = 0;
    for (const Index j : list(i)) degree += weight_[j];
    nodes_[i].degree = degree;
  }
}

void QuotientGraph::form_element(Index p, ScoreLists& score_lists) {
  QuotientNode& pivot = nodes_[p];
  const bool in_place = pivot.num_elements == 0;
  const bool in_workspace = !in_place && !has_room(p);
  Index* const lists = lists_.data();
  const Index* const own = lists + pivot.start;
  Index* const begin = in_place ? lists + pivot.start : in_workspace ? seen_.data() : lists + free_;
  Index* end = begin;

  weight_[p] = -weight_[p];  // Not a member of its own element.
  pivot.degree = 0;
  for (Index k = 0; k < pivot.num_elements; ++k) {
    const Index e = own[k];
    QuotientNode& element = nodes_[e];
    const Index* const first = lists + element.start;
    end = gather(first, first + element.length, end, score_lists);
    parent_[e] = p;
    element.mark = 0;
  }
  end = gather(own + pivot.num_elements, own + pivot.length, end, score_lists);

  for (const Index* k = begin; k != end; ++k) pivot.degree -= weight_[*k];
  largest_degree_ = std::max(largest_degree_, pivot.degree);
  pivot.length = static_cast<Index>(end - begin);
  pivot.num_elements = QuotientNode::kElement;
  pivot.mark = mark_base_;
  if (in_workspace) {
    move_in(p);
  } else if (!in_place) {
    pivot.start = free_;
    free_ = end - lists;
  }
}

// Appends the live variables of [first, last) that are not members yet; out may be <= first.
Index* QuotientGraph::gather(const Index* first, const Index* last, Index* out,
                             ScoreLists& score_lists) {
  Index* const weight = weight_.data();
  for (; first != last; ++first) {
    const Index i = *first;
    if (weight[i] <= 0) continue;
    weight[i] = -weight[i];
    score_lists.remove(i);
    *out++ = i;
  }
  return out;
}

// Marks of this pivot lie in [mark_base_, mark_base_ + largest_degree_):
//   mark(e) - mark_base_ = |L_e| - (weight of the members seen so far that have e in their list).
void QuotientGraph::measure_overlaps(Index p) {
  if (mark_base_ > std::numeric_limits<Index>::max() - 1 - 2 * Offset{total_weight_}) reset_marks();
  QuotientNode* const nodes = nodes_.data();
  const Index* const lists = lists_.data();
  const Index base = mark_base_;
  for (const Index i : list(p)) {
    const QuotientNode& member = nodes[i];
    const Index weight = weight_[i];  // Negative.
    const Index* const first = lists + member.start;
    const Index* const last = first + member.num_elements;
    for (const Index* k = first; k != last; ++k) {
      QuotientNode& element = nodes[*k];
      if (element.mark >= base) {
        element.mark += weight;
      } else if (element.mark != 0) {
        element.mark = base + element.degree + weight;
      }
    }
  }
}

bool QuotientGraph::prune(Index i, Index p, bool aggressive) {
  QuotientNode* const nodes = nodes_.data();
  QuotientNode& member = nodes[i];
  Index* const first = lists_.data() + member.start;
  Index* const elements_end = first + member.num_elements;
  Index* const last = first + member.length;
  Index* out = first;
  Offset outside = 0;
  std::uint32_t hash = 0;
  for (const Index* k = first; k != elements_end; ++k) {
    const Index e = *k;
    QuotientNode& element = nodes[e];
    if (element.mark == 0) continue;
    const Index outside_of_element = element.mark - mark_base_;
    if (outside_of_element == 0 && aggressive) {
      parent_[e] = p;
      element.mark = 0;
      continue;
    }
    outside += outside_of_element;
    hash += hash_of(e);
    *out++ = e;
  }
  const Index num_kept = static_cast<Index>(out - first);
  Index* const kept_end = out;
  // Without branches, for whether j is a member is as good as random.  Dropped: what is gone
  // (weight 0) and members (negative), because L_p covers the edge {i, j}.
  const Index* const weight = weight_.data();
  for (const Index* k = elements_end; k != last; ++k) {
    const Index j = *k;
    const Index weight_of_j = weight[j];
    const Index mask = -static_cast<Index>(weight_of_j > 0);
    outside += weight_of_j & mask;
    hash += hash_of(j) & static_cast<std::uint32_t>(mask);
    *out = j;
    out -= mask;
  }
  if (out == first) return false;

  // At least one entry has gone, so there is room for p: [p, elements, variables].
  CLCHOL_ASSERT(out < last);
  *out++ = *kept_end;
  *kept_end = *first;
  *first = p;
  member.num_elements = num_kept + 1;
  member.length = static_cast<Index>(out - first);
  member.degree = static_cast<Index>(std::min<Offset>(member.degree, outside));
  member.hash = hash;
  return true;
}

bool QuotientGraph::indistinguishable(Index i, Index j) {
  const QuotientNode& a = nodes_[i];
  const QuotientNode& b = nodes_[j];
  if (a.length != b.length || a.num_elements != b.num_elements) return false;
  const Index stamp = next_stamp();
  // Both lists begin with the pivot.  Elements and variables are told apart by their numbers.
  for (const Index k : list(i).subspan(1)) seen_[k] = stamp;
  for (const Index k : list(j).subspan(1)) {
    if (seen_[k] != stamp) return false;
  }
  return true;
}

void QuotientGraph::merge_into(Index i, Index target) {
  QuotientNode& node = nodes_[i];
  QuotientNode& into = nodes_[target];
  if (into.is_element()) {
    into.degree += weight_[i];  // Negative: i is no longer outside the pivot block.
  } else {
    into.degree = std::min(into.degree, node.degree);
  }
  weight_[target] += weight_[i];
  weight_[i] = 0;
  node.length = 0;
  node.num_elements = 0;
  parent_[i] = target;
}

void QuotientGraph::finish_element(Index p, Index length) {
  QuotientNode& pivot = nodes_[p];
  if (pivot.start + pivot.length == free_) free_ = pivot.start + length;
  pivot.length = length;
  if (length == 0) pivot.mark = 0;  // A root: nobody refers to it.
  mark_base_ += std::max(largest_degree_, Index{1});
}

void QuotientGraph::count_degrees(Index p) {
  const Index element_stamp = next_stamp();
  for (const Index i : list(p)) seen_[i] = element_stamp;
  for (const Index i : list(p)) {
    QuotientNode& member = nodes_[i];
    if (member.num_elements <= 2 || !is_latest_element(p, i)) continue;
    member.degree = nodes_[p].degree - weight_[i] + count_outside(i, element_stamp);
  }
}

// |neighbours of i outside L_p|, where p is the first of E_i and its members bear the stamp.  No
// vertex of A_i is in an element of E_i, so that only the elements overlap.
Index QuotientGraph::count_outside(Index i, Index element_stamp) {
  const Index stamp = next_stamp();
  Index count = 0;
  for (const Index e : elements_of(i).subspan(1)) {
    for (const Index j : list(e)) {
      if (seen_[j] == element_stamp || seen_[j] == stamp) continue;
      seen_[j] = stamp;
      count += weight_[j];
    }
  }
  for (const Index j : variables_of(i)) count += weight_[j];
  return count;
}

// A number that seen_ does not hold.
Index QuotientGraph::next_stamp() {
  if (seen_stamp_ == std::numeric_limits<Index>::max()) {
    std::fill(seen_.begin(), seen_.end(), 0);
    seen_stamp_ = 0;
  }
  return ++seen_stamp_;
}

// L_p has at most as many entries as the lists it is gathered from, and at most n.
bool QuotientGraph::has_room(Index p) const {
  Offset need = nodes_[p].length;
  for (const Index e : elements_of(p)) need += nodes_[e].length;
  return free_ + std::min(need, Offset{size()}) <= storage();
}

// Takes L_p from seen_ to the lists' end.  What it was gathered from is gone.
void QuotientGraph::move_in(Index p) {
  QuotientNode& pivot = nodes_[p];
  const Index length = pivot.length;
  pivot.length = 0;  // Nothing of it is in the lists yet.
  collect_garbage();
  CLCHOL_ASSERT(free_ + length <= storage());
  std::copy_n(seen_.begin(), length, lists_.begin() + free_);
  std::fill_n(seen_.begin(), length, 0);
  pivot.start = free_;
  pivot.length = length;
  free_ += length;
}

// Moves all live lists to the front, keeping their order.  The first entry of each live list is
// exchanged for its owner's number, told apart by its sign, so that one sweep finds them all.
void QuotientGraph::collect_garbage() {
  for (Index i = 0; i < size(); ++i) {
    QuotientNode& node = nodes_[i];
    const bool live = node.is_element() ? node.mark != 0 : weight_[i] != 0;
    if (!live || node.length == 0) continue;
    const Index first = lists_[node.start];
    lists_[node.start] = -i - 1;
    node.start = first;
  }
  Offset out = 0;
  for (Offset in = 0; in < free_;) {
    if (lists_[in] >= 0) {
      ++in;
      continue;
    }
    QuotientNode& node = nodes_[-(lists_[in] + 1)];
    lists_[out] = static_cast<Index>(node.start);
    node.start = out;
    std::copy_n(lists_.begin() + in + 1, node.length - 1, lists_.begin() + out + 1);
    in += node.length;
    out += node.length;
  }
  free_ = out;
  ++num_collections_;
}

void QuotientGraph::reset_marks() {
  for (QuotientNode& node : nodes_) {
    if (node.is_live_element()) node.mark = 1;
  }
  mark_base_ = 2;
}

}  // namespace clchol::ordering
