// Gives functions outside of the class access to the implementation of a solver.
#pragma once

#include "solver/sparse_cholesky_impl.hpp"

namespace clchol::opencl {

/// The friend that SparseCholesky names.
class Access {
 public:
  template <class T>
  static auto& impl(SparseCholesky<T>& solver) {
    return solver.impl();
  }
  template <class T>
  static const auto& impl(const SparseCholesky<T>& solver) {
    return solver.impl();
  }
};

}  // namespace clchol::opencl
