// The quotient graph of a partial elimination.  [GL78], [ADD96, Sec. 2 and 3]
//
// The fill of a pivot p is not stored as edges.  Instead p becomes an *element*, whose list L_p
// holds the variables that the elimination of p made pairwise adjacent, the *members* of the
// element.  A variable i has a list of elements E_i and a list of variables A_i (original edges
// that no element covers yet), and
//
//   neighbours of i  =  A_i  +  union of L_e over e in E_i,   without i itself.
//
//   eliminate p:   L_p = (A_p + union of L_e, e in E_p) \ p;   every e in E_p is absorbed by p
//                  for i in L_p:  A_i := A_i \ L_p \ p,  E_i := E_i \ E_p + p
//
// No list needs more memory: each i in L_p loses at least one entry and gains one, and L_p is no
// longer than the lists that it replaces:
//
//   |L_p|  <=  |A_p| + sum of |L_e|, e in E_p.                                                 (1)
//
// All lists are in one array, which is the array of the graph.  It need not be larger than the
// graph's lists.  Where the free end of the array is too short, L_p is gathered into a workspace of
// n entries, which also serves to compare lists.  Then a garbage collection moves the live lists to
// the front, without the lists that p has made obsolete, and by (1) L_p fits behind them.  A longer
// array only makes garbage collections rare.
//
// A pivot step consists of form_element, measure_overlaps, prune (for one member), merge_into and
// close_element, which elimination.hpp calls in this order.  The degrees after the step are upper
// bounds; count_degrees makes them exact.  Workspace: 44 n bytes, and the lists.
//
// prune reads A_i of a member i to find the variables that L_p covers, and to compute the weight
// and the hash of the others.  In graphs with long lists this takes nearly all the time, and nearly
// always nothing is covered.  There the graph keeps weight and hash of A_i (8 n bytes more), and
// prune reads A_i only where L_p may cover an edge of it:
//
//   i, j in the same older element  =>  {i, j} is covered already.
//
// So prune first reads A_i of the members that are not in the longest of the lists that L_p is
// gathered from.  Where A_i contains a member of the longest list, A_i of that member must be read
// too.  Merging i into j does not change the kept weights, because every list that contains i
// contains j; it subtracts i's part from the hashes.  The order of elimination does not depend on
// whether weights and hashes are kept.
//
// A hub is a variable with a long list that is a member of very many elements.  Its cost would be
// the square of the number of its neighbours, because its list is read at every neighbouring pivot.
// Once the lists of hubs have been read HubOptions::readings times over, hubs *wait*: a waiting hub
// keeps the bound  d_i + |L_p \ i|  of its degree, and its list does not change.  Eliminated and
// merged nodes in the list represent the nodes that they are now part of (catch_up).  The list is
// read again after a number of pivots that grows with its length, and when the hub becomes the
// pivot.
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

