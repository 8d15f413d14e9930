#include "tests/solver/solver_support.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <random>

namespace clchol::test {

std::vector<Triplet> triplets_of(const LowerMatrix& a) {
  std::vector<Triplet> t;
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Offset p = a.pattern.colptr[j]; p < a.pattern.colptr[j + 1]; ++p) {
      t.push_back({a.pattern.rowind[p], j, a.values[p]});
    }
  }
  return t;
}

SparseView<double, Offset, Index> view_of(const LowerMatrix& a) {
  return {a.pattern.n, a.pattern.colptr, a.pattern.rowind, a.values, Triangle::kLower};
}

Eigen::MatrixXd dense_of(const LowerMatrix& a) {
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(a.pattern.n, a.pattern.n);
  for (const Triplet& t : triplets_of(a)) dense(t.row, t.col) = dense(t.col, t.row) = t.value;
  return dense;
}

LowerMatrix lower_of(const Eigen::MatrixXd& a) {
  std::vector<Triplet> t;
  const Index n = static_cast<Index>(a.rows());
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) t.push_back({i, j, a(i, j)});
  }
  return from_triplets(n, std::move(t));
}

Eigen::MatrixXd spd_of_condition(Index n, double condition, std::uint64_t seed) {
  const std::vector<double> random = random_vector(Offset{n} * n, seed);
  const Eigen::MatrixXd square = Eigen::Map<const Eigen::MatrixXd>(random.data(), n, n);
  const Eigen::MatrixXd q = Eigen::HouseholderQR<Eigen::MatrixXd>(square).householderQ();
  Eigen::VectorXd d(n);
  for (Index i = 0; i < n; ++i) d[i] = std::pow(condition, -static_cast<double>(i) / (n - 1));
  const Eigen::MatrixXd a = q * d.asDiagonal() * q.transpose();
  return (a + a.transpose()) / 2;
}

LowerMatrix neumann(LowerMatrix a, double shift) {
  std::vector<double> degree(a.pattern.n, 0.0);
  for (const Triplet& t : triplets_of(a)) {
    if (t.row == t.col) continue;
    degree[t.row] += std::abs(t.value);
    degree[t.col] += std::abs(t.value);
  }
  for (Index j = 0; j < a.pattern.n; ++j) a.values[a.pattern.colptr[j]] = degree[j] + shift;
  return a;
}

std::vector<double> random_vector(Offset size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<double> v(size);
  for (double& x : v) x = value(random);
  return v;
}

template <class T>
double backward_error(const LowerMatrix& a, const std::vector<T>& b, const std::vector<T>& x) {
  const std::size_t n = b.size();
  std::vector<long double> residual(b.begin(), b.end()), row_sum(n, 0);
  long double norm_x = 0, norm_b = 0;
  for (const Triplet& t : triplets_of(a)) {
    const auto value = static_cast<long double>(static_cast<T>(t.value));
    residual[t.row] -= value * x[t.col];
    row_sum[t.row] += std::abs(value);
    if (t.row == t.col) continue;
    residual[t.col] -= value * x[t.row];
    row_sum[t.col] += std::abs(value);
  }
  for (std::size_t i = 0; i < n; ++i) {
    norm_x = std::max(norm_x, std::abs(static_cast<long double>(x[i])));
    norm_b = std::max(norm_b, std::abs(static_cast<long double>(b[i])));
  }
  long double norm_r = 0;
  for (long double r : residual) {
    if (!std::isfinite(r)) return HUGE_VAL;
    norm_r = std::max(norm_r, std::abs(r));
  }
  const long double norm_a = *std::max_element(row_sum.begin(), row_sum.end());
  return norm_r == 0 ? 0.0 : static_cast<double>(norm_r / (norm_a * norm_x + norm_b));
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

std::string identifier(std::string text) {
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return text;
}

template double backward_error(const LowerMatrix&, const std::vector<float>&,
                               const std::vector<float>&);
template double backward_error(const LowerMatrix&, const std::vector<double>&,
                               const std::vector<double>&);
template bool same_bits(const std::vector<float>&, const std::vector<float>&);
template bool same_bits(const std::vector<double>&, const std::vector<double>&);
template bool same_bits(const std::vector<Index>&, const std::vector<Index>&);

}  // namespace clchol::test
