#include "solver/input_map.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>

#include "base/number_text.hpp"
#include "base/scalar_traits.hpp"
#include "base/team.hpp"
#include "solver/ascending_input.hpp"
#include "solver/asymmetry.hpp"

namespace clchol::solver {
namespace {

/// Entries above which several threads pay off.
constexpr Offset kParallelEntries = 200000;

constexpr Index kMaxRows = std::numeric_limits<Index>::max() - 1;

/// First column j for which is_bad(j) is true; n when there is none.
template <class IsBad>
Index first_bad_column(Index n, int threads, const IsBad& is_bad) {
  const auto first_of_block = [&](Offset begin, Offset end) {
    for (auto j = static_cast<Index>(begin); j < static_cast<Index>(end); ++j) {
      if (is_bad(j)) return j;
    }
    return n;
  };
  return parallel_reduce(n, threads, n, first_of_block,
                         [](Index a, Index b) { return std::min(a, b); });
}

template <class Ptr, class Ind>
void check_pattern(Index n, std::span<const Ptr> colptr, std::span<const Ind> rowind, int threads) {
  if (n < 1 || n > kMaxRows) {
    throw InvalidArgument("matrix: n is " + std::to_string(n) + ", must be in [1, " +
                          std::to_string(kMaxRows) + "]");
  }
  if (colptr.size() != static_cast<std::size_t>(n) + 1) {
    throw InvalidArgument("matrix: colptr has " + std::to_string(colptr.size()) +
                          " entries, must have n + 1 = " + std::to_string(n + 1));
  }
  if (colptr[0] != 0) {
    throw InvalidArgument("matrix: colptr[0] is " + std::to_string(colptr[0]) + ", must be 0");
  }
  const Index descends =
      first_bad_column(n, threads, [&](Index j) { return colptr[j + 1] < colptr[j]; });
  if (descends < n) {
    throw InvalidArgument("matrix: colptr descends at column " + std::to_string(descends));
  }
  if (rowind.size() < static_cast<std::size_t>(colptr[n])) {
    throw InvalidArgument("matrix: rowind has " + std::to_string(rowind.size()) +
                          " entries, colptr[n] asks for " + std::to_string(colptr[n]));
  }
  const auto is_outside = [n](Ind row) { return row < 0 || row >= n; };
  const auto rows_of = [&](Index j) {
    return rowind.subspan(colptr[j], colptr[j + 1] - colptr[j]);
  };
  const Index outside = first_bad_column(
      n, threads, [&](Index j) { return std::ranges::any_of(rows_of(j), is_outside); });
  if (outside < n) {
    const Ind row = *std::ranges::find_if(rows_of(outside), is_outside);
    throw InvalidArgument("matrix: row " + std::to_string(row) + " in column " +
                          std::to_string(outside) + ", must be in [0, " + std::to_string(n) + ")");
  }
}

/// Whether the rows of each column ascend strictly.
template <class Ptr, class Ind>
bool is_ascending(Index n, std::span<const Ptr> colptr, std::span<const Ind> rowind, int threads) {
  const auto descends = [&](Index j) {
    for (Ptr p = colptr[j] + 1; p < colptr[j + 1]; ++p) {
      if (rowind[p] <= rowind[p - 1]) return true;
    }
    return false;
  };
  return first_bad_column(n, threads, descends) == n;
}

/// Whether entry (i, j) of the input is read.
bool is_read(Triangle triangle, Index i, Index j) {
  switch (triangle) {
    case Triangle::kLower:
      return i >= j;
    case Triangle::kUpper:
      return i <= j;
    case Triangle::kBoth:
      return true;
  }
  return false;
}

/// Makes the map of an input whose rows ascend.
/// @return nullopt for a whole matrix with an entry that has no mirror image.
template <class Ptr, class Ind>
std::optional<InputMap> map_ascending(Index n, std::span<const Ptr> colptr,
                                      std::span<const Ind> rowind, Triangle triangle, int threads) {
  const AscendingInput<Ptr, Ind> input(n, colptr, rowind, threads);
  InputMap map;
  map.triangle = triangle;
  map.lower.n = n;
  map.has_unique_targets = true;
  if (triangle == Triangle::kUpper) {
    input.take_upper(map);
    return map;
  }
  input.take_lower(map);
  if (triangle == Triangle::kBoth) {
    if (map.identity) {  // For check_symmetry(), which looks at entries above the diagonal.
      map.identity = false;
      map.target.resize(colptr[n]);
      std::iota(map.target.begin(), map.target.end(), Offset{0});
    }
    if (!input.match_mirrors(map)) return std::nullopt;
  }
  return map;
}

/// An entry of the input that belongs to a given column of the lower triangle.
struct Arrival {
  Index row;
  Offset source;  // Position of the entry in the input.
};

/// Makes the map of any input: distributes the entries to the columns of the lower triangle, then
/// sorts each column by rows and joins duplicates.
template <class Ptr, class Ind>
InputMap map_any(Index n, std::span<const Ptr> colptr, std::span<const Ind> rowind,
                 Triangle triangle) {
  InputMap map;
  map.triangle = triangle;
  map.lower.n = n;
  map.target.assign(colptr[n], InputMap::kIgnored);
  std::vector<Offset> start(n + 1, 0);
  auto for_each_entry = [&](auto&& f) {
    for (Index j = 0; j < n; ++j) {
      for (Ptr p = colptr[j]; p < colptr[j + 1]; ++p) {
        const Index i = static_cast<Index>(rowind[p]);
        if (is_read(triangle, i, j)) f(std::max(i, j), std::min(i, j), Offset{p});
      }
    }
  };
  for_each_entry([&](Index, Index c, Offset) { ++start[c + 1]; });
  for (Index j = 0; j < n; ++j) start[j + 1] += start[j];
  std::vector<Arrival> arrival(start[n]);
  std::vector<Offset> next(start.begin(), start.end() - 1);
  for_each_entry([&](Index r, Index c, Offset p) { arrival[next[c]++] = {r, p}; });
  map.lower.colptr.assign(1, 0);
  for (Index j = 0; j < n; ++j) {
    const auto begin = arrival.begin() + start[j], end = arrival.begin() + start[j + 1];
    auto by_row = [](const Arrival& a, const Arrival& b) {
      return a.row != b.row ? a.row < b.row : a.source < b.source;
    };
    if (!std::is_sorted(begin, end, by_row)) std::sort(begin, end, by_row);
    for (auto a = begin; a != end; ++a) {
      if (a == begin || a->row != (a - 1)->row) map.lower.rowind.push_back(a->row);
      map.target[a->source] = static_cast<Offset>(map.lower.rowind.size()) - 1;
    }
    map.lower.colptr.push_back(static_cast<Offset>(map.lower.rowind.size()));
  }
  if (triangle == Triangle::kBoth) {
    for (Index j = 0; j < n; ++j) {
      for (Ptr p = colptr[j]; p < colptr[j + 1]; ++p) {
        if (rowind[p] < j) map.target[p] = InputMap::kMirror - map.target[p];
      }
    }
  }
  return map;
}

}  // namespace

template <class Ptr, class Ind>
InputMap make_input_map(Index n, std::span<const Ptr> colptr, std::span<const Ind> rowind,
                        Triangle triangle, int threads) {
  const int team = rowind.size() > static_cast<std::size_t>(kParallelEntries) ? threads : 1;
  check_pattern(n, colptr, rowind, team);
  std::optional<InputMap> map;
  if (is_ascending(n, colptr, rowind, team)) {
    map = map_ascending(n, colptr, rowind, triangle, team);
  }
  if (!map) map = map_any(n, colptr, rowind, triangle);
  map->colptr = fingerprint_of(std::as_bytes(colptr));
  map->rowind = fingerprint_of(std::as_bytes(rowind.first(colptr[n])));
  return std::move(*map);
}

template <class Ptr, class Ind>
bool is_same_pattern(const InputMap& map, Index n, std::span<const Ptr> colptr,
                     std::span<const Ind> rowind, Triangle triangle, int threads) {
  const Offset nnz = map.num_input_entries();
  if (n != map.lower.n || triangle != map.triangle ||
      colptr.size() != static_cast<std::size_t>(n) + 1 || colptr[0] != 0 ||
      Offset{colptr[n]} != nnz || rowind.size() < static_cast<std::size_t>(colptr[n])) {
    return false;
  }
  if (fingerprint_of(std::as_bytes(colptr)) == map.colptr &&
      fingerprint_of(std::as_bytes(rowind.first(colptr[n]))) == map.rowind) {
    return true;
  }
  const std::vector<Offset>& lower_ptr = map.lower.colptr;
  const auto has_place = [&](Index i, Index j, Offset p) {
    const Offset t = map.target[p];
    if (t == InputMap::kIgnored) return !is_read(triangle, i, j);
    const bool mirror = t <= InputMap::kMirror;
    if (!is_read(triangle, i, j) || mirror != (triangle == Triangle::kBoth && i < j)) return false;
    const Offset at = mirror ? InputMap::kMirror - t : t;
    const Index c = std::min(i, j);
    return at >= lower_ptr[c] && at < lower_ptr[c + 1] && map.lower.rowind[at] == std::max(i, j);
  };
  const auto differs = [&](Index j) {
    if (colptr[j] < 0 || colptr[j + 1] < colptr[j] || Offset{colptr[j + 1]} > nnz) return true;
    if (map.identity && Offset{colptr[j]} != lower_ptr[j]) return true;
    for (Ptr p = colptr[j]; p < colptr[j + 1]; ++p) {
      if (rowind[p] < 0 || rowind[p] >= n) return true;
      const Index i = static_cast<Index>(rowind[p]);
      if (map.identity ? map.lower.rowind[p] != i : !has_place(i, j, p)) return true;
    }
    return false;
  };
  return first_bad_column(n, nnz > kParallelEntries ? threads : 1, differs) == n;
}

namespace {

/// Returns "(i, j)" for the entry of the lower triangle at `position`, or "(j, i)" for its mirror
/// image.
std::string entry_name(const InputMap& map, Offset position, bool mirror = false) {
  const auto& colptr = map.lower.colptr;
  const Index j = static_cast<Index>(std::upper_bound(colptr.begin(), colptr.end(), position) -
                                     colptr.begin()) -
                  1;
  const Index i = map.lower.rowind[position];
  return "(" + std::to_string(mirror ? j : i) + ", " + std::to_string(mirror ? i : j) + ")";
}

/// Whether all values are finite.  A number is not finite when all bits of its exponent are set.
/// The test uses integers, because compilers vectorize it.
template <class T>
bool all_finite(std::span<const T> values, int threads) {
  using Bits = std::conditional_t<kIsDouble<T>, std::uint64_t, std::uint32_t>;
  const Bits exponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  const auto count = static_cast<Offset>(values.size());
  const auto any_bad = [&](Offset begin, Offset end) {
    Bits bad = 0;
    for (Offset p = begin; p < end; ++p) {
      bad |= (std::bit_cast<Bits>(values[p]) & exponent) == exponent ? Bits{1} : Bits{0};
    }
    return bad;
  };
  const Bits bad = parallel_reduce(count, count > kParallelEntries ? threads : 1, Bits{0}, any_bad,
                                   [](Bits a, Bits b) { return a | b; });
  return bad == 0;
}

template <class T>
void check_finite(const InputMap& map, std::span<const T> values, bool mirror, int threads) {
  if (all_finite(values, threads)) return;
  for (Offset p = 0; p < static_cast<Offset>(values.size()); ++p) {
    if (std::isfinite(values[p])) continue;
    throw InvalidArgument("matrix: entry " + entry_name(map, p, mirror) + " is " +
                          shortest_text(values[p]) + ", must be finite");
  }
}

/// An entry below the diagonal and its mirror image.
struct Pair {
  Offset position = kNone;  // Position of the entry in the lower triangle; kNone: no such pair.
  double asymmetry = 0;
  double difference = 0;

