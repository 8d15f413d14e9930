// The quotient graph of a partial elimination.  [GL78], [ADD96, Sec. 2 and 3]
//
// A vertex that has not been eliminated is a *variable*.  The fill of a pivot p is not stored as
// edges.  Instead p becomes an *element*, whose list L_p holds the variables that the elimination
// of p made pairwise adjacent, the *members* of the element.  An element *covers* the edges between
// its members: such edges need not be stored.  A variable i has a list of elements E_i (those of
// which i is a member) and a list of variables A_i (neighbours by original edges that no element
// covers yet), and
//
//   neighbours of i  =  A_i  +  union of L_e over e in E_i,   without i itself.
//
//   eliminate p:   L_p = (A_p + union of L_e, e in E_p) \ p;   every e in E_p is absorbed by p
//                  for i in L_p:  A_i := A_i \ L_p \ p,  E_i := E_i \ E_p + p
//
// Two further steps reduce the number of nodes.  Members with equal lists (*indistinguishable*) are
// merged into one variable, whose weight is the number of rows that it stands for.  A member whose
// only neighbours are members of L_p is eliminated along with p (*mass elimination*).
//
// No list needs more memory: each i in L_p loses at least one entry and gains one, and L_p is no
// longer than the lists that it replaces:
//
//   |L_p|  <=  |A_p| + sum of |L_e|, e in E_p.                                                 (1)
//
// All lists are in one array, which is the array of the graph.  The array need not be larger than
// the graph's lists.  Where the free end of the array is too short, L_p is gathered into a
// workspace of n entries (seen_, which also serves to compare lists).  Then a garbage collection
// moves the live lists to the front of the array, without the lists that p has made obsolete, and
// by (1) L_p fits behind them.  A longer array only makes garbage collections rare.
//
// A pivot step consists of these calls, which class Elimination (elimination.hpp) makes in this
// order: form_element, let_hubs_wait, measure_overlaps; then for each member prune and perhaps
// merge_into; then close_element.  The degrees after the step are upper bounds; count_degrees makes
// them exact.  Workspace: 44 n bytes, and the lists.
//
// prune reads A_i of a member i to find the variables j for which L_p covers the edge {i, j}, and
// to sum up the weights and the hashes of the other variables.  In graphs with long lists this
// takes nearly all the time, and nearly always no edge is covered.  In such graphs the two sums
// over A_i are kept (8 n bytes more), and prune reads A_i only where L_p may cover an edge of i.
// The rule is:
//
//   i, j in the same older element  =>  {i, j} is covered already.
//
// Let L_e be the longest of the lists that L_p is gathered from.  The lists A_i hold no edge
// between two members of L_e.  So prune first reads A_i of the members i outside L_e.  Where such
// an A_i contains a member j of L_e, the list A_j, which contains i, must be read too.  Merging i
// into j does not change the kept sum of weights of any list, because every list that contains i
// contains j; merge_into subtracts the hash of i from the kept sums of hashes.  The order of
// elimination does not depend on whether the sums are kept.
//
// A hub is a variable with a long list that is a member of very many elements.  The time spent on a
// hub would be the square of the number of its neighbours, because its list is read at every
// neighbouring pivot.  Once the lists of hubs have been read often (HubOptions::readings), hubs
// *wait*: at a pivot p the list of a waiting hub i is not read and does not change, and its degree
// gets the bound  d_i + |L_p \ i|.  A node in such a list may have been eliminated or merged since;
// it then stands for the node that it is now part of (catch_up finds this node).  The list is read
// again after a number of pivots that grows with its length, and when the hub becomes the pivot.
//
// Not safe for concurrent use of one object.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "ordering/elimination/quotient_node.hpp"
#include "ordering/elimination/score_lists.hpp"
#include "ordering/graph.hpp"

namespace clchol::ordering {

/// Which variables are hubs, and how often the lists of hubs are read.
struct HubOptions {
  /// A hub has more than this number of entries in its list.
  Offset least_length = 64;
  /// A hub has also more than over_mean times as many entries as a list of the graph in the mean.
  Offset over_mean = 8;
  /// Hubs wait once more entries of their lists have been read than `readings` times the number of
  /// entries of the graph and of the elements.  54 of 55 real matrices stay below 8; a value of 2
  /// increases the fill.  Negative: hubs never wait.
  Offset readings = 8;
  /// The list of a hub that waits is read once in (entries of the list) / entries_for_a_pivot
  /// neighbouring pivots.
  Offset entries_for_a_pivot = 4;
};

/// The lists, degrees and weights of all nodes; a node is a variable or an element.
class QuotientGraph {
 public:
  static constexpr double kElbowRoom = 0.2;  ///< Default of elbow_room, see workspace().
  static constexpr Offset kLongLists = 24;   ///< Default of long_lists, see has_long_lists().

  /// Takes over the memory of the graph and enlarges the array of lists by `room` entries.  The
  /// enlargement costs a copy unless adjncy has reserved these entries.
  /// @param long_lists  see has_long_lists().
  explicit QuotientGraph(Graph&& graph, Offset room = 0, Offset long_lists = kLongLists,
                         const HubOptions& hubs = {});