/// Definition of hubs, and the frequency at which their lists are read.
struct HubOptions {
  /// A variable is a hub if its list has more entries than this number and more than over_mean
  /// times the mean number of entries of a list.
  Offset least_length = 64;
  Offset over_mean = 8;
  /// Hubs wait once more entries of their lists have been read than `readings` times the number of
  /// entries of the graph and of the elements.  54 of 55 real matrices stay below 8; a value of 2
  /// increases the fill.  Negative: hubs never wait.
  Offset readings = 8;
  /// The list of a hub that waits is read at one of (entries of the list) / entries_for_a_pivot
  /// neighbouring pivots.
  Offset entries_for_a_pivot = 4;
};

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

  /// Number of list entries that were read so far.  The cost of an elimination is this and O(n).
  Offset num_visits() const { return num_visits_; }
  /// Sum of the numbers of members of all elements, counted when each element was formed.
  Offset num_members() const { return num_members_; }

  Index size() const { return static_cast<Index>(nodes_.size()); }
  std::span<QuotientNode> nodes() { return nodes_; }
  const QuotientNode& node(Index i) const { return nodes_[i]; }
  /// Number of rows that node i represents.  0: the node was merged into another node or set aside.
  /// Negative: the node is the element being formed or a member of it.
  Index weight(Index i) const { return weight_[i]; }
  std::span<const Index> list(Index i) const {
    return {lists_.data() + nodes_[i].start, static_cast<std::size_t>(nodes_[i].length)};
  }
  std::span<const Index> elements_of(Index i) const {
    return list(i).first(static_cast<std::size_t>(nodes_[i].num_elements));
  }
  std::span<const Index> variables_of(Index i) const {
    return list(i).subspan(static_cast<std::size_t>(nodes_[i].num_elements));
  }

  /// Absorption parents.  Length n.  The parent of an element is the element that absorbed it.  The
  /// parent of a variable is the variable that it was merged into, or the pivot that it was
  /// eliminated with.  kNone for live nodes and for roots of the assembly tree.
  std::span<const Index> parents() const { return parent_; }
  /// Number of garbage collections so far.
  Index num_collections() const { return num_collections_; }
  /// Entries of the array that holds all lists.
  Offset storage() const { return static_cast<Offset>(lists_.size()); }

  /// Whether weights and hashes of the variable lists are kept: the initial lists had more than
  /// `long_lists` entries in the mean, and no hub has waited yet.
  bool has_long_lists() const { return !outside_.empty(); }

  /// Removes a variable from the graph for good; its weight becomes 0.  Lists that contain it drop
  /// it when they are next read.
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

  /// Decides which members of L_p wait, and brings the lists of the other members up to date.  To
  /// be called between form_element and measure_overlaps.
  void let_hubs_wait(Index p);

  /// Whether member i waits.  prune, merge_into and indistinguishable must not be called for
  /// waiting members.
  bool is_waiting(Index i) const { return !missed_.empty() && missed_[i] > 0; }

  /// Computes |L_e \ L_p| for every element e that shares a member with L_p.  [ADD96, Alg. 2]
  void measure_overlaps(Index p);

  /// In a graph with long lists: whether L_p may cover an edge of member i.  Such members must be
  /// pruned before all other members.
  bool may_be_covered(Index i) const { return !is_known(i); }

  /// Whether member i was pruned or merged.  To be called after all members that may be covered
  /// were pruned: then a list that was not pruned begins with an older element and not with p.
  bool is_done(Index i, Index p) const { return weight_[i] == 0 || list(i).front() == p; }

  /// Updates the list of member i: removes the entries that L_p covers, puts p in front, and hashes
  /// the list.  Sets node(i).degree to an upper bound of |neighbours of i outside L_p|.
  /// @param aggressive  whether to absorb elements that L_p covers completely.
  /// @return false when the list has no other entry than p; i can then be eliminated along with p.
  bool prune(Index i, Index p, bool aggressive);

  /// Whether pruned members i and j have equal lists.
  bool indistinguishable(Index i, Index j);

  /// Merges member i of L_p into `target`, which is another member or p itself.  The weight of i is
  /// added to that of `target`.
  void merge_into(Index i, Index target);

  /// Drops merged members from L_p, frees the unused end of the list, and inserts the remaining
  /// members into the score lists.  A member gets the degree bound
  /// min(remaining - w_i, outside + |L_p \ i|).  [ADD96, Eq. 4.1]
  /// For a member of at most one other element the bound is the degree itself, because no variable
  /// is counted twice.
  /// @param remaining  weight of all variables that are not eliminated yet.
  /// @param score_of   function score_of(degree, clique, weight), the score of a member; `clique`
  ///                   is the weight of its neighbours in L_p.
  template <class ScoreOf>
  void close_element(Index p, Index remaining, ScoreLists& score_lists, const ScoreOf& score_of);

  /// Whether variable i is live and p is the latest element with i as a member.
  bool is_latest_element(Index p, Index i) const {
    return weight_[i] > 0 && nodes_[i].num_elements > 0 && lists_[nodes_[i].start] == p;
  }

  /// Replaces the degree bounds of the members whose latest element is p by the degrees.  Counts
  /// the union of the lists where the bound may exceed the degree.  p must be closed and live.
  void count_degrees(Index p);

 private:
  /// Weight and hash of the live variables in A_i, none of which is in L_p.
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
  // Weight and hash of each variable's A_i.  Length n for graphs with long lists, else empty.
  std::vector<Outside> outside_;
  std::vector<Index> parent_;  // See parents().  Length n.
  // Number of pivots at which each variable has waited since its list was read.  Length n once a
  // hub has waited, else empty.
  std::vector<Index> missed_;
  // An ancestor of each node by parent_, which shortens paths; kNone: unknown.  Length of missed_.
  std::vector<Index> above_;
  std::vector<Index> seen_;   // Stamp of each node: seen_[k] == the current stamp marks k.
  Offset free_ = 0;           // Position of the first unused entry of lists_.
  Index mark_base_ = 1;       // Smaller marks are from earlier pivots.
  Index largest_degree_ = 0;  // Largest element degree so far, which bounds marks - mark_base_.
  Index total_weight_ = 0;    // Weight of all vertices of the graph.
  Index seen_stamp_ = 0;      // Latest stamp.
  Index num_collections_ = 0;
  HubOptions hubs_;
  Offset hub_length_ = 0;   // Variables with more list entries are hubs.
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
