// As main.cpp, with Eigen's matrices.
#if __has_include(<clchol/eigen.hpp>)
#include <clchol/eigen.hpp>
#else
#include <clchol/types.hpp>
#endif

#include <Eigen/SparseCore>

int main() {
  Eigen::SparseMatrix<double> a(3, 3);
  a.setIdentity();
  return a.nonZeros() == 3 ? 0 : 1;
}
