// From a caller's sparse matrix to the library's form, and back to the same places for new values.
//
// The library works on the lower triangle, rows ascending, no duplicates (base/csc.hpp).  The map
// is made once per pattern; a matrix that already has this form is recognised, and its values are
// read in place.
#pragma once

#include <string>
#include <vector>

#include "base/bytes_of.hpp"
#include "base/csc.hpp"
#include "clchol/clchol.hpp"

namespace clchol::solver {

struct InputMap {
  CscPattern lower;  // The library's form.
  Triangle triangle = Triangle::kLower;
  bool identity = false;       // The input has this form already; target is empty.
  std::vector<Offset> target;  // Entry k of the input is added to value target[k]; kIgnored: not
                               // read; kMirror - t: an upper entry of a whole matrix, to be
                               // compared with value t.  Length nnz of the input, or 0.

  static constexpr Offset kIgnored = -1;
  static constexpr Offset kMirror = -2;

  Offset num_input_entries() const {
    return identity ? lower.view().nnz() : static_cast<Offset>(target.size());
  }
  /// Bytes of the arrays.
  Offset bytes() const { return bytes_of_all(lower.colptr, lower.rowind, target); }
};

/// Checks a pattern and maps it.
/// Throws InvalidArgument: n < 1, sizes that do not fit, colptr that descends, a row out of range.
/// Cost O(n + nnz), by all threads where the matrix has the library's form, and sorting where rows
/// are not ascending.
template <class Ptr, class Ind>
InputMap make_input_map(Index n, std::span<const Ptr> colptr, std::span<const Ind> rowind,
                        Triangle triangle, int threads = 1);

/// Whether a pattern is the one that was mapped, entry by entry.  Cost O(n + nnz).
template <class Ptr, class Ind>
bool is_same_pattern(const InputMap& map, Index n, std::span<const Ptr> colptr,
                     std::span<const Ind> rowind, Triangle triangle);

/// Values in the library's form: sums duplicates, checks that all are finite and that a whole
/// matrix is symmetric (solver/asymmetry.hpp; the lower triangle's values are taken). Throws
/// InvalidArgument naming the worst entry, or pair, with zero-based indices.
/// @return the largest asymmetry of a pair of a whole matrix; empty where one triangle is read.
template <class T>
std::optional<double> map_values(const InputMap& map, std::span<const T> values, int threads,
                                 std::vector<T>& lower_values);

}  // namespace clchol::solver
