// Model problems: small matrices entry by entry, sizes by formula, and laws of elasticity.
#include "solver/generate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "clchol/clchol.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kSix = 6 + 1e-3;
constexpr double kTwentySix = 26 + 1e-3;

/// y := A x for the whole matrix.
std::vector<double> multiply(const SymmetricMatrix& a, const std::vector<double>& x) {
  std::vector<double> y(x.size(), 0.0);
  for (Index j = 0; j < a.n(); ++j) {
    for (Offset p = a.lower.colptr[j]; p < a.lower.colptr[j + 1]; ++p) {
      const Index i = a.lower.rowind[p];
      y[i] += a.values[p] * x[j];
      if (i != j) y[j] += a.values[p] * x[i];
    }
  }
  return y;
}

// ---- Grids ----

TEST(ModelProblem, Grid2dOfTwo) {
  // 2 3
  // 0 1
  const SymmetricMatrix a = make_model_problem("grid2d:2");

  EXPECT_EQ(a.n(), 4);
  EXPECT_THAT(a.lower.colptr, ElementsAre(0, 3, 5, 7, 8));
  EXPECT_THAT(a.lower.rowind, ElementsAre(0, 1, 2, 1, 3, 2, 3, 3));
  EXPECT_THAT(a.values, ElementsAre(kSix, -1, -1, kSix, -1, kSix, -1, kSix));
}

TEST(ModelProblem, Grid2dOfThree) {
  // 6 7 8
  // 3 4 5
  // 0 1 2
  const SymmetricMatrix a = make_model_problem("grid2d:3");

  EXPECT_EQ(a.n(), 9);
  EXPECT_THAT(a.lower.colptr, ElementsAre(0, 3, 6, 8, 11, 14, 16, 18, 20, 21));
  EXPECT_THAT(a.lower.rowind, ElementsAre(0, 1, 3, 1, 2, 4, 2, 5, 3, 4, 6, 4, 5, 7, 5, 8,  //
                                          6, 7, 7, 8, 8));
  EXPECT_THAT(a.values, ElementsAre(kSix, -1, -1, kSix, -1, -1, kSix, -1, kSix, -1, -1, kSix, -1,
                                    -1, kSix, -1, kSix, -1, kSix, -1, kSix));
}

TEST(ModelProblem, Grid3dOfTwo) {
  // Points are numbered as the bits z y x; neighbours differ in one bit.
  const SymmetricMatrix a = make_model_problem("grid3d:2");

  EXPECT_EQ(a.n(), 8);
  EXPECT_THAT(a.lower.colptr, ElementsAre(0, 4, 7, 10, 12, 15, 17, 19, 20));
  EXPECT_THAT(a.lower.rowind,
              ElementsAre(0, 1, 2, 4, 1, 3, 5, 2, 3, 6, 3, 7, 4, 5, 6, 5, 7, 6, 7, 7));
  EXPECT_THAT(a.values, ElementsAre(kSix, -1, -1, -1, kSix, -1, -1, kSix, -1, -1, kSix, -1, kSix,
                                    -1, -1, kSix, -1, kSix, -1, kSix));
}

TEST(ModelProblem, Grid3d27OfTwo) {
  // All eight points are neighbours: the lower triangle is full.
  const SymmetricMatrix a = make_model_problem("grid3d27:2");

  EXPECT_THAT(a.lower.colptr, ElementsAre(0, 8, 15, 21, 26, 30, 33, 35, 36));
  Offset p = 0;
  for (Index j = 0; j < 8; ++j) {
    for (Index i = j; i < 8; ++i, ++p) {
      EXPECT_EQ(a.lower.rowind[p], i);
      EXPECT_EQ(a.values[p], i == j ? kTwentySix : -1.0);
    }
  }
}

TEST(ModelProblem, OnePointHasItsDiagonal) {
  EXPECT_THAT(make_model_problem("grid2d:1").values, ElementsAre(kSix));
  EXPECT_THAT(make_model_problem("grid3d:1").values, ElementsAre(kSix));
  EXPECT_THAT(make_model_problem("grid3d27:1").values, ElementsAre(kTwentySix));
}

TEST(ModelProblem, InnerRowsOfGridsSumToTheShift) {
  // 27 terms up to 26: rounding of the sum stays below 27 * 26 eps = 2e-13.
  for (const std::string name : {"grid3d:3", "grid3d27:3"}) {
    const SymmetricMatrix a = make_model_problem(name);
    EXPECT_NEAR(multiply(a, std::vector<double>(27, 1.0))[13], 1e-3, 2e-13) << name;
  }
}

// ---- Sizes ----

/// Numbers of rows and of stored entries of a kind of model problem, by formulas in N.
struct Count {
  const char* kind;
  std::function<Offset(Offset N)> n;
  std::function<Offset(Offset N)> nnz;
};

