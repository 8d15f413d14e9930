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
/// A vertex waits for a neighbour outside its block that draws it more than so many times as much
/// as all inside.
constexpr double kWorthWaiting = 2;
/// Coarse vertices whose rows one task builds.
constexpr Index kContractBlock = 8192;

/// Random bits for a vertex.  One multiplication would give v + 1 and v + 1000 the same order at
/// every v, and clusters that stretch in one direction.
std::uint64_t vertex_hash(Index v, std::uint64_t seed) {
  std::uint64_t h = (static_cast<std::uint64_t>(v) ^ seed) * 0x9e3779b97f4a7c15;
  h ^= h >> 29;
  return h * 0xbf58476d1ce4e5b9;
}

// ---- clusters -----------------------------------------------------------------------------------

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

  /// v joins the best cluster among its neighbours in [begin, begin + length), if one has room and
  /// none outside is far better.  (Of those outside, in the hands of other tasks, their own weight
  /// is all that may be read.)
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
    // The first of equals wins, from a random place in the row on: no direction is preferred.
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

  /// Clusters within a block; returns the vertices that stayed alone.
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

  /// What stayed alone in its own block may join a cluster of any block.
  std::vector<Index> sweep(const std::vector<std::vector<Index>>& alone) {
    std::vector<Index> left;
    for (const std::vector<Index>& list : alone) {
      for (Index v : list) {
        if (is_alone(v) && !join(v, 0, g_.n)) left.push_back(v);
      }
    }
    return left;
  }

  /// Lone vertices with the same heaviest neighbour join: the leaves of a hub, say.
  void join_over_two_hops(const std::vector<Index>& left) {
    std::vector<Index> waiting(g_.n, kNone);  // At a hub, the last cluster formed there.
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

  /// Numbers clusters in the order of their first members, which keeps neighbours close.
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
  Index most_;                 // Members of a cluster.
  Index block_;                // Vertices of a block.
  AlignedBuffer<Index> lead_;  // The member that stands for v's cluster; v itself while alone.
  AlignedBuffer<Index> room_;  // Weight of the cluster of a lead, kFull when it takes no more.
  AlignedBuffer<Index> size_;  // Members of the cluster of a lead.
};

// ---- contraction --------------------------------------------------------------------------------

/// Members of the clusters by counting sort.
struct Members {
  AlignedBuffer<Index> ptr;   // Start of cluster c's members.  Length num + 1.
  AlignedBuffer<Index> list;  // Length n.
};

Members members_of(const AlignedBuffer<Index>& coarse_of, Index n, Index num) {
  Members m{AlignedBuffer<Index>(Offset{num} + 2), AlignedBuffer<Index>(n)};
  std::fill_n(m.ptr.data(), Offset{num} + 2, 0);
  for (Index v = 0; v < n; ++v) ++m.ptr[coarse_of[v] + 2];
  for (Index c = 0; c < num; ++c) m.ptr[c + 2] += m.ptr[c + 1];
  for (Index v = 0; v < n; ++v) m.list[m.ptr[coarse_of[v] + 1]++] = v;
  return m;
}

/// Rows [begin, end) of the coarse graph, with room for every fine edge.
struct RowBlock {
  AlignedBuffer<Index> adjncy, edge_weight;
  Offset length = 0;
  Index max_weight = 1;
};

/// A row under construction: entries [start, length) of a block.
struct Row {
  Index* adjncy;
  Index* edge_weight;
  Index* place;  // Of a coarse vertex: below start where it is not in the row.
  Index start, length;

  /// Adds the edges of one member; edges to a coarse vertex that is there make its bundle heavier.
  /// A function of its own with everything in registers, and no branch but the loop's: whether a
  /// neighbour is new cannot be foretold.
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

  /// The last entry takes the first one's place.
  void drop_first() {
    if (--length == start) return;
    adjncy[start] = adjncy[length];
    edge_weight[start] = edge_weight[length];
    place[adjncy[start]] = start;
  }
};

/// xadj of `coarse` receives the lengths of the rows.
/// @param place  kNone everywhere, before and after; where a coarse neighbour lies in the row that
///               was built last with it, counted from the block's start.  Length: coarse vertices.
RowBlock contract_rows(const WeightedGraph& g, const AlignedBuffer<Index>& coarse_of,
                       const Members& members, Index begin, Index end, std::vector<Index>& place,
                       WeightedGraph& coarse) {
  RowBlock block;
  Offset room = 1;  // For the entry that a row has only while it is built.
  for (Index k = members.ptr[begin]; k < members.ptr[end]; ++k) {
    room += g.xadj[members.list[k] + 1] - g.xadj[members.list[k]];
  }
  block.adjncy = AlignedBuffer<Index>(room);
  block.edge_weight = AlignedBuffer<Index>(room);
  Row row{block.adjncy.data(), block.edge_weight.data(), place.data(), 0, 0};
  for (Index c = begin; c < end; ++c) {
    // What lies inside the cluster is gathered in the first entry, and dropped.
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
