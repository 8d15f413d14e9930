// Implements numeric/part_solve.hpp with the solves of numeric/cpu/triangular_solve.hpp.
#include "numeric/part_solve.hpp"

#include <algorithm>
#include <utility>

#include "base/aligned_buffer.hpp"
#include "base/team.hpp"
#include "numeric/cpu/triangular_solve.hpp"

namespace clchol::numeric {
namespace {

static_assert(dense::kReadSlack <= kPanelSlack);

template <class T>
class PartSolveByTree : public PartSolve<T> {
 public:
  PartSolveByTree(const symbolic::SymbolicFactor& factor, std::span<const char> is_part,
                  PanelTable table, int threads)
      : symbolic_(factor),
        control_{.threads = threads},
        plan_(make_cpu_solve_plan(factor, is_part, {.cost = {}, .threads = threads})),
        factor_(factor, plan_, std::move(table), std::vector<T*>{}) {
    for (Index s = 0; s < factor.nsuper; ++s) {
      if (is_part[s] != 0) supers_.push_back(s);
    }
  }

  Offset bytes(Index nrhs) const override {
    const Offset values = symbolic_.n * (row_length(nrhs) + 1) + dense::kReadSlack +
                          SolveWorkspace<T>::entries(symbolic_, plan_, control_.threads, nrhs);
    return plan_.bytes() + bytes_of_all(supers_) +
           Offset{symbolic_.nsuper} * Offset{sizeof(PanelPlace)} + values * Offset{sizeof(T)};
  }

  RowsView<T> reserve(Index nrhs) override {
    const Offset ld = row_length(nrhs);
    x_.reserve_discard(symbolic_.n * ld + dense::kReadSlack);
    std::fill_n(x_.data(), symbolic_.n * ld, T{0});
    workspace_.reserve(symbolic_, plan_, control_.threads, nrhs);
    view_ = {x_.data(), symbolic_.n, nrhs, ld};
    return view_;
  }

  void set_panels(std::vector<T*> slabs) override {
    factor_.set_slabs(std::move(slabs));
    parallel_for(static_cast<Index>(supers_.size()), control_.threads, [&](Index k) {
      const Index s = supers_[k];
      const PanelView<const T> panel = std::as_const(factor_).panel(s);
      T* const inverse = factor_.inv_diag(s);
      for (Index j = 0; j < symbolic_.ncol(s); ++j) {
        inverse[j] = T{1} / panel.data[j * (panel.ld + 1)];
      }
    });
  }

  void forward() override { forward_solve(factor_, view_, workspace_, control_); }
  void backward() override { backward_solve(factor_, view_, workspace_, control_); }

 private:
  const symbolic::SymbolicFactor& symbolic_;
  Control control_;
  CpuPlan plan_;
  NumericFactor<T> factor_;
  std::vector<Index> supers_;  // The part's supernodes, ascending.
  SolveWorkspace<T> workspace_;
  AlignedBuffer<T> x_;
  RowsView<T> view_;
};

}  // namespace

template <class T>
std::unique_ptr<PartSolve<T>> make_part_solve(const symbolic::SymbolicFactor& factor,
                                              std::span<const char> is_part, PanelTable table,
                                              int threads) {
  return std::make_unique<PartSolveByTree<T>>(factor, is_part, std::move(table), threads);
}

template std::unique_ptr<PartSolve<double>> make_part_solve(const symbolic::SymbolicFactor&,
                                                            std::span<const char>, PanelTable, int);
template std::unique_ptr<PartSolve<float>> make_part_solve(const symbolic::SymbolicFactor&,
                                                           std::span<const char>, PanelTable, int);

}  // namespace clchol::numeric