const Count kCounts[] = {
    {"grid2d:", [](Offset N) { return N * N; }, [](Offset N) { return N * N + 2 * N * (N - 1); }},
    {"grid3d:", [](Offset N) { return N * N * N; },
     [](Offset N) { return N * N * N + 3 * N * N * (N - 1); }},
    {"grid3d27:", [](Offset N) { return N * N * N; },
     [](Offset N) {
       // Edges along lines, across faces (two diagonals a square) and across cells (four a cube).
       const Offset M = N - 1;
       return N * N * N + 3 * N * N * M + 6 * N * M * M + 4 * M * M * M;
     }},
    {"elast3d:", [](Offset N) { return 3 * N * (N + 1) * (N + 1); },
     [](Offset N) {
       // Edges as in grid3d27, on N x (N + 1) x (N + 1) nodes: 9 entries for an edge, 6 for a node.
       const Offset M = N + 1;
       const Offset lines = (N - 1) * M * M + 2 * N * N * M;
       const Offset faces = 2 * (N * N * N + 2 * (N - 1) * N * M);
       const Offset cells = 4 * (N - 1) * N * N;
       return 9 * (lines + faces + cells) + 6 * N * M * M;
     }}};

TEST(ModelProblem, HasTheSizeThatIsForetold) {
  for (const Count& count : kCounts) {
    for (Index N = 1; N <= 7; ++N) {
      const std::string name = count.kind + std::to_string(N);
      const SymmetricMatrix a = make_model_problem(name);
      const ModelProblemSize size = model_problem_size(name);

      EXPECT_TRUE(is_sorted_lower(a.lower.view())) << name;
      EXPECT_EQ(a.n(), count.n(N)) << name;
      EXPECT_EQ(a.lower.view().nnz(), count.nnz(N)) << name;
      EXPECT_EQ(size.n, count.n(N)) << name;
      EXPECT_EQ(size.nnz, count.nnz(N)) << name;
      EXPECT_EQ(a.values.size(), a.lower.rowind.size()) << name;
    }
  }
}

TEST(ModelProblem, SizeOfTheLargestIsForetold) {
  for (const auto& [name, n] : {std::pair<const char*, Index>{"grid2d:46340", 2147395600},
                                {"grid3d:1290", 2146689000},
                                {"grid3d27:1290", 2146689000},
                                {"elast3d:893", 2141153244}}) {
    EXPECT_EQ(model_problem_size(name).n, n);
  }
  // 8 bytes for a column pointer, 12 for an entry.
  EXPECT_EQ(model_problem_size("grid2d:2").bytes(), 5 * 8 + 8 * 12);
}

TEST(ModelProblem, IsPositiveDefinite) {
  for (const std::string kind : {"grid2d:", "grid3d:", "grid3d27:", "elast3d:"}) {
    for (const char* size : {"1", "2", "5"}) {
      const SymmetricMatrix a = make_model_problem(kind + size);
      SparseCholesky<double> solver;
      const SparseView<double, Offset, Index> view{a.n(), a.lower.colptr, a.lower.rowind, a.values};
      EXPECT_EQ(solver.factorize(view), Status::kOk) << kind << size;
    }
  }
}

// ---- Elasticity ----

using Vector = std::array<double, 3>;

/// Displacements and forces at the free nodes of elast3d:N.
class Cube {
 public:
  explicit Cube(Index num_bricks)
      : num_bricks_(num_bricks), a_(make_model_problem("elast3d:" + std::to_string(num_bricks))) {}

  /// Forces that move the free nodes by u(x, y, z); the clamped nodes stay.
  std::vector<double> forces(const std::function<Vector(double, double, double)>& u) const {
    std::vector<double> displacement(static_cast<std::size_t>(a_.n()));
    for_each_node([&](Index node, Index x, Index y, Index z) {
      const Vector at = u(x, y, z);
      std::copy(at.begin(), at.end(), displacement.begin() + Offset{3} * node);
    });
    return multiply(a_, displacement);
  }

  /// Calls f(node, x, y, z) for all free nodes, x fastest.
  template <class F>
  void for_each_node(const F& f) const {
    Index node = 0;
    for (Index z = 0; z <= num_bricks_; ++z) {
      for (Index y = 0; y <= num_bricks_; ++y) {
        for (Index x = 1; x <= num_bricks_; ++x) f(node++, x, y, z);
      }
    }
  }

 private:
  Index num_bricks_;
  SymmetricMatrix a_;
};

// Sums of 81 products below 10, computed with entries off by a few eps: 1e-12 is ample.
constexpr double kSumRounding = 1e-12;

struct RigidMotion {
  Vector shift, spin;
};

