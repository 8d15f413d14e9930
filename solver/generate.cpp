#include "solver/generate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace clchol::solver {
namespace {

// ---- Grids ----

/// Calls f(dx, dy, dz) for every neighbour of a point, in ascending order of the neighbours'
/// numbers.
/// @param full  whether the neighbours are all 26 points around the point, or 6 points.
template <class F>
void for_each_neighbour(bool full, const F& f) {
  for (int dz = -1; dz <= 1; ++dz) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const int distance = std::abs(dx) + std::abs(dy) + std::abs(dz);
        if (distance > 0 && (full || distance == 1)) f(dx, dy, dz);
      }
    }
  }
}

/// @return an empty matrix with memory reserved for `size`; the caller appends the columns.
SymmetricMatrix prepare(const ModelProblemSize& size) {
  SymmetricMatrix a;
  a.lower.n = size.n;
  a.lower.colptr.reserve(static_cast<std::size_t>(size.n) + 1);
  a.lower.rowind.reserve(static_cast<std::size_t>(size.nnz));
  a.values.reserve(static_cast<std::size_t>(size.nnz));
  return a;
}

SymmetricMatrix grid(Index nx, Index ny, Index nz, bool full, const ModelProblemSize& size) {
  SymmetricMatrix a = prepare(size);
  const double degree = full ? 26 : 6;
  a.lower.colptr.push_back(0);
  auto column = [&](Index x, Index y, Index z) {
    const Index own = (z * ny + y) * nx + x;
    a.lower.rowind.push_back(own);
    a.values.push_back(degree + 1e-3);
    for_each_neighbour(full, [&](int dx, int dy, int dz) {
      const Index u = x + dx, v = y + dy, w = z + dz;
      if (u < 0 || v < 0 || w < 0 || u >= nx || v >= ny || w >= nz) return;
      const Index other = (w * ny + v) * nx + u;
      if (other <= own) return;
      a.lower.rowind.push_back(other);
      a.values.push_back(-1.0);
    });
    a.lower.colptr.push_back(static_cast<Offset>(a.values.size()));
  };
  for (Index z = 0; z < nz; ++z) {
    for (Index y = 0; y < ny; ++y) {
      for (Index x = 0; x < nx; ++x) column(x, y, z);
    }
  }
  return a;
}

// ---- Elasticity ----

using Block = std::array<std::array<double, 3>, 3>;

/// Stiffness matrix of the unit brick: a 3 x 3 block for each pair of corners.  Corner c lies at
/// (c & 1, c >> 1 & 1, c >> 2).
class Brick {
 public:
  Brick() {
    // 2 x 2 x 2 Gauss points on [-1, 1]^3 with weights 1; d/dx = 2 d/dxi; a volume factor of 1/8.
    const double g = 1 / std::sqrt(3.0);
    for (int q = 0; q < 8; ++q) {
      const std::array<double, 3> xi = {bit(q, 0) ? g : -g, bit(q, 1) ? g : -g, bit(q, 2) ? g : -g};
      add_gauss_point(xi);
    }
  }
  const Block& operator()(int u, int v) const { return stiffness_[u][v]; }

 private:
  static bool bit(int number, int k) { return (number >> k & 1) != 0; }

  static std::array<double, 3> gradient(int corner, const std::array<double, 3>& xi) {
    std::array<double, 3> result{};
    for (int d = 0; d < 3; ++d) {
      result[d] = 2 * 0.125;
      for (int e = 0; e < 3; ++e) {
        const double sign = bit(corner, e) ? 1 : -1;
        result[d] *= e == d ? sign : 1 + sign * xi[e];
      }
    }
    return result;
  }

