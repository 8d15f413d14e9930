// Files that RBio writes are read to the bit.
#include <RBio.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "solver/harwell_boeing.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

/// All entries of a symmetric matrix, with ascending rows, as RBio expects a matrix.
struct WholeMatrix {
  int n = 0;
  std::vector<int> colptr{0};
  std::vector<int> rowind;
  std::vector<double> values;
};

WholeMatrix both_triangles(const SymmetricMatrix& a) {
  std::vector<double> dense(static_cast<std::size_t>(a.n()) * a.n());
  for (Index j = 0; j < a.n(); ++j) {
    for (Offset p = a.lower.colptr[j]; p < a.lower.colptr[j + 1]; ++p) {
      const Index i = a.lower.rowind[p];
      dense[i + Offset{j} * a.n()] = dense[j + Offset{i} * a.n()] = a.values[p];
    }
  }
  WholeMatrix whole;
  whole.n = a.n();
  for (Index j = 0; j < a.n(); ++j) {
    for (Index i = 0; i < a.n(); ++i) {
      if (dense[i + Offset{j} * a.n()] == 0) continue;
      whole.rowind.push_back(i);
      whole.values.push_back(dense[i + Offset{j} * a.n()]);
    }
    whole.colptr.push_back(static_cast<int>(whole.rowind.size()));
  }
  return whole;
}

/// A random symmetric matrix with a full diagonal and no zero entries.  RBio derives the type from
/// the values: a first value of 2 excludes a pattern, 0.5 also excludes integers.
rc::Gen<SymmetricMatrix> matrices(bool integers) {
  return rc::gen::exec([integers] {
    SymmetricMatrix a;
    a.lower.n = *rc::gen::inRange(1, 25);
    a.lower.colptr.push_back(0);
    for (Index j = 0; j < a.n(); ++j) {
      for (Index i = j; i < a.n(); ++i) {
        if (i > j && *rc::gen::inRange(0, 3) != 0) continue;
        const auto bits = *rc::gen::arbitrary<std::uint64_t>();
        const double real = std::bit_cast<double>(bits);
        const double whole = 1 + static_cast<double>(bits % 1000);
        a.lower.rowind.push_back(i);
        a.values.push_back(integers || !std::isnormal(real) ? whole : real);
      }
      a.lower.colptr.push_back(static_cast<Offset>(a.values.size()));
    }
    a.values[0] = integers ? 2 : 0.5;
    return a;
  });
}

/// Writes `a` by RBio and returns RBio's name of the type.
std::string write(const std::string& path, const SymmetricMatrix& a) {
  WholeMatrix w = both_triangles(a);
  char type[4] = {};
  char title[] = "made by RBio";
  char key[] = "test";
  std::string name = path;
  const int status = RBwrite_i(name.data(), title, key, w.n, w.n, w.colptr.data(), w.rowind.data(),
                               w.values.data(), nullptr, nullptr, nullptr, 0, type);
  RC_ASSERT(status == 0);
  return type;
}

void check(const SymmetricMatrix& a, const std::string& expected_type) {
  const test::TemporaryFolder folder;
  RC_ASSERT(write(folder.file("a.rb"), a) == expected_type);
  RC_ASSERT(test::identical(read_harwell_boeing(folder.file("a.rb")), a));
}

RC_GTEST_PROP(RutherfordBoeing, RealsOfRBioAreReadToTheBit, ()) { check(*matrices(false), "rsa"); }

RC_GTEST_PROP(RutherfordBoeing, IntegersOfRBioAreReadToTheBit, ()) {
  check(*matrices(true), "isa");
}

}  // namespace
}  // namespace clchol::solver
