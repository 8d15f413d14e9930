#include "solver/matrix_market/symmetry.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/team.hpp"
#include "solver/asymmetry.hpp"

namespace clchol::solver {
namespace {

constexpr Index kColumnChunk = 4096;

/// Goes through column j of both triangles by ascending row and calls visit(row, lower value,
/// whether the lower value is stored, mirrored value, whether the mirrored value is stored).
template <class Visit>
void walk_column(const AssembledColumns& lower, const AssembledColumns& mirrored, Index j,
                 const Visit& visit) {
  constexpr Index kEnd = std::numeric_limits<Index>::max();
  Offset p = lower.pattern.colptr[j];
  Offset q = mirrored.pattern.colptr[j];
  const Offset p_end = lower.pattern.colptr[j + 1];
  const Offset q_end = mirrored.pattern.colptr[j + 1];
  while (p < p_end || q < q_end) {
    const Index p_row = p < p_end ? lower.pattern.rowind[p] : kEnd;
    const Index q_row = q < q_end ? mirrored.pattern.rowind[q] : kEnd;
    const bool in_lower = p_row <= q_row;
    const bool in_mirrored = q_row <= p_row;
    visit(std::min(p_row, q_row), in_lower ? lower.values[p] : 0.0, in_lower,
          in_mirrored ? mirrored.values[q] : 0.0, in_mirrored);
    p += in_lower ? 1 : 0;
    q += in_mirrored ? 1 : 0;
  }
}

/// @return a(j,j); 0 if it is not stored.
double diagonal_entry(const AssembledColumns& lower, Index j) {
  const Offset p = lower.pattern.colptr[j];
  const bool is_stored = p < lower.pattern.colptr[j + 1] && lower.pattern.rowind[p] == j;
  return is_stored ? lower.values[p] : 0.0;
}

/// Asymmetry of the pair a = a(i,j), b = a(j,i).
double asymmetry_of(const AssembledColumns& lower, Index i, Index j, double a, double b) {
  // Most pairs are equal, so that the search for the diagonal entries is not needed.
  return a == b ? 0 : asymmetry(a, b, diagonal_entry(lower, i), diagonal_entry(lower, j));
}

double difference(const EntryPair& pair) { return std::abs(pair.lower - pair.upper); }

/// Whether pair a is worse than pair b; if the pairs are equally bad, whether a comes first in the
/// order of columns and rows.
bool is_worse(const EntryPair& a, const EntryPair& b) {
  if (a.row == kNone || b.row == kNone) return a.row != kNone;
  if (a.asymmetry != b.asymmetry) return a.asymmetry > b.asymmetry;
  if (difference(a) != difference(b)) return difference(a) > difference(b);
  return a.col < b.col || (a.col == b.col && a.row < b.row);
}

}  // namespace

EntryPair worst_asymmetry(const AssembledColumns& lower, const AssembledColumns& mirrored,
                          int threads) {
  const Index n = lower.pattern.n;
  const auto worst_of_block = [&](Offset begin, Offset end) {
    EntryPair mine;
    for (auto j = static_cast<Index>(begin); j < static_cast<Index>(end); ++j) {
      walk_column(lower, mirrored, j, [&](Index i, double a, bool, double b, bool) {
        if (i == j || a == b) return;
        const EntryPair pair = {i, j, a, b, asymmetry_of(lower, i, j, a, b)};
        if (is_worse(pair, mine)) mine = pair;
      });
    }
    return mine;
  };
  return parallel_reduce(
      n, threads, EntryPair{}, worst_of_block,
      [](const EntryPair& a, const EntryPair& b) { return is_worse(a, b) ? a : b; });
}

MergedTriangles add_triangles(const AssembledColumns& lower, const AssembledColumns& mirrored,
                              int threads) {
  const Index n = lower.pattern.n;
  MergedTriangles out;
  CscPattern& sum = out.columns.pattern;
  sum.n = n;
  sum.colptr.assign(static_cast<std::size_t>(n) + 1, 0);
  std::atomic<Offset> pairs{0};
  // Off-diagonal positions stored in one triangle only, or with too large an asymmetry.
  std::atomic<Offset> singles{0};
  parallel_blocks(n, kColumnChunk, threads, [&](Offset begin, Offset end) {
    Offset my_pairs = 0, my_singles = 0;
    for (auto j = static_cast<Index>(begin); j < static_cast<Index>(end); ++j) {
      walk_column(lower, mirrored, j, [&](Index i, double a, bool in_a, double b, bool in_b) {
        ++sum.colptr[j + 1];
        if (in_a && in_b) ++my_pairs;
        const bool agree =
            in_a && in_b && asymmetry_of(lower, i, j, a, b) <= kMostAsymmetry<double>;
        if (i != j && !agree) ++my_singles;
      });
    }
    pairs += my_pairs;
    singles += my_singles;
  });
  for (Index j = 0; j < n; ++j) sum.colptr[j + 1] += sum.colptr[j];
  sum.rowind.resize(static_cast<std::size_t>(sum.colptr[n]));
  out.columns.values.resize(sum.rowind.size());
  parallel_for(n, threads, [&](Index j) {
    Offset p = sum.colptr[j];
    walk_column(lower, mirrored, j, [&](Index i, double a, bool in_a, double b, bool in_b) {
      sum.rowind[p] = i;
      // A value stored in one triangle is copied, to keep its sign: -0 + 0 would be +0.
      out.columns.values[p++] = in_a && in_b ? a + b : (in_a ? a : b);
    });
  });
  out.columns.duplicates = lower.duplicates + mirrored.duplicates + pairs;
  out.pairs = pairs;
  out.wholly_mirrored = pairs > 0 && singles == 0;
  return out;
}

}  // namespace clchol::solver
