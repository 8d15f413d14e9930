#include "numeric/relax_rows.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric/residual_rows.hpp"

namespace clchol::numeric {
namespace {

template <class T>
class Relaxation {
 public:
  Relaxation(const SymmetricView<T>& a, const T* b, T* x, double* r, double* magnitude,
             double bound)
      : a_(a), b_(b), x_(x), r_(r), magnitude_(magnitude), bound_(bound) {}

  bool run() {
    if (!find_large()) return false;
    const std::size_t most = large_.size() + 2;
    while (!large_.empty() && large_.size() <= most && entries_read_ <= most_entries()) {
      for (Index i : large_) relax(i);
      measure_met_rows();
    }
    if (large_.empty()) return true;
    take_back();
    return false;
  }

 private:
  struct Change {
    Index row;
    T before;
  };

  Offset most_entries() const { return a_.lower.nnz() / 16; }
  bool is_large(Index i) const { return std::abs(r_[i]) > bound_ * magnitude_[i]; }

  /// Lists the rows above the bound.
  /// @return whether relaxing all of them once reads at most most_entries() entries of A.
  bool find_large() {
    Offset entries = 0;
    for (Index i = 0; i < a_.lower.n; ++i) {
      if (!is_large(i)) continue;
      large_.push_back(i);
      entries += row_length(i);
      if (entries > most_entries()) return false;
      for_each_in_row(a_, i, [&](Index j, T) { entries += row_length(j); });
      if (entries > most_entries()) return false;
    }
    return true;
  }

  /// Solves equation i for x_i, and lists in met_ the rows in which x_i occurs.
  void relax(Index i) {
    measure(i);  // Rows relaxed before may have changed r_i.
    if (!is_large(i)) return;
    double diagonal = 0;
    for_each_in_row(a_, i, [&](Index j, T value) {
      if (j == i) diagonal = static_cast<double>(value);
      met_.push_back(j);
    });
    entries_read_ += row_length(i);
    changes_.push_back({i, x_[i]});
    x_[i] = static_cast<T>(static_cast<double>(x_[i]) + r_[i] / diagonal);
  }

  /// Computes residual and magnitude of the rows in met_ again, and lists those above the bound.
  void measure_met_rows() {
    large_.clear();
    std::ranges::sort(met_);
    met_.erase(std::unique(met_.begin(), met_.end()), met_.end());
    for (Index i : met_) {
      measure(i);
      if (is_large(i)) large_.push_back(i);
    }
    met_.clear();
  }

  void measure(Index i) {
    const auto b = static_cast<double>(b_[i]);
    const bool is_long = std::ranges::binary_search(a_.transposed->long_rows.row, i);
    const RowResidual row =
        is_long ? residual_of_long_row(a_, i, b, x_) : residual_of_row(a_, i, b, x_);
    r_[i] = row.residual;
    magnitude_[i] = row.magnitude;
    entries_read_ += row_length(i);
  }

  void take_back() {
    for (std::size_t k = changes_.size(); k-- > 0;) x_[changes_[k].row] = changes_[k].before;
    for (const Change& change : changes_) {
      for_each_in_row(a_, change.row, [this](Index j, T) { met_.push_back(j); });
    }
    measure_met_rows();
  }

  Offset row_length(Index i) const {
    const TransposedIndex& t = *a_.transposed;
    return t.rowptr[i + 1] - t.rowptr[i] + a_.lower.colptr[i + 1] - a_.lower.colptr[i];
  }

  const SymmetricView<T>& a_;
  const T* b_;
  T* x_;
  double *r_, *magnitude_;
  double bound_;
  Offset entries_read_ = 0;
  std::vector<Index> large_;     // Rows above the bound.
  std::vector<Index> met_;       // Rows in which a changed entry of x occurs.
  std::vector<Change> changes_;  // Entries of x before each change, the first change first.
};

}  // namespace

template <class T>
bool relax_rows(const SymmetricView<T>& a, const T* b, T* x, double* r, double* magnitude,
                double bound) {
  return Relaxation<T>(a, b, x, r, magnitude, bound).run();
}

template bool relax_rows(const SymmetricView<float>&, const float*, float*, double*, double*,
                         double);
template bool relax_rows(const SymmetricView<double>&, const double*, double*, double*, double*,
                         double);

}  // namespace clchol::numeric
