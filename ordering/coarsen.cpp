#include "ordering/coarsen.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/team.hpp"
#include "ordering/random.hpp"

namespace clchol::ordering {
namespace {

constexpr double kLeastShrinkage = 0.95;
constexpr Index kFull = std::numeric_limits<Index>::max();
/// A vertex waits for the sweep when a neighbour outside its block attracts it more than
/// kWorthWaiting times as strongly as the best cluster inside.
constexpr double kWorthWaiting = 2;
/// Coarse vertices whose rows one task builds.
constexpr Index kContractBlock = 8192;

/// Random bits for a vertex.  With one multiplication only, v + 1 and v + 1000 would compare alike
/// for every v, and clusters would be elongated in one direction.
std::uint64_t vertex_hash(Index v, std::uint64_t seed) {
  std::uint64_t h = (static_cast<std::uint64_t>(v) ^ seed) * 0x9e3779b97f4a7c15;
  h ^= h >> 29;
  return h * 0xbf58476d1ce4e5b9;
}

// ---- clusters -----------------------------------------------------------------------------------

/// Forms the clusters of one coarsening step.
class Clustering {
 public:
  Clustering(const WeightedGraph& graph, Index heaviest, std::uint64_t seed,
             const CoarsenOptions& options)
      : g_(graph),
        heaviest_(heaviest),
        seed_(seed),
        most_(options.cluster_size),
        block_(graph.n > options.parallel_from ? options.block : graph.n),
        lead_(graph.n),
        room_(graph.n),
        size_(graph.n) {}

  /// Fills coarse_of; returns the number of clusters.
  Index run(AlignedBuffer<Index>& coarse_of) {
    const Index num_blocks = (g_.n + block_ - 1) / block_;
    std::vector<std::vector<Index>> alone(num_blocks);
    run_tasks(num_blocks, [&](Index b) { alone[b] = cluster_block(b); });
    std::vector<Index> left = num_blocks == 1 ? std::move(alone[0]) : sweep(alone);
    if (static_cast<Index>(left.size()) > g_.n / 20) join_over_two_hops(left);
    return number(coarse_of);
  }

 private:
  bool is_alone(Index v) const { return lead_[v] == v && size_[v] == 1; }

  /// Lets v join the best cluster among its neighbours in [begin, begin + length).  Returns false
  /// when no cluster has room or a neighbour outside this range is much better.  (Other tasks
  /// change the clusters of neighbours outside, so that only the vertex weights may be read there.)
  bool join(Index v, Index begin, Index length) {
    const Offset first = g_.xadj[v], last = g_.xadj[v + 1];
    const Index most = heaviest_ - g_.weight[v];
    Index best = kNone;
    double best_square = -1, best_weight = 1, outside = 0;
    auto look = [&](Offset p, Offset end) {
      for (; p < end; ++p) {
        const Index u = g_.adjncy[p];
        const double square = static_cast<double>(g_.edge_weight[p]) * g_.edge_weight[p];
        if (static_cast<std::uint32_t>(u - begin) >= static_cast<std::uint32_t>(length)) {
          if (g_.weight[u] <= most) outside = std::max(outside, square / g_.weight[u]);
          continue;
        }
        const Index cluster = lead_[u];
        const Index room = room_[cluster];
        if (room > most) continue;
        const double weight = room;
        // square / weight > best_square / best_weight
        if (square * best_weight > best_square * weight) {
          best_square = square;
          best_weight = weight;
          best = cluster;
        }
      }
    };
    // The first of equals wins.  The search begins at a random position in the row, so that no
    // direction is preferred.
    const Offset middle = first + scale_to(vertex_hash(v, seed_), last - first);
    look(middle, last);
    look(first, middle);
    if (best == kNone || outside * best_weight > kWorthWaiting * best_square) return false;
    put(v, best);
    return true;
  }

  void put(Index v, Index cluster) {
    lead_[v] = cluster;
    room_[cluster] = ++size_[cluster] >= most_ ? kFull : room_[cluster] + g_.weight[v];
  }

  /// Forms the clusters within block b.  Returns the vertices that remain alone.
  std::vector<Index> cluster_block(Index b) {
    const Index begin = b * block_, length = std::min(block_, g_.n - begin);
    for (Index v = begin; v < begin + length; ++v) {
      lead_[v] = v;
      room_[v] = g_.weight[v];
      size_[v] = 1;
    }
    std::vector<Index> alone;
    const Index start = static_cast<Index>(scale_to(mix(seed_, b), length));
    for (Index k = 0; k < length; ++k) {
      const Index v = begin + (k < length - start ? k + start : k - (length - start));
      if (is_alone(v) && !join(v, begin, length)) alone.push_back(v);
    }
    return alone;
  }

