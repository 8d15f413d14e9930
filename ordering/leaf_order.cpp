#include "ordering/leaf_order.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace clchol::ordering {
namespace {

constexpr Index kWordBits = 64;

void set_bit(std::uint64_t* row, Index k) {
  row[k / kWordBits] |= std::uint64_t{1} << k % kWordBits;
}
void clear_bit(std::uint64_t* row, Index k) {
  row[k / kWordBits] &= ~(std::uint64_t{1} << k % kWordBits);
}

/// Number of bits that are set.  (std::popcount calls a function on targets without an instruction
/// for it.)
Index count_bits(std::uint64_t x) {
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<Index>(x * 0x0101010101010101 >> 56);
}

/// Calls f(k) for every set bit k < n.
template <class F>
void for_each_bit(const std::uint64_t* row, Index n, const F& f) {
  for (Index word = 0; word * kWordBits < n; ++word) {
    const Index left = n - word * kWordBits;
    std::uint64_t bits = row[word];
    if (left < kWordBits) bits &= (std::uint64_t{1} << left) - 1;
    for (; bits != 0; bits &= bits - 1) f(word * kWordBits + std::countr_zero(bits));
  }
}

}  // namespace

void LeafOrder::run(const Graph& graph, std::span<Index> vertices, std::span<const char> is_gone) {
  const auto n = static_cast<Index>(vertices.size());
  if (n <= 1) return;
  if (static_cast<Index>(place_.size()) < graph.n) place_.assign(graph.n, kNone);
  for (Index k = 0; k < n; ++k) place_[vertices[k]] = k;
  gather(graph, vertices, is_gone);
  for (Index v : vertices) place_[v] = kNone;
  eliminate(n);
  for (Index& k : order_) k = vertices[k];
  std::copy(order_.begin(), order_.end(), vertices.begin());
}

void LeafOrder::gather(const Graph& graph, std::span<const Index> vertices,
                       std::span<const char> is_gone) {
  const auto n = static_cast<Index>(vertices.size());
  halo_.clear();
  for (Index k = 0; k < n; ++k) {
    for (Index u : graph.neighbours(vertices[k])) {
      if (place_[u] == kNone && is_gone[u] == 0) halo_.emplace_back(u, k);
    }
  }
  std::sort(halo_.begin(), halo_.end());
  Index columns = n, last = kNone;
  for (std::size_t k = 0; k < halo_.size(); ++k) {
    if (halo_[k].first == last) continue;
    if (columns == kMostColumns) {
      halo_.resize(k);
      break;
    }
    last = halo_[k].first;
    ++columns;
  }
  words_ = (columns + kWordBits - 1) / kWordBits;
  bits_.assign(Offset{n} * words_, 0);
  weight_.assign(Offset{words_} * kWordBits, 0);
  for (Index k = 0; k < n; ++k) {
    weight_[k] = graph.vertex_weight(vertices[k]);
    for (Index u : graph.neighbours(vertices[k])) {
      if (place_[u] != kNone) set_bit(row(k), place_[u]);
    }
  }
  Index column = n - 1;
  last = kNone;
  for (const auto& [u, k] : halo_) {
    if (u != last) weight_[++column] = graph.vertex_weight(u);
    last = u;
    set_bit(row(k), column);
  }
  is_unit_ = std::all_of(weight_.begin(), weight_.begin() + columns,
                         [&](Index w) { return w == weight_[0]; });
}

Index LeafOrder::degree_of(const std::uint64_t* row) const {
  Index degree = 0;
  if (is_unit_) {
    for (Index k = 0; k < words_; ++k) degree += count_bits(row[k]);
  } else {
    for_each_bit(row, words_ * kWordBits, [&](Index u) { degree += weight_[u]; });
  }
  return degree;
}

void LeafOrder::eliminate(Index n) {
  // Keys: the degree, and in the low bits a number that is the smaller, the later the degree was
  // computed.
  constexpr std::int64_t kUpdates = 1024;
  key_.resize(n);
  for (Index v = 0; v < n; ++v) key_[v] = degree_of(row(v)) * kUpdates + kUpdates - 1;
  order_.clear();
  pivot_row_.resize(words_);
  while (static_cast<Index>(order_.size()) < n) {
    const auto least = std::min_element(key_.begin(), key_.end());
    const auto pivot = static_cast<Index>(least - key_.begin());
    *least = std::numeric_limits<std::int64_t>::max();
    order_.push_back(pivot);
    std::copy(row(pivot), row(pivot) + words_, pivot_row_.begin());
    const std::int64_t stamp = kUpdates - 1 - static_cast<std::int64_t>(order_.size());
    for_each_bit(pivot_row_.data(), n, [&](Index u) {
      std::uint64_t* const r = row(u);
      for (Index k = 0; k < words_; ++k) r[k] |= pivot_row_[k];
      clear_bit(r, u);
      clear_bit(r, pivot);
      key_[u] = degree_of(r) * kUpdates + stamp;
    });
  }
}

}  // namespace clchol::ordering
