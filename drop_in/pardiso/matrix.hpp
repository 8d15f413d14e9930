// The matrix and the permutation of a call as clchol takes them.
//
// PARDISO's matrix is given by rows: of a symmetric one the upper triangle, whose arrays are those
// of the lower triangle by columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clchol/clchol.hpp"
#include "drop_in/pardiso/call.hpp"

namespace clchol::drop_in {

/// Returns which entries of a matrix of type mtype are read, by columns: kLower for mtype 2.  With
/// CLCHOL_PARDISO_SPD also kLower for -2, and kBoth for 1 and 11.
/// Throws Refusal for all others, with the name of the type.
Triangle triangle_of(std::int64_t mtype);

/// Checks ia and ja: columns ascend in each row, which contains the diagonal and, in a triangle,
/// begins with it.  Throws Refusal with the row: kInconsistentInput where iparm asks for the check,
/// kReordering otherwise, as PARDISO does.  Cost O(nnz(A)).
template <class I>
void check_pattern(const Call<I>& call, Triangle triangle);

/// Returns perm as Options take it: zero-based, permutation[new] = old.
/// Throws Refusal where it is no permutation.
template <class I>
std::vector<Index> given_permutation(const Call<I>& call);

/// Writes permutation[new] = old to perm, in the base of the call's indices.
template <class I>
void return_permutation(const Call<I>& call, const std::vector<Index>& permutation);

/// Calls `use(view)` with the checked matrix, and returns what `use` returns.
/// Cost: indices from 1 are copied.
template <class T, class I, class Use>
auto with_view(const Call<I>& call, Triangle triangle, Use use) {
  check_pattern(call, triangle);
  const auto rows = static_cast<std::size_t>(call.n) + 1;
  const I base = call.ia[0];
  const auto count = static_cast<std::size_t>(call.ia[call.n] - base);
  SparseView<T, I, I> view;
  view.n = static_cast<Index>(call.n);
  view.triangle = triangle;
  if (call.a != nullptr) view.values = {static_cast<const T*>(call.a), count};
  if (base == 0) {
    view.colptr = {call.ia, rows};
    view.rowind = {call.ja, count};
    return use(view);
  }
  const auto from_zero = [base](const I* first, std::size_t length) {
    std::vector<I> shifted(length);
    std::transform(first, first + length, shifted.begin(),
                   [base](I index) { return index - base; });
    return shifted;
  };
  const std::vector<I> colptr = from_zero(call.ia, rows);
  const std::vector<I> rowind = from_zero(call.ja, count);
  view.colptr = colptr;
  view.rowind = rowind;
  return use(view);
}

}  // namespace clchol::drop_in