  /// Lets vertices that remained alone in their blocks join a cluster of any block.  Returns the
  /// vertices that still remain alone.
  std::vector<Index> sweep(const std::vector<std::vector<Index>>& alone) {
    std::vector<Index> left;
    for (const std::vector<Index>& list : alone) {
      for (Index v : list) {
        if (is_alone(v) && !join(v, 0, g_.n)) left.push_back(v);
      }
    }
    return left;
  }

  /// Joins lone vertices that have the same heaviest neighbour, such as the leaves of a hub.
  void join_over_two_hops(const std::vector<Index>& left) {
    // Last cluster formed of vertices with the heaviest neighbour `hub`; kNone: no cluster yet.
    std::vector<Index> waiting(g_.n, kNone);
    for (Index v : left) {
      if (!is_alone(v)) continue;
      Index hub = kNone, weight = 0;
      for (Offset p = g_.xadj[v]; p < g_.xadj[v + 1]; ++p) {
        const Index w = g_.edge_weight[p], u = g_.adjncy[p];
        if (w > weight || (w == weight && u < hub)) {
          weight = w;
          hub = u;
        }
      }
      if (hub == kNone) continue;
      Index& cluster = waiting[hub];
      if (cluster != kNone && room_[cluster] <= heaviest_ - g_.weight[v]) {
        put(v, cluster);
      } else {
        cluster = v;
      }
    }
  }

  /// Numbers the clusters in the order of their first members, which keeps neighbours close
  /// together.  Fills coarse_of; returns the number of clusters.
  Index number(AlignedBuffer<Index>& coarse_of) const {
    Index count = 0;
    std::fill_n(coarse_of.data(), g_.n, kNone);
    for (Index v = 0; v < g_.n; ++v) {
      Index& of_lead = coarse_of[lead_[v]];
      if (of_lead == kNone) of_lead = count++;
      coarse_of[v] = of_lead;
    }
    return count;
  }

  const WeightedGraph& g_;
  Index heaviest_;
  std::uint64_t seed_;
  Index most_;                 // Maximum number of members of a cluster.
  Index block_;                // Vertices of a block.
  AlignedBuffer<Index> lead_;  // Lead of v's cluster: one of its members; v itself while alone.
  AlignedBuffer<Index> room_;  // Weight of a lead's cluster; kFull: no more members.
  AlignedBuffer<Index> size_;  // Number of members of a lead's cluster.
};

// ---- contraction --------------------------------------------------------------------------------

/// The members of every cluster, sorted by counting.
struct Members {
  AlignedBuffer<Index> ptr;   // Start of each cluster's members in `list`.  At least num + 1.
  AlignedBuffer<Index> list;  // Members of the clusters, one cluster after another.  Length n.
};

Members members_of(const AlignedBuffer<Index>& coarse_of, Index n, Index num) {
  Members m{AlignedBuffer<Index>(Offset{num} + 2), AlignedBuffer<Index>(n)};
  std::fill_n(m.ptr.data(), Offset{num} + 2, 0);
  for (Index v = 0; v < n; ++v) ++m.ptr[coarse_of[v] + 2];
  for (Index c = 0; c < num; ++c) m.ptr[c + 2] += m.ptr[c + 1];
  for (Index v = 0; v < n; ++v) m.list[m.ptr[coarse_of[v] + 1]++] = v;
  return m;
}

/// Some consecutive rows of the coarse graph.  The arrays are large enough for every fine edge.
struct RowBlock {
  AlignedBuffer<Index> adjncy, edge_weight;
  Offset length = 0;     // Entries of adjncy and edge_weight in use.
  Index max_weight = 1;  // Maximum weight of the coarse vertices of the rows.
};

/// A row under construction: entries [start, length) of a block.
struct Row {
  Index* adjncy;
  Index* edge_weight;
  Index* place;  // Position of a coarse vertex in the row; below `start` if it is not in the row.
  Index start, length;

  /// Adds the edges of one member of the cluster.  Edges to a coarse vertex that the row already
  /// contains add to the weight of its entry.
  /// A separate function, so that all variables stay in registers.  Its only branch is the loop's:
  /// whether a neighbour is new cannot be predicted.
  [[gnu::noinline]] void add(const Index* neighbours, const Index* weights, Offset count,
                             const Index* coarse_of) {
    Index* const out = adjncy;
    Index* const out_weight = edge_weight;
    Index* const where = place;
    const Index first = start;
    Index end = length;
    for (Offset p = 0; p < count; ++p) {
      const Index c = coarse_of[neighbours[p]];
      const Index there = where[c];
      const Index is_new = static_cast<Index>(there < first);
      const Index q = there ^ ((there ^ end) & -is_new);  // is_new ? end : there
      out_weight[end] = 0;
      where[c] = q;
      out[q] = c;
      out_weight[q] += weights[p];
      end += is_new;
    }
    length = end;
  }

