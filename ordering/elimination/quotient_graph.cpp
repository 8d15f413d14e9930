#include "ordering/elimination/quotient_graph.hpp"

#include <algorithm>
#include <limits>

#include "base/assert.hpp"

namespace clchol::ordering {
namespace {

// Hash of one node.  The hash of a list is the sum over its nodes: equal sets have equal sums, and
// different sets rarely do.
std::uint32_t hash_of(Index i) {
  const auto x = static_cast<std::uint32_t>(i);
  return x * (x + 0x9e3779b1u);
}

}  // namespace

QuotientGraph::QuotientGraph(Graph&& graph, Offset room, Offset long_lists, const HubOptions& hubs)
    : hubs_(hubs) {
  const Index n = graph.n;
  const Offset nnz = graph.xadj[n];
  if (nnz > long_lists * n) outside_.assign(n, Outside{kUnknown, 0});
  total_weight_ = total_weight(graph);
  lists_ = std::move(graph.adjncy);
  lists_.resize(nnz + room);
  nodes_.resize(n);
  parent_.assign(n, kNone);
  seen_.assign(n, 0);
  free_ = nnz;
  num_entries_ = nnz + n;
  hub_length_ = std::max(hubs.least_length, hubs.over_mean * nnz / std::max(n, Index{1}));
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
  if (is_waiting(p)) catch_up(p);
  const bool in_place = pivot.num_elements == 0;
  const bool in_workspace = !in_place && !has_room(p);
  Index* const lists = lists_.data();
  const Index* const own = lists + pivot.start;
  Index* const begin = in_place ? lists + pivot.start : in_workspace ? seen_.data() : lists + free_;
  Index* end = begin;

  weight_[p] = -weight_[p];  // Keeps p out of its own element.
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

  if (has_long_lists()) {
    const std::span<const Index> members(begin, end);
    if (in_workspace) {  // seen_ holds L_p, so that forget_strangers() cannot use it.
      forget(members);
    } else {
      forget_strangers(members, longest({own, static_cast<std::size_t>(pivot.num_elements)}));
    }
  }
  for (const Index* k = begin; k != end; ++k) pivot.degree -= weight_[*k];
  largest_degree_ = std::max(largest_degree_, pivot.degree);
  pivot.length = static_cast<Index>(end - begin);
  num_members_ += pivot.length;
  pivot.num_elements = QuotientNode::kElement;
  pivot.mark = mark_base_;
  if (in_workspace) {
    move_in(p);
  } else if (!in_place) {
    pivot.start = free_;
    free_ = end - lists;
  }
}

// Appends the live variables of [first, last) that are not members yet at `out`, which may be
// <= first.  Returns the end of the appended entries.
Index* QuotientGraph::gather(const Index* first, const Index* last, Index* out,
                             ScoreLists& score_lists) {
  Index* const weight = weight_.data();
  num_visits_ += last - first;
  for (; first != last; ++first) {
    const Index i = *first;
    if (weight[i] <= 0) continue;
    weight[i] = -weight[i];
    score_lists.remove(i);
    *out++ = i;
  }
  return out;
}

// The longest list of the elements; an empty list if there are no elements.
std::span<const Index> QuotientGraph::longest(std::span<const Index> elements) const {
  std::span<const Index> result;
  for (const Index e : elements) {
    if (list(e).size() > result.size()) result = list(e);
  }
  return result;
}

// Discards the kept weights of all members: L_p may cover edges of each of them.
void QuotientGraph::forget(std::span<const Index> members) {
  for (const Index i : members) outside_[i].weight = kUnknown;
}

// Discards the kept weights of the members that are not in the older element.
void QuotientGraph::forget_strangers(std::span<const Index> members, std::span<const Index> older) {
  const Index stamp = next_stamp();
  for (const Index i : older) seen_[i] = stamp;
  for (const Index i : members) {
    if (seen_[i] != stamp) outside_[i].weight = kUnknown;
  }
}

// The member functions for hubs are in quotient_graph_hubs.cpp.

// Marks of this pivot are in [mark_base_, mark_base_ + largest_degree_):
//   mark(e) - mark_base_ = |L_e| - (weight of the members visited so far that have e in their
//   list).
void QuotientGraph::measure_overlaps(Index p) {
  if (mark_base_ > std::numeric_limits<Index>::max() - 1 - 2 * Offset{total_weight_}) reset_marks();
  QuotientNode* const nodes = nodes_.data();
  const Index* const lists = lists_.data();
  const Index base = mark_base_;
  for (const Index i : list(p)) {
    if (is_waiting(i)) continue;
    const QuotientNode& member = nodes[i];
    const Index weight = weight_[i];  // Negative, because i is a member.
    const Index* const first = lists + member.start;
    const Index* const last = first + member.num_elements;
    num_visits_ += member.num_elements;
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
  num_visits_ += member.length;
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
  const std::span<const Index> variables(elements_end, last);
  const Outside left = !has_long_lists() ? drop_covered(variables, out)
                       : is_known(i)     ? take_over(i, variables, out)
                                         : look_through(i, variables, out);
  outside += left.weight;
  hash += left.hash;
  if (out == first) return false;

  // At least one entry was dropped, so that the list has room for p: [p, elements, variables].
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

// Copies the remaining variables to `out` and advances it.  Drops merged variables and variables
// set aside (weight 0), and members (negative weight), because L_p covers their edges.  Without
// branches, which would be mispredicted: in short lists members occur at random.
QuotientGraph::Outside QuotientGraph::drop_covered(std::span<const Index> variables,
                                                   Index*& out) const {
  const Index* const weight = weight_.data();
  Outside sum{0, 0};
  for (const Index j : variables) {
    const Index weight_of_j = weight[j];
    const Index mask = -static_cast<Index>(weight_of_j > 0);
    sum.weight += weight_of_j & mask;
    sum.hash += hash_of(j) & static_cast<std::uint32_t>(mask);
    *out = j;
    out -= mask;
  }
  return sum;
}

// Does the work of drop_covered() for member i of a graph with long lists, which rarely contain
// members.
// The members found have i in their lists too, so that their lists must be read as well.
QuotientGraph::Outside QuotientGraph::look_through(Index i, std::span<const Index> variables,
                                                   Index*& out) {
  const Index* const weight = weight_.data();
  Outside sum{0, 0};
  for (const Index j : variables) {
    if (weight[j] > 0) {
      sum.weight += weight[j];
      sum.hash += hash_of(j);
      *out++ = j;
    } else if (weight[j] < 0) {
      outside_[j].weight = kUnknown;
    }
  }
  return outside_[i] = sum;
}

// Does the work of drop_covered() for a list whose sums are known and of whose edges L_p covers
// none.  Variables of weight 0 may remain, but not in front, so that the first variable is the same
// as in a list that was read.
QuotientGraph::Outside QuotientGraph::take_over(Index i, std::span<const Index> variables,
                                                Index*& out) const {
  const Outside sum = outside_[i];
  if (sum.weight == 0) return sum;
  auto first = variables.begin();
  while (weight_[*first] == 0) ++first;
  CLCHOL_ASSERT(weight_[*first] > 0);
  out = std::copy(first, variables.end(), out);
  return sum;
}

bool QuotientGraph::indistinguishable(Index i, Index j) {
  if (nodes_[i].num_elements != nodes_[j].num_elements) return false;
  if (!has_long_lists() && nodes_[i].length != nodes_[j].length) return false;
  // The lists of i and j begin with the pivot.  Elements and variables have different numbers, so
  // that one comparison of node numbers serves for elements and variables.
  num_visits_ += Offset{nodes_[i].length} + nodes_[j].length;
  const Index stamp = next_stamp();
  Index missing = 0;  // Number of live entries of i's list that were not found in j's list.
  for (const Index k : list(i).subspan(1)) {
    seen_[k] = stamp;
    missing += static_cast<Index>(weight_[k] != 0);
  }
  for (const Index k : list(j).subspan(1)) {
    if (weight_[k] == 0) continue;
    if (seen_[k] != stamp) return false;
    --missing;
  }
  return missing == 0;
}

void QuotientGraph::merge_into(Index i, Index target) {
  QuotientNode& node = nodes_[i];
  QuotientNode& into = nodes_[target];
  if (into.is_element()) {
    into.degree += weight_[i];  // Negative: i leaves L_p and joins the pivot.
  } else {
    into.degree = std::min(into.degree, node.degree);
  }
  weight_[target] += weight_[i];
  weight_[i] = 0;
  if (has_long_lists() && !into.is_element()) {
    // Every list that contains i contains `target` too, so that its weight does not change.
    for (const Index j : variables_of(i)) outside_[j].hash -= hash_of(i);
  }
  node.length = 0;
  node.num_elements = 0;
  parent_[i] = target;
}

void QuotientGraph::finish_element(Index p, Index length) {
  QuotientNode& pivot = nodes_[p];
  if (pivot.start + pivot.length == free_) free_ = pivot.start + length;
  pivot.length = length;
  if (length == 0) pivot.mark = 0;  // A root: no list contains p.
  mark_base_ += std::max(largest_degree_, Index{1});
}

void QuotientGraph::count_degrees(Index p) {
  reserve_stamps(nodes_[p].length + 1);
  const Index element_stamp = next_stamp();
  for (const Index i : list(p)) seen_[i] = element_stamp;
  for (const Index i : list(p)) {
    QuotientNode& member = nodes_[i];
    if (member.num_elements <= 2 || !is_latest_element(p, i)) continue;
    member.degree = nodes_[p].degree - weight_[i] + count_outside(i, element_stamp);
  }
}

// |neighbours of i outside L_p|, where p is the first element of E_i and its members have the stamp
// element_stamp.  No variable of A_i is in an element of E_i, so that only the elements overlap.
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

// Ensures that the next `count` stamps are drawn without a reset of seen_ between them.
void QuotientGraph::reserve_stamps(Index count) {
  if (seen_stamp_ <= std::numeric_limits<Index>::max() - count) return;
  std::fill(seen_.begin(), seen_.end(), 0);
  seen_stamp_ = 0;
}

// Draws a stamp that seen_ does not contain.
Index QuotientGraph::next_stamp() {
  reserve_stamps(1);
  return ++seen_stamp_;
}

// Whether L_p fits behind the lists.  L_p has at most n entries, and not more than the lists that
// it is gathered from.
bool QuotientGraph::has_room(Index p) const {
  Offset need = nodes_[p].length;
  for (const Index e : elements_of(p)) need += nodes_[e].length;
  return free_ + std::min(need, Offset{size()}) <= storage();
}

// Moves L_p from seen_ to the end of the lists, after a garbage collection, which removes the lists
// that L_p was gathered from.
void QuotientGraph::move_in(Index p) {
  QuotientNode& pivot = nodes_[p];
  const Index length = pivot.length;
  pivot.length = 0;  // The garbage collection must not move L_p, which is not in the lists yet.
  collect_garbage();
  CLCHOL_ASSERT(free_ + length <= storage());
  std::copy_n(seen_.begin(), length, lists_.begin() + free_);
  std::fill_n(seen_.begin(), length, 0);
  pivot.start = free_;
  pivot.length = length;
  free_ += length;
}

// Garbage collection: moves all live lists to the front and keeps their order.  The first entry of
// each live list is replaced by the negated number of its owner, so that one sweep over the array
// finds all live lists; node.start keeps the entry meanwhile.
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
