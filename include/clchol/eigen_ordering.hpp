// Translates the ordering type, the third template argument of clchol::EigenCholesky, to
// Options::analysis of the SparseCholesky behind it.
#pragma once

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include "clchol/clchol.hpp"

namespace clchol {

/// An ordering type that leaves Options::analysis.ordering as the caller has set it; by default the
/// library chooses the ordering.
struct OrderingOfOptions {};

/// Sets the options for an ordering type.  The general template makes an object of the type and
/// calls it with the whole matrix, as SimplicialLLT does: for COLAMDOrdering, MetisOrdering, or a
/// user's type.  The specializations below only set Options::analysis.ordering.
template <class OrderingType>
struct EigenOrdering {
  static constexpr bool kIsCalled = true;    // Whether an OrderingType is called with the matrix.
  static constexpr bool kIsNatural = false;  // Whether permutationP() returns the identity.

  /// Calls the ordering, and stores its permutation in Options::analysis.permutation.
  /// @param a  compressed matrix.  `Triangles` says which of its entries are read: Eigen::Lower,
  ///           Eigen::Upper or both.
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

/// Changes no option.
template <>
struct EigenOrdering<OrderingOfOptions> {
  static constexpr bool kIsCalled = false;
  static constexpr bool kIsNatural = false;
  static void set(Options& /*options*/) {}
};

/// The order of the rows as given.
template <class StorageIndex>
struct EigenOrdering<Eigen::NaturalOrdering<StorageIndex>> {
  static constexpr bool kIsCalled = false;
  static constexpr bool kIsNatural = true;
  static void set(Options& options) { options.analysis.ordering = Ordering::kNatural; }
};

/// The library's own minimum degree replaces Eigen's.
template <class StorageIndex>
struct EigenOrdering<Eigen::AMDOrdering<StorageIndex>> {
  static constexpr bool kIsCalled = false;
  static constexpr bool kIsNatural = false;
  static void set(Options& options) { options.analysis.ordering = Ordering::kAmd; }
};

}  // namespace clchol
