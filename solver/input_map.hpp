// Converts a caller's sparse matrix to the library's form: the lower triangle by columns, rows
// ascending, no duplicates (base/csc.hpp).
//
// A map from the caller's entries to the library's entries is made once per pattern, and is used
// again for new values.  A matrix that already has the library's form needs no such list.
#pragma once

#include <string>
#include <vector>

#include "base/bytes_of.hpp"
#include "base/csc.hpp"
#include "clchol/clchol.hpp"

namespace clchol::solver {

struct InputMap {
  CscPattern lower;                      // Pattern of A in the library's form.
  Triangle triangle = Triangle::kLower;  // Triangle of the input that is read.
  bool identity = false;  // Whether the input has the library's form already; target is then empty.
  // Destination of entry k of the input.  t >= 0: the entry is added to value t of the lower
  // triangle.  kIgnored: the entry is not read.  kMirror - t: an entry above the diagonal of a
  // whole matrix, which is compared with value t.  Length nnz of the input, or 0.
  std::vector<Offset> target;

  static constexpr Offset kIgnored = -1;
  static constexpr Offset kMirror = -2;

  Offset num_input_entries() const {
    return identity ? lower.view().nnz() : static_cast<Offset>(target.size());
  }
  /// Bytes of the arrays.
  Offset bytes() const { return bytes_of_all(lower.colptr, lower.rowind, target); }
};

/// Checks a pattern and makes its map.
/// Throws InvalidArgument for n < 1, sizes that do not fit, a descending colptr, and a row out of
/// range.
/// Cost O(n + nnz), divided among the threads when the matrix has the library's form; and a sort of
/// each column whose rows are not ascending.
template <class Ptr, class Ind>
InputMap make_input_map(Index n, std::span<const Ptr> colptr, std::span<const Ind> rowind,
                        Triangle triangle, int threads = 1);

/// Whether a pattern equals the pattern that was mapped, entry by entry.  Cost O(n + nnz).
template <class Ptr, class Ind>
bool is_same_pattern(const InputMap& map, Index n, std::span<const Ptr> colptr,
                     std::span<const Ind> rowind, Triangle triangle);

/// Converts values to the library's form.  Sums duplicates, checks that all values are finite, and
/// checks that a whole matrix is symmetric (solver/asymmetry.hpp).  Of a whole matrix, the values
/// of the lower triangle are taken.  Throws InvalidArgument, which names the first entry that is
/// not finite or the worst pair, with zero-based indices.
/// @param lower_values  receives the values of the lower triangle.  Length nnz of map.lower.
/// @return the largest asymmetry of a pair of a whole matrix; empty when one triangle is read.
template <class T>
std::optional<double> map_values(const InputMap& map, std::span<const T> values, int threads,
                                 std::vector<T>& lower_values);

}  // namespace clchol::solver
