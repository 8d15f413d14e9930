// Converts a caller's sparse matrix, the input, to the library's form: the lower triangle by
// columns, with strictly ascending rows in each column and no duplicates (base/csc.hpp).
//
// make_input_map() makes, once for each pattern, a list that says where each entry of the input
// goes.  map_values() uses this list for each new set of values.  An input that has the library's
// form already needs no list.
#pragma once

#include <string>
#include <vector>

#include "base/bytes_of.hpp"
#include "base/checksum.hpp"
#include "base/csc.hpp"
#include "clchol/clchol.hpp"

namespace clchol::solver {

/// The pattern of A in the library's form, and the map from the entries of the input.
struct InputMap {
  CscPattern lower;                      // Pattern of A in the library's form.
  Triangle triangle = Triangle::kLower;  // Part of the input that is read; kBoth: a whole matrix.
  bool identity = false;  // Whether the input has the library's form already; target is then empty.
  // What happens to the value of entry k of the input, with t = target[k]:
  // - t >= 0: the value is added to value t of the lower triangle.
  // - t = kIgnored: the value is not read.
  // - t <= kMirror: the input is a whole matrix, and the entry is above its diagonal.  The value is
  //   compared with value number kMirror - t of the lower triangle.
  // Length: number of entries of the input; 0 if identity is true.
  std::vector<Offset> target;
  // Whether no two entries of `target` are equal: values are not added to others then.
  bool has_unique_targets = false;
  // Fingerprints of the input's colptr and rowind.
  Fingerprint colptr, rowind;

  static constexpr Offset kIgnored = -1;
  static constexpr Offset kMirror = -2;

  /// Number of entries of the input.
  Offset num_input_entries() const {
    return identity ? lower.view().nnz() : static_cast<Offset>(target.size());
  }
  /// Bytes of all arrays.
  Offset bytes() const { return bytes_of_all(lower.colptr, lower.rowind, target); }
};

/// Checks the pattern of an input and makes its map.
/// @param n, colptr, rowind  the pattern by columns: column j has the rows rowind[colptr[j]] to
///                           rowind[colptr[j + 1] - 1], in any order, duplicates allowed.
/// @param triangle           the part of the input to read.
/// Throws InvalidArgument for an n that is not in [1, 2^31 - 2], for arrays whose sizes do not fit
/// n and colptr[n], for colptr[0] != 0, for a descending colptr, and for a row not in [0, n).
/// Cost O(n + nnz), in part divided among the threads if rows ascend in each column; otherwise plus
/// the cost to sort each column.
template <class Ptr, class Ind>
InputMap make_input_map(Index n, std::span<const Ptr> colptr, std::span<const Ind> rowind,
                        Triangle triangle, int threads = 1);

/// Whether an input has, entry by entry, the pattern of the input from which `map` was made, and
/// the same `triangle`.  Cost O(n + nnz), divided among the threads; where the arrays are the same
/// byte for byte, about that of reading them.
template <class Ptr, class Ind>
bool is_same_pattern(const InputMap& map, Index n, std::span<const Ptr> colptr,
                     std::span<const Ind> rowind, Triangle triangle, int threads = 1);

/// Checks the number of an input's values and, if the input has the library's form
/// (InputMap::identity), that all values are finite.  Other inputs are checked by map_values().
/// @param values  values of the input's entries, in the order of the input.
/// Throws InvalidArgument, which names the first entry that is not finite; indices count from 0.
template <class T>
void check_values(const InputMap& map, std::span<const T> values, int threads);

/// Converts the values of an input to the library's form: sums duplicates, and takes the values of
/// the lower triangle of a whole matrix.  Checks that all values are finite, and that a whole
/// matrix is symmetric by the rule of solver/asymmetry.hpp.  Precondition: map.identity is false;
/// values in the library's form need no conversion (check_values()).
/// @param values        values of the input's entries, in the order of the input.
/// @param lower_values  receives the values of the lower triangle.  Length nnz of map.lower.
/// @return the largest asymmetry of a pair of a whole matrix.  Empty when one triangle is read.
/// Throws InvalidArgument, which names the first entry that is not finite, or the pair with the
/// largest asymmetry; indices count from 0.
template <class T>
std::optional<double> map_values(const InputMap& map, std::span<const T> values, int threads,
                                 std::vector<T>& lower_values);

}  // namespace clchol::solver
