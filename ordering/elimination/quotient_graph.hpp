// The quotient graph of a partial elimination.  [GL78], [ADD96, Sec. 2 and 3]
//
// A pivot p does not spread its fill over the graph: it becomes an *element* whose list L_p holds
// the variables that it made pairwise adjacent.  A variable i has a list of elements E_i and a list
// of variables A_i (original edges that no element covers yet), and
//
//   neighbours of i  =  A_i  +  union of L_e over e in E_i,   without i itself.
//
//   eliminate p:   L_p = (A_p + union of L_e, e in E_p) \ p;   every e in E_p is absorbed by p
//                  for i in L_p:  A_i := A_i \ L_p \ p,  E_i := E_i \ E_p + p
//
// Nothing grows: each i in L_p loses at least one entry for the one that it gains, and L_p takes
// the place of lists that vanish:
//
//   |L_p|  <=  |A_p| + sum of |L_e|, e in E_p.                                                 (1)
//
// All lists share one array, the graph's own.  It need not be larger than the graph: where there is
// no room behind the lists, L_p is gathered into a workspace of n entries that every graph has for
// comparing lists, the live lists are moved to the front, without those that p has made obsolete,
// and by (1) L_p fits behind them.  Room only makes this rare.
//
// The pivot step is cut into form_element, measure_overlaps, prune (one member), merge_into and
// close_element, called in this order by elimination.hpp; the degrees that it leaves are bounds,
// and count_degrees makes them exact.  Workspace: 44 n bytes, and the lists.
//
// A member's A_i is looked through for what L_p covers, for its weight and for its hash.  In graphs
// with long lists (8 n bytes more) that is nearly all the time, and nearly always in vain.  There
// weight and hash are kept, and a list is looked through where L_p may cover an edge of it:
//
//   i, j in the same older element  =>  {i, j} is covered already.
//
// So members outside the longest of the lists that L_p is gathered from are looked through first,
// and they tell those of the others that they find.  Merging i into j leaves the weights as they
// are, for whoever has one of them in its list has both, and takes i's part from the hashes.  The
// order of elimination is the same either way.
//
// A hub, a variable with a long list that is a member of very many elements, would cost the square
// of its neighbours, for its list is read at every pivot beside it.  Once the lists have been read
// HubOptions::readings times over, a hub's list waits: the hub keeps the bound  d_i + |L_p \ i|  of
// its degree, its list stays as it is, and names of eliminated and merged nodes in it stand for the
// nodes that they are now part of (catch_up).  It is read again after as many pivots as a reading
// is worth, and when the hub becomes the pivot.
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

/// Which variables are hubs, and how often their lists are read.
struct HubOptions {
  /// A hub's list has more entries than this, and more than over_mean times the mean.
  Offset least_length = 64;
  Offset over_mean = 8;
  /// Hubs wait once more entries of their lists have been read than this many times the entries of
  /// the graph and of the elements.  (54 of 55 real matrices stay below; from 2 on fill suffers.)
  /// Negative: hubs never wait.
  Offset readings = 8;
  /// A list of this many entries is read again after one pivot, a longer one after more.
  Offset entries_for_a_pivot = 4;
};

class QuotientGraph {
 public:
  static constexpr double kElbowRoom = 0.2;
  static constexpr Offset kLongLists = 24;  ///< See has_long_lists().

  /// Takes the graph's storage over and enlarges it by `room` entries, which costs a copy unless
  /// they are reserved.
  /// @param long_lists  see has_long_lists().
  explicit QuotientGraph(Graph&& graph, Offset room = 0, Offset long_lists = kLongLists,
                         const HubOptions& hubs = {});

  /// Room that keeps garbage collection rare: one element of n variables, and `elbow_room` times
  /// the lists.
  static Offset workspace(Index n, Offset nnz, double elbow_room = kElbowRoom) {
    return Offset{n} + static_cast<Offset>(elbow_room * static_cast<double>(nnz));
  }

  /// Entries of lists that were read so far: what an elimination takes is this and O(n).
  Offset num_visits() const { return num_visits_; }
  /// Members of the elements formed so far, each counted when its element was formed.
  Offset num_members() const { return num_members_; }

  Index size() const { return static_cast<Index>(nodes_.size()); }
  std::span<QuotientNode> nodes() { return nodes_; }
  const QuotientNode& node(Index i) const { return nodes_[i]; }
  /// Rows that node i stands for.  0: merged into another node, or set aside.  Negative: a member
  /// of the element being formed, or that element.
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

  /// parent(i): the node that absorbed i; kNone for a live node and for an element that is a root
  /// of the assembly tree.  From a variable the way leads over variables that it was merged into,
  /// or straight to the pivot it was eliminated with; from an element to the element above.
  std::span<const Index> parents() const { return parent_; }
  Index num_collections() const { return num_collections_; }
  /// Entries of the array that holds all lists.
  Offset storage() const { return static_cast<Offset>(lists_.size()); }