const RigidMotion kRigidMotions[] = {{{1, 0, 0}, {0, 0, 0}}, {{0, 1, 0}, {0, 0, 0}},
                                     {{0, 0, 1}, {0, 0, 0}}, {{0, 0, 0}, {1, 0, 0}},
                                     {{0, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {0, 0, 1}}};

TEST(Elasticity, RigidBodiesTakeNoForceAwayFromTheClamp) {
  const Cube cube(5);
  for (const RigidMotion& motion : kRigidMotions) {
    const auto& shift = motion.shift;
    const auto& spin = motion.spin;
    const std::vector<double> force = cube.forces([&](double x, double y, double z) {
      // shift + spin x (x, y, z)
      return Vector{shift[0] + spin[1] * z - spin[2] * y, shift[1] + spin[2] * x - spin[0] * z,
                    shift[2] + spin[0] * y - spin[1] * x};
    });
    double at_clamp = 0;
    cube.for_each_node([&](Index node, Index x, Index, Index) {
      for (int d = 0; d < 3; ++d) {
        // Elements of the nodes from x = 2 on touch no clamped node.
        if (x >= 2) {
          EXPECT_NEAR(force[3 * node + d], 0, kSumRounding);
        }
        if (x == 1) at_clamp = std::max(at_clamp, std::abs(force[3 * node + d]));
      }
    });
    EXPECT_GT(at_clamp, 0.01);
  }
}

TEST(Elasticity, PatchTestOfUniaxialTension) {
  // u = (x, -nu y, -nu z) has strain 1 and stress E = 1 along x, and no stress across.  There is no
  // force inside and on the sides; each square of the face x = N puts 1/4 on each of its corners.
  constexpr Index kSize = 4;
  const Cube cube(kSize);
  const std::vector<double> force = cube.forces([](double x, double y, double z) {
    return Vector{x, -0.3 * y, -0.3 * z};
  });
  cube.for_each_node([&](Index node, Index x, Index y, Index z) {
    if (x == 1) return;  // The clamped neighbours do not follow u.
    const double squares = (y % kSize == 0 ? 1 : 2) * (z % kSize == 0 ? 1 : 2);
    EXPECT_NEAR(force[3 * node], x == kSize ? squares / 4 : 0, kSumRounding);
    EXPECT_NEAR(force[3 * node + 1], 0, kSumRounding);
    EXPECT_NEAR(force[3 * node + 2], 0, kSumRounding);
  });
}

TEST(Elasticity, PatchTestOfShear) {
  // u = (0, x, 0) has shear 1: the stress on the face x = N is mu = E / (2 (1 + nu)) along y.
  constexpr Index kSize = 3;
  const Cube cube(kSize);
  const std::vector<double> force = cube.forces([](double x, double, double) {
    return Vector{0, x, 0};
  });
  double sum = 0;
  cube.for_each_node([&](Index node, Index x, Index, Index) {
    if (x == kSize) sum += force[3 * node + 1];
  });
  EXPECT_NEAR(sum, kSize * kSize / 2.6, 16 * kSumRounding);
}

// ---- Names ----

TEST(ModelProblemName, IsAKindAndAColon) {
  for (const char* name :
       {"grid2d:5", "grid3d:5", "grid3d27:5", "elast3d:5", "grid2d:", "grid2d:x"}) {
    EXPECT_TRUE(is_model_problem(name)) << name;
  }
  for (const char* name : {"", ":", "grid2d", "grid4d:5", "Grid2d:5", " grid2d:5", "./grid2d:5",
                           "grid2d27:5", "A.mtx"}) {
    EXPECT_FALSE(is_model_problem(name)) << name;
  }
}

TEST(ModelProblemName, NeedsAWholeNumberInRange) {
  for (const char* size : {"", "0", "-1", "+3", " 3", "3 ", "x", "2.5", "3x", "0x3", "46341",
                           "2147483648", "99999999999999999999"}) {
    const std::string name = std::string("grid2d:") + size;
    const std::string message = name + ": N must be a whole number from 1 to 46340";
    EXPECT_EQ(test::refusal_of([&] { make_model_problem(name); }), message);
    EXPECT_EQ(test::refusal_of([&] { model_problem_size(name); }), message);
  }
}

TEST(ModelProblemName, BoundsKeepTheOrderInRange) {
  for (const char* name : {"grid2d:46341", "grid3d:1291", "grid3d27:1291", "elast3d:894"}) {
    EXPECT_THAT(test::refusal_of([&] { model_problem_size(name); }), HasSubstr("from 1 to"))
        << name;
  }
}

TEST(ModelProblemName, RefusalOfOthersListsTheKinds) {
  EXPECT_EQ(test::refusal_of([] { make_model_problem("cube:3"); }),
            "cube:3: no model problem; there are grid2d:N, grid3d:N, grid3d27:N and elast3d:N");
}

}  // namespace
}  // namespace clchol::solver