  /// Number of further entries that keeps garbage collections rare: one element of n variables, and
  /// `elbow_room` times the nnz entries of the lists.
  static Offset workspace(Index n, Offset nnz, double elbow_room = kElbowRoom) {
    return Offset{n} + static_cast<Offset>(elbow_room * static_cast<double>(nnz));
  }

  /// Number of list entries that were read so far.  An elimination costs O(num_visits() + n).
  Offset num_visits() const { return num_visits_; }
  /// Sum of the numbers of members of all elements, counted when each element was formed.
  Offset num_members() const { return num_members_; }

  Index size() const { return static_cast<Index>(nodes_.size()); }
  std::span<QuotientNode> nodes() { return nodes_; }
  const QuotientNode& node(Index i) const { return nodes_[i]; }
  /// Number of rows that node i represents.  0: the node was merged into another node or set aside.
  /// Negative: the node is the element being formed or a member of it.
  Index weight(Index i) const { return weight_[i]; }
  /// List of node i: of a variable E_i and then A_i, of an element L_i.
  std::span<const Index> list(Index i) const {
    return {lists_.data() + nodes_[i].start, static_cast<std::size_t>(nodes_[i].length)};
  }
  /// E_i of variable i.
  std::span<const Index> elements_of(Index i) const {
    return list(i).first(static_cast<std::size_t>(nodes_[i].num_elements));
  }
  /// A_i of variable i.
  std::span<const Index> variables_of(Index i) const {
    return list(i).subspan(static_cast<std::size_t>(nodes_[i].num_elements));
  }

  /// Absorption parents.  Length n.  The parent of an element is the element that absorbed it.  The
  /// parent of a variable that is gone is the variable that it was merged into, or the pivot that
  /// it was eliminated along with.  kNone for variables and elements that are still in the graph,
  /// and for elements that end without members (roots).
  std::span<const Index> parents() const { return parent_; }
  /// Number of garbage collections so far.
  Index num_collections() const { return num_collections_; }
  /// Number of entries of the array that holds all lists, free ones included.
  Offset storage() const { return static_cast<Offset>(lists_.size()); }

  /// Whether the sums of weights and hashes over each A_i are kept.  They are kept if the initial
  /// lists had more than `long_lists` entries in the mean, and until the first hub waits.
  bool has_long_lists() const { return !outside_.empty(); }

  /// Removes variable i from the graph for good; its weight becomes 0.  The entry of i in another
  /// list is dropped when that list is next read.
  void set_aside(Index i) { weight_[i] = 0; }

  /// Turns variable i, which must have an empty list, into an element without members.
  void eliminate_isolated(Index i) {
    nodes_[i].num_elements = QuotientNode::kElement;
    nodes_[i].mark = 0;
  }

  /// Turns variable p, which must be in no score list, into an element: gathers L_p, absorbs E_p,
  /// and removes the members from their score lists.  The weights of p and of the members are
  /// negative until close_element.
  void form_element(Index p, ScoreLists& score_lists);

  /// Decides which hubs among the members of L_p wait at this pivot.  Brings the lists of members
  /// that have waited, and wait no longer, up to date.  Must be called between form_element and
  /// measure_overlaps.
  void let_hubs_wait(Index p);

  /// Whether member i waits at this pivot.  prune, merge_into and indistinguishable must not be
  /// called for waiting members.
  bool is_waiting(Index i) const { return !missed_.empty() && missed_[i] > 0; }

  /// Computes |L_e \ L_p|, in rows, for every element e that shares a member with L_p, and stores
  /// it in the mark of e.  [ADD96, Alg. 2]
  void measure_overlaps(Index p);

  /// In a graph with long lists: whether L_p may cover an edge of member i.  Such members must be
  /// pruned before all other members.
  bool may_be_covered(Index i) const { return !is_known(i); }

  /// Whether member i has been pruned or merged at this pivot.  Must be called only when all
  /// members with may_be_covered() have been pruned: the list of a member that has not been pruned
  /// then begins with an older element and not with p.
  bool is_done(Index i, Index p) const { return weight_[i] == 0 || list(i).front() == p; }

  /// Updates the list of member i: removes absorbed elements and the variables whose edges to i L_p
  /// covers, puts p in front, and hashes the list.  Sets node(i).degree to an upper bound of the
  /// number of rows of i's neighbours outside L_p.
  /// @param aggressive  whether to absorb every element whose members are all in L_p.
  /// @return false when the list has no other entry than p; i can then be eliminated along with p.
  bool prune(Index i, Index p, bool aggressive);

  /// Whether pruned members i and j have equal lists.
  bool indistinguishable(Index i, Index j);

  /// Merges member i of L_p into `target`, which is another member or p itself.  The weight of i is
  /// added to that of `target`.
  void merge_into(Index i, Index target);