  /// Whether the lists had more than `long_lists` entries in the mean.
  bool has_long_lists() const { return !outside_.empty(); }

  /// Takes a variable out of the graph for good; its weight becomes 0.  Lists that hold it are
  /// pruned when they are next visited.
  void set_aside(Index i) { weight_[i] = 0; }

  /// Turns variable i, which must have an empty list, into an element without members.
  void eliminate_isolated(Index i) {
    nodes_[i].num_elements = QuotientNode::kElement;
    nodes_[i].mark = 0;
  }

  /// Turns variable p, which must be in no score list, into an element: gathers L_p, absorbs E_p,
  /// and takes the members out of their score lists.  The members' weights and its own stay
  /// negative until close_element.
  void form_element(Index p, ScoreLists& score_lists);

  /// Decides which members of L_p wait, and brings the lists of the others up to date.  To be
  /// called between form_element and measure_overlaps.
  void let_hubs_wait(Index p);

  /// Whether member i waits: then prune, merge_into and indistinguishable are not for it.
  bool is_waiting(Index i) const { return !missed_.empty() && missed_[i] > 0; }

  /// Finds |L_e \ L_p| for every element e that shares a member with L_p.  [ADD96, Alg. 2]
  void measure_overlaps(Index p);

  /// In a graph with long lists: whether L_p may cover an edge of member i, which must be pruned
  /// before members of which this does not hold.
  bool may_be_covered(Index i) const { return !is_known(i); }

  /// Whether member i is pruned or merged.  Asked when those are that may be covered: a list that
  /// is not pruned then begins with an older element, never with variable p.
  bool is_done(Index i, Index p) const { return weight_[i] == 0 || list(i).front() == p; }

  /// Removes from member i's list what L_p covers, puts p in front, hashes the list, and bounds
  /// what i sees outside L_p: on return node(i).degree is at least |neighbours of i outside L_p|.
  /// With `aggressive`, an element that L_p covers whole is absorbed.
  /// @return false when nothing but p is left in the list: then i can be eliminated along with p.
  bool prune(Index i, Index p, bool aggressive);

  /// Whether pruned members i and j have equal lists: they cannot be told apart any more.
  bool indistinguishable(Index i, Index j);

  /// Variable i goes with node `target`, whose weight grows by its own.  For members of L_p and for
  /// p itself.
  void merge_into(Index i, Index target);

  /// Drops merged members from L_p, gives back unused room, and returns the others to the score
  /// lists with the degree bound  min(remaining - w_i, outside + |L_p \ i|).  [ADD96, Eq. 4.1]
  /// The bound is the degree itself for a member that is in one more element at most, because
  /// nothing is counted twice then.
  /// @param remaining  weight of all variables that are not eliminated yet.
  /// @param score_of   score_of(degree, clique, weight): the list that a member goes to; `clique`
  /// is
  ///                   the weight of its neighbours in L_p.
  template <class ScoreOf>
  void close_element(Index p, Index remaining, ScoreLists& score_lists, const ScoreOf& score_of);

  /// Whether variable i is live and p is the latest element that it became a member of.
  bool is_latest_element(Index p, Index i) const {
    return weight_[i] > 0 && nodes_[i].num_elements > 0 && lists_[nodes_[i].start] == p;
  }

  /// Replaces the degree bounds of the members whose latest element is p, which is closed and live,
  /// by the degrees: the union of the lists is counted where the bound may exceed it.
  void count_degrees(Index p);

 private:
  /// The live variables of a list, which L_p does not hold.
  struct Outside {
    Index weight;  // kUnknown: the list must be looked through.
    std::uint32_t hash;
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
  UninitializedVector<Index> lists_;  // All lists; [free_, size) is unused.
  std::vector<Outside> outside_;      // Of A_i, for graphs with long lists alone.  Length n.
  std::vector<Index> parent_;         // See parents().  Length n.
  // Pivots beside a variable since its list was read.  Length n where there are hubs, else empty.
  std::vector<Index> missed_;
  // A node above k in parent_, for short ways; kNone where none is known.  Length of missed_.
  std::vector<Index> above_;
  std::vector<Index> seen_;  // seen_[k] == seen_stamp_: k is in the list under comparison.
  Offset free_ = 0;
  Index mark_base_ = 1;       // Marks below it are from earlier pivots.
  Index largest_degree_ = 0;  // Largest element degree so far: how far marks reach.
  Index total_weight_ = 0;
  Index seen_stamp_ = 0;
  Index num_collections_ = 0;
  HubOptions hubs_;
  Offset hub_length_ = 0;   // Longer lists are hubs'.
  Offset num_entries_ = 0;  // Of the graph's lists, and one for each vertex.
  Offset num_members_ = 0;  // See num_members().
  Offset num_visits_ = 0;   // See num_visits().
  Offset hub_visits_ = 0;   // Entries of hubs' lists that were read while hubs did not wait.
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
