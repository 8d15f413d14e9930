#include "ordering/compress.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "base/assert.hpp"
#include "base/team.hpp"

namespace clchol::ordering {
namespace {

/// With fewer entries, starting the threads takes longer than the work.
constexpr Offset kParallelEntries = 100000;

int team_for(const Graph& graph, int threads) {
  return graph.xadj[graph.n] > kParallelEntries ? threads : 1;
}

// Hash of the set N[i], from its size and its first two power sums.
std::uint64_t closed_hash(const Graph& graph, Index i) {
  std::uint64_t sum = static_cast<std::uint32_t>(i);
  std::uint64_t squares = sum * sum;
  const std::span<const Index> neighbours = graph.neighbours(i);
  for (const Index j : neighbours) {
    const std::uint64_t value = static_cast<std::uint32_t>(j);
    sum += value;
    squares += value * value;
  }
  return ((sum * 0x9e3779b97f4a7c15u + squares) ^ neighbours.size()) * 0xd1342543de82ef95u;
}

// Whether N[i] == N[j], i < j.  Both lists ascend, so that N[i] == N[j] iff the lists consist of
// equal runs a, b, c and of j and i:
//
//   of_i:  a a a . b b j c c        j is in the list of i, where b ends;
//   of_j:  a a a i b b . c c        i is in the list of j, where b begins.
bool equal_closed_neighbourhoods(const Graph& graph, Index i, Index j) {
  const std::span<const Index> of_i = graph.neighbours(i);
  const std::span<const Index> of_j = graph.neighbours(j);
  if (of_i.size() != of_j.size()) return false;
  const auto place_of_j = std::lower_bound(of_i.begin(), of_i.end(), j);
  const auto place_of_i = std::lower_bound(of_j.begin(), of_j.end(), i);
  if (place_of_j == of_i.end() || *place_of_j != j) return false;
  if (place_of_i == of_j.end() || *place_of_i != i) return false;
  const auto b_begin = of_i.begin() + (place_of_i - of_j.begin());
  return b_begin <= place_of_j && std::equal(of_i.begin(), b_begin, of_j.begin()) &&
         std::equal(b_begin, place_of_j, place_of_i + 1) &&
         std::equal(place_of_j + 1, of_i.end(), of_j.end() - (of_i.end() - place_of_j - 1));
}

// Hash table of the classes found so far, with a linked list of classes for each bucket.
class ClassTable {
 public:
  explicit ClassTable(Index n)
      : shift_(64 - static_cast<int>(std::bit_width(static_cast<std::uint32_t>(n) | 1u))),
        head_(std::size_t{1} << (64 - shift_), kNone) {
    classes_.reserve(n);
  }

  // Returns the class of row i, which is a new class if row i equals no class of its hash.
  // is_equal(lowest) says whether row i equals the class with that lowest row.
  template <class IsEqual>
  Index find_or_add(std::uint64_t hash, Index i, const IsEqual& is_equal) {
    Index& head = head_[hash >> shift_];
    for (Index c = head; c != kNone; c = classes_[c].next) {
      if (classes_[c].hash == hash && is_equal(classes_[c].lowest)) return c;
    }
    classes_.push_back({hash, i, head});
    head = size() - 1;
    return head;
  }

  Index size() const { return static_cast<Index>(classes_.size()); }
  Index lowest(Index c) const { return classes_[c].lowest; }

 private:
  struct Class {
    std::uint64_t hash;
    Index lowest;  // Lowest row of the class.
    Index next;    // Next class in the bucket, or kNone.
  };
  int shift_;
  std::vector<Index> head_;
  std::vector<Class> classes_;
};

// Makes the compressed graph.  N[r] contains all rows of a class or none.  So the neighbours of
// class c are given by the neighbours of its lowest row that are the lowest rows of their classes.
Graph class_graph(const Graph& graph, const std::vector<Index>& vertex_of, Index num_classes,
                  int threads) {
  threads = team_for(graph, threads);
  std::vector<Index> lowest(num_classes, kNone);
  std::vector<char> is_lowest(graph.n, 0);
  Graph result;
  result.n = num_classes;
  result.weight.assign(num_classes, 0);
  for (Index i = 0; i < graph.n; ++i) {
    const Index c = vertex_of[i];
    if (result.weight[c]++ > 0) continue;
    lowest[c] = i;
    is_lowest[i] = 1;
  }
  result.xadj.assign(Offset{num_classes} + 1, 0);
  parallel_for(num_classes, threads, [&](Index c) {
    for (const Index j : graph.neighbours(lowest[c])) result.xadj[c + 1] += is_lowest[j];
  });
  for (Index c = 0; c < num_classes; ++c) result.xadj[c + 1] += result.xadj[c];
  result.adjncy.resize(result.xadj[num_classes]);
  parallel_for(num_classes, threads, [&](Index c) {
    Index* out = result.adjncy.data() + result.xadj[c];
    for (const Index j : graph.neighbours(lowest[c])) {
      if (is_lowest[j]) *out++ = vertex_of[j];
    }
  });
  return result;
}

}  // namespace

std::vector<Index> closed_neighbourhood_classes(const Graph& graph, Index* num_classes,
                                                int threads) {
  const Index n = graph.n;
  threads = team_for(graph, threads);
  std::vector<std::uint64_t> hash(n);
  parallel_for(n, threads, [&](Index i) { hash[i] = closed_hash(graph, i); });

  std::vector<Index> vertex_of(n);
  const auto classify = [&](const auto& are_equal) {
    ClassTable table(n);
    for (Index i = 0; i < n; ++i) {
      vertex_of[i] =
          table.find_or_add(hash[i], i, [&](Index lowest) { return are_equal(lowest, i); });
    }
    *num_classes = table.size();
    return table;
  };
  // First classify by the hashes alone, which are almost never equal by chance.  Then all threads
  // compare the neighbourhoods, which takes most of the time.
  const ClassTable table = classify([](Index, Index) { return true; });
  std::atomic<bool> is_wrong{false};
  parallel_for(n, threads, [&](Index i) {
    const Index lowest = table.lowest(vertex_of[i]);
    if (lowest != i && !equal_closed_neighbourhoods(graph, lowest, i)) is_wrong = true;
  });
  if (is_wrong) {
    classify([&](Index i, Index j) { return equal_closed_neighbourhoods(graph, i, j); });
  }
  return vertex_of;
}

std::optional<CompressedGraph> compress(const Graph& graph, int threads) {
  CLCHOL_ASSERT(graph.weight.empty());
  Index num_classes = 0;
  std::vector<Index> vertex_of = closed_neighbourhood_classes(graph, &num_classes, threads);
  if (num_classes > kUsefulCompression * graph.n) return std::nullopt;
  Graph small = class_graph(graph, vertex_of, num_classes, threads);
  return CompressedGraph{std::move(small), std::move(vertex_of)};
}

std::vector<Index> expand(std::span<const Index> order, std::span<const Index> vertex_of) {
  // First the number of rows of each vertex; then the position of its next row in perm.
  std::vector<Index> next(order.size(), 0);
  for (const Index c : vertex_of) ++next[c];
  Index position = 0;
  for (const Index c : order) {
    const Index count = next[c];
    next[c] = position;
    position += count;
  }
  std::vector<Index> perm(vertex_of.size());
  for (std::size_t i = 0; i < vertex_of.size(); ++i) {
    perm[next[vertex_of[i]]++] = static_cast<Index>(i);
  }
  return perm;
}

}  // namespace clchol::ordering