  /// Drops merged members from L_p, frees the unused end of the list, and inserts the remaining
  /// members into the score lists.  A member i gets the degree bound
  ///   min(remaining - w_i, outside + |L_p \ i|),   outside: the bound that prune has set.
  /// [ADD96, Eq. 4.1]  If i is a member of at most one element besides p, the bound is the degree
  /// itself, because no variable is counted twice.
  /// @param remaining  weight of all variables that are not eliminated yet.
  /// @param score_of   function score_of(degree, clique, weight), the score of a member.  `degree`
  ///                   is the bound, `clique` the weight of the member's neighbours in L_p,
  ///                   `weight` the weight of the member.
  template <class ScoreOf>
  void close_element(Index p, Index remaining, ScoreLists& score_lists, const ScoreOf& score_of);

  /// Whether variable i is still in the graph and p is the latest element with i as a member.
  bool is_latest_element(Index p, Index i) const {
    return weight_[i] > 0 && nodes_[i].num_elements > 0 && lists_[nodes_[i].start] == p;
  }

  /// Replaces the degree bounds of the members whose latest element is p by the exact degrees.
  /// Where the bound may exceed the degree, the union of the members of i's elements is counted.
  /// Precondition: close_element(p) has been called, and p has not been absorbed.
  void count_degrees(Index p);

 private:
  /// Sums over the variables in A_i that are still in the graph, none of which is in L_p.
  struct Outside {
    Index weight;        // Sum of the variables' weights; kUnknown: A_i must be read.
    std::uint32_t hash;  // Sum of the variables' hashes.
  };
  static constexpr Index kUnknown = -1;

  bool is_known(Index i) const { return outside_[i].weight != kUnknown; }
  std::span<const Index> longest(std::span<const Index> elements) const;
  void prepare_for_hubs();
  void catch_up(Index i);
  Index live_node_of(Index k);
  void forget(std::span<const Index> members);
  void forget_strangers(std::span<const Index> members, std::span<const Index> older);
  Outside drop_covered(std::span<const Index> variables, Index*& out) const;
  Outside look_through(Index i, std::span<const Index> variables, Index*& out);
  Outside take_over(Index i, std::span<const Index> variables, Index*& out) const;
  Index* gather(const Index* first, const Index* last, Index* out, ScoreLists& score_lists);
  bool has_room(Index p) const;
  void move_in(Index p);
  void collect_garbage();
  void reset_marks();
  void finish_element(Index p, Index length);
  void reserve_stamps(Index count);
  Index next_stamp();
  Index count_outside(Index i, Index element_stamp);

  std::vector<QuotientNode> nodes_;
  std::vector<Index> weight_;         // See weight().  Length n.
  UninitializedVector<Index> lists_;  // All lists; entries from free_ on are unused.
  // Kept sums over A_i of each variable i.  Length n while has_long_lists() holds, else empty.
  std::vector<Outside> outside_;
  std::vector<Index> parent_;  // See parents().  Length n.
  // Number of pivots at which each variable has waited since its list was read.  Length n once a
  // hub has waited, else empty.
  std::vector<Index> missed_;
  // An ancestor of each node by parent_, which shortens later searches for the node that it is now
  // part of; kNone: unknown.  Length n once a hub has waited, else empty.
  std::vector<Index> above_;
  // Stamp of each node.  A node k is marked if seen_[k] equals the stamp drawn last.  Length n.
  std::vector<Index> seen_;
  Offset free_ = 0;  // Position of the first unused entry of lists_.
  // A mark of the newest pivot p is mark_base_ + |L_e \ L_p|; smaller marks are from earlier
  // pivots.
  Index mark_base_ = 1;
  Index largest_degree_ = 0;  // Largest element degree so far: no mark exceeds mark_base_ by more.
  Index total_weight_ = 0;    // Weight of all vertices of the graph.
  Index seen_stamp_ = 0;      // The stamp drawn last.
  Index num_collections_ = 0;
  HubOptions hubs_;
  Offset hub_length_ = 0;   // A variable with more list entries than this is a hub.
  Offset num_entries_ = 0;  // Entries of the graph's lists, plus its number of vertices.
  Offset num_members_ = 0;  // See num_members().
  Offset num_visits_ = 0;   // See num_visits().
  Offset hub_visits_ = 0;   // Entries read from the lists of hubs that did not wait.
};

template <class ScoreOf>
void QuotientGraph::close_element(Index p, Index remaining, ScoreLists& score_lists,
                                  const ScoreOf& score_of) {
  QuotientNode& pivot = nodes_[p];
  weight_[p] = -weight_[p];
  Index* const first = lists_.data() + pivot.start;
  Index* const last = first + pivot.length;
  Index* out = first;
  for (const Index* k = first; k != last; ++k) {
    const Index i = *k;
    if (weight_[i] == 0) continue;
    const Index weight = -weight_[i];
    weight_[i] = weight;
    QuotientNode& member = nodes_[i];
    const Offset degree = Offset{member.degree} + pivot.degree;
    member.degree = static_cast<Index>(std::min(degree, Offset{remaining})) - weight;
    score_lists.insert(i, score_of(member.degree, pivot.degree - weight, weight));
    *out++ = i;
  }
  finish_element(p, static_cast<Index>(out - first));
}

}  // namespace clchol::ordering