  bool is_worse_than(const Pair& other) const {
    if (asymmetry != other.asymmetry) return asymmetry > other.asymmetry;
    return difference > other.difference;
  }
};

/// Returns the pair with the largest asymmetry; the first one when several pairs are equally bad.
template <class T>
Pair worst_pair(const InputMap& map, const std::vector<T>& lower, const std::vector<T>& upper,
                int threads) {
  const std::vector<Offset>& colptr = map.lower.colptr;
  const auto& rowind = map.lower.rowind;
  const auto diagonal_entry = [&](Index j) {
    const Offset p = colptr[j];
    return p < colptr[j + 1] && rowind[p] == j ? lower[p] : T{0};
  };
  const auto worst_of_block = [&](Offset begin, Offset end) {
    Pair worst;
    for (auto j = static_cast<Index>(begin); j < static_cast<Index>(end); ++j) {
      for (Offset p = colptr[j]; p < colptr[j + 1]; ++p) {
        const Index i = rowind[p];
        if (i == j || lower[p] == upper[p]) continue;
        const Pair pair = {p, asymmetry(lower[p], upper[p], diagonal_entry(i), diagonal_entry(j)),
                           std::abs(static_cast<double>(lower[p]) - upper[p])};
        if (pair.is_worse_than(worst)) worst = pair;
      }
    }
    return worst;
  };
  const int team = map.lower.view().nnz() > kParallelEntries ? threads : 1;
  return parallel_reduce(map.lower.n, team, Pair{}, worst_of_block,
                         [](const Pair& a, const Pair& b) { return b.is_worse_than(a) ? b : a; });
}

/// Throws InvalidArgument when the matrix is not symmetric.  @return the largest asymmetry.
template <class T>
double check_symmetry(const InputMap& map, const std::vector<T>& lower, const std::vector<T>& upper,
                      int threads) {
  const Pair worst = worst_pair(map, lower, upper, threads);
  if (worst.asymmetry <= kMostAsymmetry<T>) return worst.asymmetry;
  throw InvalidArgument("matrix: not symmetric: entry " + entry_name(map, worst.position) + " is " +
                        shortest_text(lower[worst.position]) + ", its mirror image " +
                        shortest_text(upper[worst.position]));
}

}  // namespace

template <class T>
void check_values(const InputMap& map, std::span<const T> values, int threads) {
  const Offset count = map.num_input_entries();
  if (static_cast<Offset>(values.size()) < count) {
    throw InvalidArgument("matrix: values has " + std::to_string(values.size()) +
                          " entries, the pattern has " + std::to_string(count));
  }
  if (map.identity)
    check_finite<T>(map, values.first(static_cast<std::size_t>(count)), false, threads);
}

template <class T>
std::optional<double> map_values(const InputMap& map, std::span<const T> values, int threads,
                                 std::vector<T>& lower_values) {
  check_values(map, values, threads);
  const Offset count = map.num_input_entries(), nnz = map.lower.view().nnz();
  lower_values.assign(nnz, T{0});
  std::vector<T> mirrored(map.triangle == Triangle::kBoth ? nnz : 0, T{0});
  const int team = map.has_unique_targets && count > kParallelEntries ? threads : 1;
  parallel_for(count, team, [&](Offset k) {
    const Offset t = map.target[k];
    if (t >= 0) {
      lower_values[t] += values[k];
    } else if (t <= InputMap::kMirror) {
      mirrored[InputMap::kMirror - t] += values[k];
    }
  });
  check_finite<T>(map, lower_values, false, threads);
  if (map.triangle != Triangle::kBoth) return std::nullopt;
  check_finite<T>(map, mirrored, true, threads);
  return check_symmetry(map, lower_values, mirrored, threads);
}

#define CLCHOL_INSTANTIATE(Ptr, Ind)                                                            \
  template InputMap make_input_map(Index, std::span<const Ptr>, std::span<const Ind>, Triangle, \
                                   int);                                                        \
  template bool is_same_pattern(const InputMap&, Index, std::span<const Ptr>,                   \
                                std::span<const Ind>, Triangle, int);
CLCHOL_INSTANTIATE(std::int32_t, std::int32_t)
CLCHOL_INSTANTIATE(std::int64_t, std::int64_t)
CLCHOL_INSTANTIATE(std::int64_t, std::int32_t)
#undef CLCHOL_INSTANTIATE
template void check_values(const InputMap&, std::span<const float>, int);
template void check_values(const InputMap&, std::span<const double>, int);
template std::optional<double> map_values(const InputMap&, std::span<const float>, int,
                                          std::vector<float>&);
template std::optional<double> map_values(const InputMap&, std::span<const double>, int,
                                          std::vector<double>&);

}  // namespace clchol::solver