  // Adds the contribution of a Gauss point:
  //   K_uv(i, j) += w ( lambda D_u(i) D_v(j) + mu D_u(j) D_v(i) + mu (D_u . D_v) delta_ij )
  void add_gauss_point(const std::array<double, 3>& xi) {
    constexpr double kYoung = 1, kPoisson = 0.3, kWeight = 0.125;
    constexpr double kLambda = kYoung * kPoisson / ((1 + kPoisson) * (1 - 2 * kPoisson));
    constexpr double kMu = kYoung / (2 * (1 + kPoisson));
    for (int u = 0; u < 8; ++u) {
      const auto du = gradient(u, xi);
      for (int v = 0; v < 8; ++v) {
        const auto dv = gradient(v, xi);
        const double dot = du[0] * dv[0] + du[1] * dv[1] + du[2] * dv[2];
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            const double sum =
                kLambda * du[i] * dv[j] + kMu * du[j] * dv[i] + (i == j ? kMu * dot : 0);
            stiffness_[u][v][i][j] += kWeight * sum;
          }
        }
      }
    }
  }

  std::array<std::array<Block, 8>, 8> stiffness_{};
};

/// Assembles the elasticity matrix.  Nodes are (x, y, z) with 0 <= x, y, z <= N.  Nodes with x = 0
/// are clamped and have no unknowns.
class Elasticity {
 public:
  Elasticity(Index num_bricks, const ModelProblemSize& size)
      : num_bricks_(num_bricks), a_(prepare(size)) {}

  SymmetricMatrix matrix() {
    a_.lower.colptr.push_back(0);
    for (Index z = 0; z <= num_bricks_; ++z) {
      for (Index y = 0; y <= num_bricks_; ++y) {
        for (Index x = 1; x <= num_bricks_; ++x) add_columns({x, y, z});
      }
    }
    return std::move(a_);
  }

 private:
  struct Node {
    Index x, y, z;
  };

  bool exists(const Node& v) const {
    return v.x >= 1 && v.y >= 0 && v.z >= 0 && v.x <= num_bricks_ && v.y <= num_bricks_ &&
           v.z <= num_bricks_;
  }
  Index first_unknown(const Node& v) const {
    return 3 * ((v.z * (num_bricks_ + 1) + v.y) * num_bricks_ + v.x - 1);
  }
  /// @return the corner at which node v lies in the brick with lowest node (x, y, z); -1: outside.
  static int corner(const Node& v, Index x, Index y, Index z) {
    const Index i = v.x - x, j = v.y - y, k = v.z - z;
    return i < 0 || j < 0 || k < 0 || i > 1 || j > 1 || k > 1 ? -1 : i + 2 * j + 4 * k;
  }

  /// @return the 3 x 3 block of nodes u and v: the sum of the stiffness over the bricks that have u
  ///         and v as corners.
  Block coupling(const Node& u, const Node& v) const {
    Block sum{};
    for (int e = 0; e < 8; ++e) {
      const Index x = u.x - (e & 1), y = u.y - (e >> 1 & 1), z = u.z - (e >> 2);
      const bool is_brick =
          x >= 0 && y >= 0 && z >= 0 && x < num_bricks_ && y < num_bricks_ && z < num_bricks_;
      const int cv = corner(v, x, y, z);
      if (!is_brick || cv < 0) continue;
      const Block& k = brick_(corner(u, x, y, z), cv);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) sum[i][j] += k[i][j];
      }
    }
    return sum;
  }

  /// Appends the three columns of node v.
  void add_columns(const Node& v) {
    const Index own = first_unknown(v);
    std::vector<std::pair<Index, Block>> blocks = {{own, coupling(v, v)}};
    for_each_neighbour(true, [&](int dx, int dy, int dz) {
      const Node u{v.x + dx, v.y + dy, v.z + dz};
      if (exists(u) && first_unknown(u) > own) {
        blocks.emplace_back(first_unknown(u), coupling(u, v));
      }
    });
    for (int j = 0; j < 3; ++j) {
      for (const auto& [row, block] : blocks) {
        for (int i = row == own ? j : 0; i < 3; ++i) {
          a_.lower.rowind.push_back(row + i);
          a_.values.push_back(block[i][j]);
        }
      }
      a_.lower.colptr.push_back(static_cast<Offset>(a_.values.size()));
    }
  }

  Index num_bricks_;
  Brick brick_;
  SymmetricMatrix a_;
};

