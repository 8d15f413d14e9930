#include "symbolic/front_chains.hpp"

#include <algorithm>
#include <numeric>

#include "base/index_math.hpp"
#include "symbolic/derived.hpp"

namespace clchol::symbolic {
namespace {

class Division {
 public:
  Division(const SymbolicFactor& whole, Offset most, Index block)
      : whole_(whole), most_(most), block_(block) {}

  ChainedFactor run() {
    SymbolicFactor& f = made_.factor;
    f.n = whole_.n;
    f.permutation = whole_.permutation;
    f.colcount = whole_.colcount;
    for (Index s = 0; s < whole_.nsuper; ++s) divide(s);
    f.nsuper = static_cast<Index>(made_.super.size());
    f.super_ptr.push_back(f.n);
    link_fronts();
    copy_rows();
    build_super_of_col(f);
    build_children(f);
    count_work(f);
    return std::move(made_);
  }

 private:
  /// Lists the links of front s; an undivided front is one link.
  void divide(Index s) {
    const Index ncol = whole_.ncol(s), nrow = whole_.nrow(s);
    first_link_.push_back(static_cast<Index>(made_.super.size()));
    const bool is_whole = Offset{nrow} * ncol <= most_;
    for (Index column = 0; column < ncol;) {
      made_.super.push_back(s);
      made_.column.push_back(column);
      made_.entry_columns.push_back(column == 0 ? ncol : 0);
      made_.factor.super_ptr.push_back(whole_.super_ptr[s] + column);
      const Offset blocks = most_ / (Offset{nrow - column} * block_);
      column = is_whole ? ncol
                        : static_cast<Index>(std::min<Offset>(
                              column + std::max<Offset>(blocks, 1) * block_, ncol));
    }
  }

  bool is_last_link(Index k) const {
    return k + 1 == made_.factor.nsuper || made_.column[at(k) + 1] == 0;
  }

  void link_fronts() {
    SymbolicFactor& f = made_.factor;
    f.super_parent.reserve(at(f.nsuper));
    f.super_rowptr.push_back(0);
    for (Index k = 0; k < f.nsuper; ++k) {
      const Index s = made_.super[at(k)], parent = whole_.super_parent[s];
      const Index parent_link = parent == kNone ? kNone : first_link_[at(parent)];
      f.super_parent.push_back(is_last_link(k) ? parent_link : k + 1);
      f.super_rowptr.push_back(f.super_rowptr.back() + whole_.nrow(s) - made_.column[at(k)]);
    }
  }

  /// Copies the rows.  The rows of a link follow the columns before it in the undivided front.  All
  /// rows of a later link are rows of the link before, without its pivot columns.
  void copy_rows() {
    SymbolicFactor& f = made_.factor;
    f.super_rowind.resize(static_cast<std::size_t>(f.super_rowptr.back()));
    f.relind.resize(static_cast<std::size_t>(f.super_rowptr.back() - f.n));
    for (Index k = 0; k < f.nsuper; ++k) {
      const Index s = made_.super[at(k)];
      std::ranges::copy(whole_.rows(s).subspan(at(made_.column[at(k)])),
                        f.super_rowind.begin() + f.super_rowptr[k]);
      const auto relind = f.relind.begin() + f.relind_begin(k);
      if (is_last_link(k)) {
        std::ranges::copy(whole_.relative_indices(s), relind);
      } else {
        std::iota(relind, relind + f.nupd(k), 0);
      }
    }
  }

  const SymbolicFactor& whole_;
  Offset most_;
  Index block_;
  std::vector<Index> first_link_;  // First link of each supernode of the undivided factor.
  ChainedFactor made_;
};

}  // namespace

ChainedFactor divide_fronts(const SymbolicFactor& factor, Offset most, Index block) {
  return Division(factor, most, block).run();
}

}  // namespace clchol::symbolic
