#include "numeric/cpu/factor_workspace.hpp"

#include "numeric/dense/kernels.hpp"

namespace clchol::numeric {

using symbolic::SymbolicFactor;

template <class T>
Offset dense_workspace_entries(const SymbolicFactor& symbolic) {
  return dense::factor_workspace_size<T>(symbolic.info.largest_nrow);
}

template <class T>
Offset FactorWorkspace<T>::entries(const SymbolicFactor& symbolic, const CpuPlan& plan,
                                   int threads) {
  return plan.update_entries(threads) + 4 * dense::kReadSlack +
         threads * dense_workspace_entries<T>(symbolic);
}

template <class T>
void FactorWorkspace<T>::reserve(const SymbolicFactor& symbolic, const CpuPlan& plan, int threads) {
  const ArenaSizes& sizes = plan.updates.sizes.front();
  for (int q = 0; q < 2; ++q) {
    private_size_[q] = sizes.private_size[q];
    private_[q].reserve_discard(private_size_[q] * threads + dense::kReadSlack);
    shared_[q].reserve_discard(sizes.shared_size[q] + dense::kReadSlack);
  }
  dense_.reserve_discard(dense_workspace_entries<T>(symbolic) * threads);
}

template <class T>
GroupArenas<T> FactorWorkspace<T>::arenas() const {
  return {{shared_[0].data(), shared_[1].data()},
          {private_[0].data(), private_[1].data()},
          {private_size_[0], private_size_[1]}};
}

template class FactorWorkspace<float>;
template class FactorWorkspace<double>;
template Offset dense_workspace_entries<float>(const SymbolicFactor&);
template Offset dense_workspace_entries<double>(const SymbolicFactor&);

}  // namespace clchol::numeric
