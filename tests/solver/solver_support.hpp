// Shared by the tests of SparseCholesky: views, random vectors, and references that are computed
// independently.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "clchol/clchol.hpp"
#include "tests/support/builders.hpp"

namespace clchol {

/// Prints a Status by its name in the messages of failed tests.
inline void PrintTo(Status status, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << to_string(status);
}

}  // namespace clchol

namespace clchol::test {

/// A matrix with its own arrays, in one of the forms that SparseCholesky accepts.
template <class T, class Ptr = std::int32_t, class Ind = std::int32_t>
struct Input {
  Index n = 0;
  std::vector<Ptr> colptr;
  std::vector<Ind> rowind;
  std::vector<T> values;
  Triangle triangle = Triangle::kLower;

  SparseView<T, Ptr, Ind> view() const { return {n, colptr, rowind, values, triangle}; }
};

/// The lower triangle of `a`, with ascending rows in every column.
template <class T, class Ptr = std::int32_t, class Ind = std::int32_t>
Input<T, Ptr, Ind> lower_input(const LowerMatrix& a) {
  return {a.pattern.n,
          {a.pattern.colptr.begin(), a.pattern.colptr.end()},
          {a.pattern.rowind.begin(), a.pattern.rowind.end()},
          {a.values.begin(), a.values.end()},
          Triangle::kLower};
}

/// A matrix whose columns have the triplets in the given order; nothing is sorted or summed.
template <class T, class Ptr = std::int32_t, class Ind = std::int32_t>
Input<T, Ptr, Ind> input_of(Index n, const std::vector<Triplet>& triplets, Triangle triangle) {
  Input<T, Ptr, Ind> a;
  a.n = n;
  a.triangle = triangle;
  a.colptr.push_back(0);
  for (Index j = 0; j < n; ++j) {
    for (const Triplet& t : triplets) {
      if (t.col != j) continue;
      a.rowind.push_back(static_cast<Ind>(t.row));
      a.values.push_back(static_cast<T>(t.value));
    }
    a.colptr.push_back(static_cast<Ptr>(a.rowind.size()));
  }
  return a;
}

/// The stored entries of `a`, column by column.
std::vector<Triplet> triplets_of(const LowerMatrix& a);

/// A view of the arrays of `a`.
SparseView<double, Offset, Index> view_of(const LowerMatrix& a);

/// `a` as a dense matrix with both triangles.
Eigen::MatrixXd dense_of(const LowerMatrix& a);

/// The lower triangle of a dense symmetric matrix, every entry stored.
LowerMatrix lower_of(const Eigen::MatrixXd& a);

/// Q D Q' with a random orthogonal Q and D from 1 to 1 / condition, in equal ratios.
Eigen::MatrixXd spd_of_condition(Index n, double condition, std::uint64_t seed);

/// Laplacian of the graph of `a`, plus `shift` on the diagonal.  It annuls constants if shift is 0.
LowerMatrix neumann(LowerMatrix a, double shift);

/// Random numbers, uniform in [-1, 1).
std::vector<double> random_vector(Offset size, std::uint64_t seed);

/// |b - A x| / (|A| |x| + |b|) in infinity norms, summed in long double.
template <class T>
double backward_error(const LowerMatrix& a, const std::vector<T>& b, const std::vector<T>& x);

/// Options on one thread, so that tests do not depend on the machine.
inline Options one_thread() {
  Options options;
  options.threads = 1;
  return options;
}

/// A solver with the factor of `a`; fails the test when `a` cannot be factored.
template <class T>
SparseCholesky<T> factored(const LowerMatrix& a, const Options& options = one_thread()) {
  SparseCholesky<T> solver(options);
  EXPECT_EQ(solver.factorize(lower_input<T>(a).view()), Status::kOk)
      << solver.factor_report().message;
  return solver;
}

/// The solution x of A x = b by SparseCholesky.
template <class T>
std::vector<T> solve(const SparseCholesky<T>& solver, const std::vector<T>& b) {
  std::vector<T> x(b.size());
  static_cast<void>(solver.solve(std::span<const T>(b), std::span<T>(x)));
  return x;
}

/// Whether two vectors are equal bit by bit.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b);

/// The message of the InvalidArgument that `call` throws; fails the test when it throws none.
template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

/// `text` with an underscore for every character that a name of a GoogleTest parameter cannot have.
std::string identifier(std::string text);

}  // namespace clchol::test
