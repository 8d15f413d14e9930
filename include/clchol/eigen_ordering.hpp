// What the third template argument of clchol::EigenCholesky means for the solver's options.
#pragma once

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include "clchol/clchol.hpp"

namespace clchol {

/// The order that Options::analysis.ordering says: by default the library's choice.
struct OrderingOfOptions {};

/// How an ordering of Eigen's is set.  This is for the types that are called, as SimplicialLLT
/// calls them, with the whole matrix: COLAMDOrdering, MetisOrdering, or one of the user's own.
template <class OrderingType>
struct EigenOrdering {
  static constexpr bool kIsCalled = true;
  static constexpr bool kIsNatural = false;

  /// @param a  compressed; `Triangles` of it are read.
  template <int Triangles, class StorageIndex, class Compressed>
  static void set(const Compressed& a, Options& options) {
    using Scalar = typename Compressed::Scalar;
    Eigen::SparseMatrix<Scalar, Eigen::ColMajor, typename Compressed::StorageIndex> both;
    if constexpr (Triangles == (Eigen::Lower | Eigen::Upper)) {
      both = a;
    } else {
      both = a.template selfadjointView<Triangles>();
    }
    const Eigen::SparseMatrix<Scalar, Eigen::ColMajor, StorageIndex> whole(both);
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, StorageIndex> inverse;
    OrderingType order;
    order(whole, inverse);
    options.analysis.ordering = inverse.size() > 0 ? Ordering::kGiven : Ordering::kNatural;
    options.analysis.permutation.clear();
    for (Eigen::Index k = 0; k < inverse.size(); ++k) {
      options.analysis.permutation.push_back(static_cast<Index>(inverse.indices()[k]));
    }
  }
};

template <>
struct EigenOrdering<OrderingOfOptions> {
  static constexpr bool kIsCalled = false;
  static constexpr bool kIsNatural = false;
  static void set(Options& /*options*/) {}
};

template <class StorageIndex>
struct EigenOrdering<Eigen::NaturalOrdering<StorageIndex>> {
  static constexpr bool kIsCalled = false;
  static constexpr bool kIsNatural = true;
  static void set(Options& options) { options.analysis.ordering = Ordering::kNatural; }
};

/// The library's own minimum degree takes the place of Eigen's.
template <class StorageIndex>
struct EigenOrdering<Eigen::AMDOrdering<StorageIndex>> {
  static constexpr bool kIsCalled = false;
  static constexpr bool kIsNatural = false;
  static void set(Options& options) { options.analysis.ordering = Ordering::kAmd; }
};

}  // namespace clchol
