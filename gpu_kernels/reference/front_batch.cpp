#include "gpu_kernels/reference/front_batch.hpp"

#include <cmath>

#include "base/update_layout.hpp"

namespace clchol::gpu::reference {
namespace {

// Access to entry (i, j), i >= j, of a front, in its panel or in its update matrix.
struct Entries {
  const BatchFront& front;
  double* panels;
  double* updates;

  // Number of the front's columns that are computed: without the update's where it is panel_only.
  Index num_columns() const { return front.panel_only != 0 ? front.ncol : front.nrow; }
  double& operator()(Index i, Index j) const {
    if (j < front.ncol) return panels[front.panel + i + j * front.ldp];
    return updates[front.update + (i - front.ncol) +
                   update_column_offset(front.nrow - front.ncol, j - front.ncol)];
  }
};

void add_child(const Entries& F, const BatchChild& child, std::span<const Index> relind) {
  const auto to = relind.subspan(static_cast<std::size_t>(child.relind));
  for (Index j = 0; j < child.nupd; ++j) {
    if (to[static_cast<std::size_t>(j)] >= F.num_columns()) break;
    for (Index i = j; i < child.nupd; ++i) {
      F(to[static_cast<std::size_t>(i)], to[static_cast<std::size_t>(j)]) +=
          F.updates[child.update + update_column_offset(child.nupd, j) + i];
    }
  }
}

// Eliminates column k.  When its pivot fails, or an earlier pivot has failed, the column becomes
// that of the identity.
void eliminate(const Entries& F, Index k, BatchStatus& status) {
  const Index n = F.front.nrow;
  const double pivot = F(k, k);
  if (!std::isnormal(pivot) || pivot < 0) {
    if (status.column < 0) status = {k, 0, pivot};
  }
  if (status.column >= 0) {
    for (Index i = k; i < n; ++i) F(i, k) = i == k ? 1 : 0;
    return;
  }
  const double root = std::sqrt(pivot);
  for (Index i = k; i < n; ++i) F(i, k) = i == k ? root : F(i, k) / root;
  for (Index j = k + 1; j < F.num_columns(); ++j) {
    for (Index i = j; i < n; ++i) F(i, j) -= F(i, k) * F(j, k);
  }
}

}  // namespace

void front_batch(std::span<const BatchFront> fronts, std::span<const BatchChild> children,
                 std::span<const Index> relind, std::span<double> panels, std::span<double> updates,
                 std::span<BatchStatus> status) {
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const Entries F{fronts[f], panels.data(), updates.data()};
    for (Index j = fronts[f].ncol; j < F.num_columns(); ++j) {
      for (Index i = j; i < fronts[f].nrow; ++i) F(i, j) = 0;
    }
    for (const BatchChild& child : children) {
      if (static_cast<std::size_t>(child.front) == f) add_child(F, child, relind);
    }
    for (Index k = 0; k < fronts[f].ncol; ++k) eliminate(F, k, status[f]);
  }
}

}  // namespace clchol::gpu::reference
