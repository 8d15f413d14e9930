#include "drop_in/pardiso/matrix.hpp"

#include <string>

#include "drop_in/environment.hpp"

namespace clchol::drop_in {
namespace {

constexpr const char* kTakeAsPositiveDefinite = "CLCHOL_PARDISO_SPD";

/// Returns what PARDISO calls a type of matrix; null: there is no such type.
const char* name_of(std::int64_t mtype) {
  switch (mtype) {
    case 1:
      return "real, symmetric pattern";
    case 2:
      return "real, symmetric positive definite";
    case -2:
      return "real, symmetric indefinite";
    case 3:
      return "complex, symmetric pattern";
    case 4:
      return "complex, Hermitian positive definite";
    case -4:
      return "complex, Hermitian indefinite";
    case 6:
      return "complex, symmetric";
    case 11:
      return "real, unsymmetric";
    case 13:
      return "complex, unsymmetric";
    default:
      return nullptr;
  }
}

template <class I>
I base_of(const Call<I>& call) {
  return call.iparm.is_on(Iparm::kZeroBased) ? I{0} : I{1};
}

/// Returns what is wrong in a row; null: nothing.
/// @param first, last  its columns, at least one.
/// @param base         first column of the matrix.
/// @param end          one past the last column of the matrix.
template <class I>
const char* fault_of_row(const I* first, const I* last, I diagonal, Triangle triangle, I base,
                         I end) {
  if (std::adjacent_find(first, last, [](I left, I right) { return left >= right; }) != last) {
    return "its columns do not ascend";
  }
  if (*first < base || last[-1] >= end) return "it has a column that is not in the matrix";
  if (triangle == Triangle::kLower) {
    if (*first < diagonal) return "it has an entry below the diagonal";
    return *first == diagonal ? nullptr : "its diagonal entry is missing";
  }
  return std::binary_search(first, last, diagonal) ? nullptr : "its diagonal entry is missing";
}

}  // namespace

Triangle triangle_of(std::int64_t mtype) {
  if (mtype == 2) return Triangle::kLower;
  const char* const name = name_of(mtype);
  const std::string number = "mtype is " + std::to_string(mtype);
  if (name == nullptr) {
    throw Refusal(Error::kInconsistentInput, number + ", which is no type of matrix");
  }
  const bool is_real = mtype == -2 || mtype == 1 || mtype == 11;
  if (is_real && is_on(kTakeAsPositiveDefinite)) {
    return mtype == -2 ? Triangle::kLower : Triangle::kBoth;
  }
  std::string line = number + " (" + name + "): only 2, " + name_of(2) + ", can be solved";
  if (is_real)
    line += std::string(" (") + kTakeAsPositiveDefinite + "=1 takes this matrix as such)";
  throw Refusal(Error::kInconsistentInput, line);
}

template <class I>
void check_pattern(const Call<I>& call, Triangle triangle) {
  const Error error =
      call.iparm.is_on(Iparm::kCheckMatrix) ? Error::kInconsistentInput : Error::kReordering;
  if (call.ia == nullptr || call.ja == nullptr) {
    throw Refusal(Error::kInconsistentInput, "ia or ja is NULL");
  }
  const I base = base_of(call);
  if (call.ia[0] != base) {
    throw Refusal(error, "ia begins with " + std::to_string(call.ia[0]) + ", must be " +
                             std::to_string(base) + " (iparm(35))");
  }
  for (I i = 0; i < call.n; ++i) {
    const I length = call.ia[i + 1] < call.ia[i] ? 0 : call.ia[i + 1] - call.ia[i];
    const char* fault = "ia gives it no entries, or more than n";
    if (length > 0 && length <= call.n) {
      const I* const first = call.ja + (call.ia[i] - base);
      fault = fault_of_row(first, first + length, i + base, triangle, base, call.n + base);
    }
    if (fault == nullptr) continue;
    throw Refusal(error, "row " + std::to_string(i + base) + ": " + fault);
  }
}

template <class I>
std::vector<Index> given_permutation(const Call<I>& call) {
  if (call.perm == nullptr) throw Refusal(Error::kInconsistentInput, "perm is NULL");
  const auto n = static_cast<std::size_t>(call.n);
  const I base = base_of(call);
  std::vector<Index> permutation(n);
  std::vector<bool> is_taken(n);
  for (std::size_t k = 0; k < n; ++k) {
    const I old = call.perm[k];
    const bool is_row = old >= base && old < call.n + base;
    if (!is_row || is_taken[static_cast<std::size_t>(old - base)]) {
      throw Refusal(Error::kReordering, "perm is no permutation: " + std::to_string(old) + " is " +
                                            (is_row ? "there twice" : "no row"));
    }
    is_taken[static_cast<std::size_t>(old - base)] = true;
    permutation[k] = static_cast<Index>(old - base);
  }
  return permutation;
}

template <class I>
void return_permutation(const Call<I>& call, const std::vector<Index>& permutation) {
  const I base = base_of(call);
  std::transform(permutation.begin(), permutation.end(), call.perm,
                 [base](Index old) { return static_cast<I>(old + base); });
}

template void check_pattern(const Call<std::int32_t>&, Triangle);
template void check_pattern(const Call<std::int64_t>&, Triangle);
template std::vector<Index> given_permutation(const Call<std::int32_t>&);
template std::vector<Index> given_permutation(const Call<std::int64_t>&);
template void return_permutation(const Call<std::int32_t>&, const std::vector<Index>&);
template void return_permutation(const Call<std::int64_t>&, const std::vector<Index>&);

}  // namespace clchol::drop_in
