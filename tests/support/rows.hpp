// Right-hand sides by rows (base/rows_view.hpp) with storage of their own.
#pragma once

#include <vector>

#include "base/rows_view.hpp"

namespace clchol::test {

template <class T>
class Rows {
 public:
  Rows(Index nrow, Index nrhs)
      : nrow_(nrow),
        nrhs_(nrhs),
        values_(static_cast<std::size_t>(nrow * row_length(nrhs) + kReadable)) {}

  RowsView<T> view() { return {values_.data(), nrow_, nrhs_, row_length(nrhs_)}; }
  T& operator()(Index i, Index r) { return view().row(i)[r]; }
  T operator()(Index i, Index r) const {
    return values_[static_cast<std::size_t>(i * row_length(nrhs_) + r)];
  }
  bool operator==(const Rows& other) const = default;

 private:
  static constexpr Offset kReadable = 16;  // Values beyond the end: kernels load whole vectors.
  Index nrow_, nrhs_;
  std::vector<T> values_;
};

}  // namespace clchol::test
