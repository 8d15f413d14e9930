#include "symbolic/separator_fronts.hpp"

namespace clchol::symbolic {
namespace {

/// Most additional time of two fronts, relative to the time of one front with the columns of both.
constexpr double kMost = 0.01;
/// Fronts end at separators with at least this many columns.  Smaller separators matter for neither
/// balance nor memory.
constexpr Index kLeastColumns = 512;

}  // namespace

std::vector<SeparatorFront> list_separators(const ordering::SeparatorTree& separators,
                                            const PermutedGraph& graph, std::span<const Index> rank,
                                            std::span<const Index> row_ptr) {
  const auto num_nodes = static_cast<Index>(separators.parent.size());
  // Index in `list` of each node's separator; kNone for a node without vertices.
  std::vector<Index> place(separators.parent.size(), kNone);
  std::vector<SeparatorFront> list;
  std::vector<Index> nodes;
  for (Index node = 0; node < num_nodes; ++node) {
    const Index begin = separators.middle[node], end = separators.end[node];
    if (begin == end) continue;
    place[node] = static_cast<Index>(list.size());
    nodes.push_back(node);
    list.push_back({graph.row_ptr[end] - graph.row_ptr[begin], row_ptr[rank[end - 1] + 1] - 1});
  }
  for (std::size_t k = 0; k < list.size(); ++k) {
    Index above = separators.parent[nodes[k]];
    while (above != kNone && place[above] == kNone) above = separators.parent[above];
    if (above != kNone) list[k].above = place[above];
  }
  return list;
}

std::vector<char> end_at_separators(std::span<const SeparatorFront> separators,
                                    const ColumnForest& columns, const FrontCost& cost) {
  std::vector<char> ends;
  const auto nupd = [&](const SeparatorFront& front) {
    return double{1.0} * columns.colcount[front.top] - 1;
  };
  for (const SeparatorFront& lower : separators) {
    if (lower.above == kNone || lower.ncol < kLeastColumns) continue;
    const SeparatorFront& upper = separators[lower.above];
    const double apart = cost(lower.ncol, nupd(lower)) + cost(upper.ncol, nupd(upper));
    const double together = cost(double{1.0} * lower.ncol + upper.ncol, nupd(upper));
    if (apart > (1 + kMost) * together) continue;
    if (ends.empty()) ends.resize(columns.colcount.size(), 0);
    ends[lower.top] = 1;
  }
  return ends;
}

}  // namespace clchol::symbolic