// ---- Names ----

enum class Kind { kGrid2d, kGrid3d, kGrid3d27, kElast3d };

struct KindName {
  const char* name;
  Kind kind;
  Index largest;  // Largest N for which the number of unknowns is at most 2^31 - 2.
};

constexpr KindName kKinds[] = {{"grid2d", Kind::kGrid2d, 46340},
                               {"grid3d", Kind::kGrid3d, 1290},
                               {"grid3d27", Kind::kGrid3d27, 1290},
                               {"elast3d", Kind::kElast3d, 893}};

struct ModelProblem {
  Kind kind;
  Index size;  // The N of the name.
};

const KindName* find_kind(std::string_view name) {
  const std::string_view word = name.substr(0, name.find(':'));
  if (word.size() == name.size()) return nullptr;
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [word](const KindName& kind) { return word == kind.name; });
  return found != std::end(kKinds) ? found : nullptr;
}

ModelProblem parse(const std::string& name) {
  const KindName* kind = find_kind(name);
  if (kind == nullptr) {
    throw InvalidArgument(name + ": no model problem; there are grid2d:N, grid3d:N, grid3d27:N " +
                          "and elast3d:N");
  }
  const char* const end = name.data() + name.size();
  Index size = 0;
  const auto [parsed, error] = std::from_chars(name.data() + name.find(':') + 1, end, size);
  if (error != std::errc{} || parsed != end || size < 1 || size > kind->largest) {
    throw InvalidArgument(name + ": N must be a whole number from 1 to " +
                          std::to_string(kind->largest));
  }
  return {kind->kind, size};
}

/// @return the size of a block matrix, stored as the blocks below the diagonal and the lower
///         triangles of the diagonal blocks.
/// @param points  number of points, that is, of block columns.
/// @param pairs   number of ordered pairs of neighbours, including each point with itself.
/// @param block   order of the dense blocks.
ModelProblemSize size_of_blocks(Offset points, Offset pairs, Offset block) {
  return {static_cast<Index>(block * points),
          (pairs - points) / 2 * block * block + points * block * (block + 1) / 2};
}

/// @return the size of the matrix.  The number of ordered pairs of neighbours, including each point
/// with itself, is
/// - 3 N - 2 on a line of N points;
/// - for 27-point neighbourhoods the product of this number over the dimensions;
/// - for 5- and 7-point neighbourhoods the number of points, plus 2 (N - 1) per grid line in each
///   direction.
ModelProblemSize size_of(const ModelProblem& problem) {
  const Offset N = problem.size;
  const Offset line = 3 * N - 2;
  switch (problem.kind) {
    case Kind::kGrid2d:
      return size_of_blocks(N * N, N * N + 4 * N * (N - 1), 1);
    case Kind::kGrid3d:
      return size_of_blocks(N * N * N, N * N * N + 6 * N * N * (N - 1), 1);
    case Kind::kGrid3d27:
      return size_of_blocks(N * N * N, line * line * line, 1);
    case Kind::kElast3d:
      break;
  }
  return size_of_blocks(N * (N + 1) * (N + 1), line * (line + 3) * (line + 3), 3);
}

}  // namespace

bool is_model_problem(const std::string& name) { return find_kind(name) != nullptr; }

ModelProblemSize model_problem_size(const std::string& name) { return size_of(parse(name)); }

SymmetricMatrix make_model_problem(const std::string& name) {
  const ModelProblem problem = parse(name);
  const Index N = problem.size;
  const ModelProblemSize size = size_of(problem);
  switch (problem.kind) {
    case Kind::kGrid2d:
      return grid(N, N, 1, false, size);
    case Kind::kGrid3d:
      return grid(N, N, N, false, size);
    case Kind::kGrid3d27:
      return grid(N, N, N, true, size);
    case Kind::kElast3d:
      break;
  }
  return Elasticity(N, size).matrix();
}

}  // namespace clchol::solver