  /// Removes the first entry; the last entry takes its position.
  void drop_first() {
    if (--length == start) return;
    adjncy[start] = adjncy[length];
    edge_weight[start] = edge_weight[length];
    place[adjncy[start]] = start;
  }
};

/// Builds rows [begin, end) of the coarse graph.  coarse.xadj[c + 1] receives the length of row c,
/// and coarse.weight[c] the weight of the vertex.
/// @param place  workspace, kNone everywhere before and after the call: positions of coarse
///               vertices in the block, each in the latest row that contains it.  Length: coarse
///               vertices.
RowBlock contract_rows(const WeightedGraph& g, const AlignedBuffer<Index>& coarse_of,
                       const Members& members, Index begin, Index end, std::vector<Index>& place,
                       WeightedGraph& coarse) {
  RowBlock block;
  Offset room = 1;  // One more entry: a row has its own vertex as an entry while it is built.
  for (Index k = members.ptr[begin]; k < members.ptr[end]; ++k) {
    room += g.xadj[members.list[k] + 1] - g.xadj[members.list[k]];
  }
  block.adjncy = AlignedBuffer<Index>(room);
  block.edge_weight = AlignedBuffer<Index>(room);
  Row row{block.adjncy.data(), block.edge_weight.data(), place.data(), 0, 0};
  for (Index c = begin; c < end; ++c) {
    // The first entry collects the edges inside the cluster, and is removed at the end.
    row.start = row.length++;
    row.place[c] = row.start;
    row.adjncy[row.start] = c;
    Index weight = 0;
    for (Index k = members.ptr[c]; k < members.ptr[c + 1]; ++k) {
      const Index v = members.list[k];
      weight += g.weight[v];
      row.add(g.adjncy.data() + g.xadj[v], g.edge_weight.data() + g.xadj[v],
              g.xadj[v + 1] - g.xadj[v], coarse_of.data());
    }
    row.drop_first();
    coarse.weight[c] = weight;
    coarse.xadj[c + 1] = row.length - row.start;
    block.max_weight = std::max(block.max_weight, weight);
  }
  for (Index p = 0; p < row.length; ++p) place[row.adjncy[p]] = kNone;
  std::fill(place.begin() + begin, place.begin() + end, kNone);
  block.length = row.length;
  return block;
}

WeightedGraph contract(const WeightedGraph& g, const AlignedBuffer<Index>& coarse_of, Index num,
                       bool parallel) {
  WeightedGraph coarse;
  coarse.n = num;
  coarse.total_weight = g.total_weight;
  coarse.weight = AlignedBuffer<Index>(num);
  coarse.xadj = AlignedBuffer<Offset>(Offset{num} + 1);
  const Members members = members_of(coarse_of, g.n, num);
  const Index step = parallel ? kContractBlock : num, num_blocks = (num + step - 1) / step;
  auto first_row = [&](Index b) {
    return static_cast<Index>(std::min<Offset>(num, Offset{b} * step));
  };
  std::vector<RowBlock> blocks(num_blocks);
  std::vector<std::vector<Index>> place(team_size());
  run_tasks(num_blocks, [&](Index b) {
    std::vector<Index>& mine = place[team_member()];
    if (mine.empty()) mine.assign(num, kNone);
    blocks[b] = contract_rows(g, coarse_of, members, first_row(b), first_row(b + 1), mine, coarse);
  });
  coarse.xadj[0] = 0;
  for (Index c = 0; c < num; ++c) coarse.xadj[c + 1] += coarse.xadj[c];
  coarse.adjncy = AlignedBuffer<Index>(coarse.xadj[num]);
  coarse.edge_weight = AlignedBuffer<Index>(coarse.xadj[num]);
  run_tasks(num_blocks, [&](Index b) {
    const Offset start = coarse.xadj[first_row(b)];
    std::copy_n(blocks[b].adjncy.data(), blocks[b].length, coarse.adjncy.data() + start);
    std::copy_n(blocks[b].edge_weight.data(), blocks[b].length, coarse.edge_weight.data() + start);
  });
  for (const RowBlock& b : blocks) coarse.max_weight = std::max(coarse.max_weight, b.max_weight);
  return coarse;
}

}  // namespace

std::optional<CoarseGraph> coarsen(const WeightedGraph& graph, Index target, std::uint64_t seed,
                                   const CoarsenOptions& options) {
  const Offset share = static_cast<Offset>(1.5 * static_cast<double>(graph.total_weight) / target);
  const Index heaviest = static_cast<Index>(std::clamp<Offset>(share, 2, kFull / 4));
  CoarseGraph result;
  result.coarse_of = AlignedBuffer<Index>(graph.n);
  const Index num = Clustering(graph, heaviest, seed, options).run(result.coarse_of);
  if (num > kLeastShrinkage * graph.n) return std::nullopt;
  result.graph = contract(graph, result.coarse_of, num, graph.n > options.parallel_from);
  return result;
}

}  // namespace clchol::ordering
