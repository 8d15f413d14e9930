// What the tests of the public class share: views, random vectors, references computed
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

/// Status by name in the messages of failed tests.
inline void PrintTo(Status status, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << to_string(status);
}

}  // namespace clchol

namespace clchol::test {

/// A matrix in one of the forms that the public class accepts, with its own arrays.
template <class T, class Ptr = std::int32_t, class Ind = std::int32_t>
struct Input {
  Index n = 0;
  std::vector<Ptr> colptr;
  std::vector<Ind> rowind;
  std::vector<T> values;
  Triangle triangle = Triangle::kLower;

  SparseView<T, Ptr, Ind> view() const { return {n, colptr, rowind, values, triangle}; }
};

/// The lower triangle, columns and rows ascending.
template <class T, class Ptr = std::int32_t, class Ind = std::int32_t>
Input<T, Ptr, Ind> lower_input(const LowerMatrix& a) {
  return {a.pattern.n,
          {a.pattern.colptr.begin(), a.pattern.colptr.end()},
          {a.pattern.rowind.begin(), a.pattern.rowind.end()},
          {a.values.begin(), a.values.end()},
          Triangle::kLower};
}

/// Columns of (row, value) lists, in the order of the triplets; nothing sorted, nothing summed.
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

/// The stored entries, column by column.
std::vector<Triplet> triplets_of(const LowerMatrix& a);

/// A view of the matrix itself.
SparseView<double, Offset, Index> view_of(const LowerMatrix& a);

/// The whole matrix, both halves.
Eigen::MatrixXd dense_of(const LowerMatrix& a);

/// The lower triangle of a dense symmetric matrix, every entry stored.
LowerMatrix lower_of(const Eigen::MatrixXd& a);

/// Q D Q' with Q a random rotation and D spanning [1 / condition, 1] evenly by logarithms.
Eigen::MatrixXd spd_of_condition(Index n, double condition, std::uint64_t seed);

/// Laplacian of the graph of `a`, plus `shift` on the diagonal: annuls constants where shift is 0.
LowerMatrix neumann(LowerMatrix a, double shift);

/// Uniform in [-1, 1).
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

/// A factored matrix; fails the test when it cannot be factored.
template <class T>
SparseCholesky<T> factored(const LowerMatrix& a, const Options& options = one_thread()) {
  SparseCholesky<T> solver(options);
  EXPECT_EQ(solver.factorize(lower_input<T>(a).view()), Status::kOk)
      << solver.factor_report().message;
  return solver;
}

/// x of A x = b by the public class.
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

/// Letters, digits and underscores, as names of parameters must be.
std::string identifier(std::string text);

}  // namespace clchol::test
