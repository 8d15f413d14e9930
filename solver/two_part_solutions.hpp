// Solutions of A x = b in two parts, x + tail, which refinement makes accurate to more digits than
// x alone can have: where rows of |A| |x| + |b| differ by many orders of magnitude, the last digits
// of large entries of x decide the errors of small rows.  The tail is dropped at the end.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "numeric/residual.hpp"

namespace clchol::solver {

/// Solutions for several right-hand sides.  Column k is the k-th of the constructor's columns.
/// T: type of the entries of A, b and x.
template <class T>
class TwoPartSolutions {
 public:
  /// One right-hand side.  Arrays of length n.
  struct Column {
    const T* b;
    T* x;
    double* residual;  // Receives b - A (x + tail), or b - A x.
  };

  /// Begins with the x of the columns, and tails of zeros.
  /// @param a  The matrix, which must outlive this object.
  TwoPartSolutions(const numeric::SymmetricView<T>& a, std::vector<Column> columns, int threads)
      : a_(a),
        columns_(std::move(columns)),
        threads_(threads),
        tails_(columns_.size(), std::vector<double>(static_cast<std::size_t>(a.lower.n), 0.0)),
        corrections_(tails_) {}

  /// Returns the array to which the caller writes the correction of column k.  Length n.
  double* correction(std::size_t k) { return corrections_[k].data(); }

  /// x + tail := x + tail + sign * correction, for column k, with |tail| at most half an eps of
  /// |x|.
  void add_correction(std::size_t k, double sign) {
    T* const x = columns_[k].x;
    std::vector<double>& tail = tails_[k];
    for (std::size_t i = 0; i < tail.size(); ++i) {
      const double added = tail[i] + sign * corrections_[k][i];
      const auto old = static_cast<double>(x[i]);
      const double sum = old + added;  // TwoSum [ORO05, Alg. 3.1]
      const double z = sum - old;
      const double low = (old - (sum - z)) + (added - z);
      x[i] = static_cast<T>(sum);
      tail[i] = low + (sum - static_cast<double>(x[i]));
    }
  }

  /// Computes the residuals of some columns in twice the precision.
  /// @param has_tails  Whether the solution is x + tail; otherwise it is x.
  /// @return the backward errors of these columns.
  std::vector<numeric::BackwardError> errors(std::span<const std::size_t> columns,
                                             bool has_tails) const {
    std::vector<numeric::CompensatedColumn<T>> of_columns;
    of_columns.reserve(columns.size());
    for (const std::size_t k : columns) {
      const auto& [b, x, residual] = columns_[k];
      of_columns.push_back({b, x, has_tails ? tails_[k].data() : nullptr, residual});
    }
    std::vector<numeric::BackwardError> errors(columns.size());
    numeric::compensated_residuals<T>(a_, of_columns, threads_, errors.data());
    return errors;
  }

 private:
  const numeric::SymmetricView<T>& a_;
  std::vector<Column> columns_;
  int threads_;
  std::vector<std::vector<double>> tails_, corrections_;  // One vector for each column.
};

}  // namespace clchol::solver
