#include "tests/support/builders.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

namespace clchol::test {

LowerMatrix from_triplets(Index n, std::vector<Triplet> triplets) {
  for (Triplet& t : triplets) {
    if (t.row < t.col) std::swap(t.row, t.col);
  }
  std::stable_sort(triplets.begin(), triplets.end(), [](const Triplet& a, const Triplet& b) {
    return std::tie(a.col, a.row) < std::tie(b.col, b.row);
  });
  LowerMatrix m;
  m.pattern.n = n;
  m.pattern.colptr.assign(n + 1, 0);
  for (std::size_t k = 0; k < triplets.size(); ++k) {
    const Triplet& t = triplets[k];
    if (k > 0 && triplets[k - 1].row == t.row && triplets[k - 1].col == t.col) {
      m.values.back() += t.value;
      continue;
    }
    m.pattern.rowind.push_back(t.row);
    m.values.push_back(t.value);
    ++m.pattern.colptr[t.col + 1];
  }
  for (Index j = 0; j < n; ++j) m.pattern.colptr[j + 1] += m.pattern.colptr[j];
  return m;
}

LowerMatrix grid3d(Index nx, Index ny, Index nz, double shift) {
  auto id = [&](Index x, Index y, Index z) { return (z * ny + y) * nx + x; };
  std::vector<Triplet> t;
  for (Index z = 0; z < nz; ++z) {
    for (Index y = 0; y < ny; ++y) {
      for (Index x = 0; x < nx; ++x) {
        t.push_back({id(x, y, z), id(x, y, z), 2.0 * ((nx > 1) + (ny > 1) + (nz > 1)) + shift});
        if (x + 1 < nx) t.push_back({id(x + 1, y, z), id(x, y, z), -1.0});
        if (y + 1 < ny) t.push_back({id(x, y + 1, z), id(x, y, z), -1.0});
        if (z + 1 < nz) t.push_back({id(x, y, z + 1), id(x, y, z), -1.0});
      }
    }
  }
  return from_triplets(nx * ny * nz, std::move(t));
}

LowerMatrix grid2d(Index nx, Index ny, double shift) { return grid3d(nx, ny, 1, shift); }

LowerMatrix random_spd(Index n, double degree, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<Index> vertex(0, n - 1);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<Triplet> t;
  std::vector<double> row_sum(n, 0.0);
  for (Offset k = 0; k < static_cast<Offset>(n * degree / 2); ++k) {
    const Index i = vertex(random), j = vertex(random);
    if (i == j) continue;
    const double v = value(random);
    t.push_back({i, j, v});
    row_sum[i] += std::abs(v);
    row_sum[j] += std::abs(v);
  }
  for (Index i = 0; i < n; ++i) t.push_back({i, i, row_sum[i] + 1.0});
  return from_triplets(n, std::move(t));
}

LowerMatrix dense_spd(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<Triplet> t;
  for (Index j = 0; j < n; ++j) {
    t.push_back({j, j, static_cast<double>(n)});
    for (Index i = j + 1; i < n; ++i) t.push_back({i, j, value(random)});
  }
  return from_triplets(n, std::move(t));
}

LowerMatrix bundle_adjustment(Index cameras, Index points, Index seen, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<Index> camera(0, cameras - 1);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  const Index n = 9 * cameras + 3 * points;
  std::vector<Triplet> t;
  auto couple = [&](Index row, Index rows, Index col, Index cols) {
    for (Index i = row; i < row + rows; ++i) {
      for (Index j = col; j < col + cols; ++j) {
        if (i > j) t.push_back({i, j, value(random)});
      }
    }
  };
  for (Index c = 0; c < cameras; ++c) couple(9 * c, 9, 9 * c, 9);
  for (Index p = 0; p < points; ++p) {
    const Index first = 9 * cameras + 3 * p;
    couple(first, 3, first, 3);
    for (Index k = 0; k < seen; ++k) couple(first, 3, 9 * camera(random), 9);
  }
  std::vector<double> row_sum(n, 1.0);
  for (const Triplet& e : t) {
    row_sum[e.row] += std::abs(e.value);
    row_sum[e.col] += std::abs(e.value);
  }
  for (Index i = 0; i < n; ++i) t.push_back({i, i, row_sum[i]});
  return from_triplets(n, std::move(t));
}

LowerMatrix hubs_and_leaves(Index hubs, Index leaves, Index ties, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Triplet> t;
  for (Index i = 0; i < hubs + leaves; ++i) t.push_back({i, i, 1});
  for (Index leaf = hubs; leaf < hubs + leaves; ++leaf) {
    for (Index k = 0; k < ties; ++k) {
      const auto hub = static_cast<Index>(random() % static_cast<std::uint64_t>(hubs));
      t.push_back({leaf, hub, -1});  // Duplicates are summed.
      t.push_back({leaf, leaf, 1});
      t.push_back({hub, hub, 1});
    }
  }
  return from_triplets(hubs + leaves, std::move(t));
}

LowerMatrix diagonal(Index n) {
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i) t.push_back({i, i, i + 1.0});
  return from_triplets(n, std::move(t));
}

LowerMatrix tridiagonal(Index n) {
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, i, 2.0});
    if (i + 1 < n) t.push_back({i + 1, i, -1.0});
  }
  return from_triplets(n, std::move(t));
}

LowerMatrix arrow_first(Index n) {
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, i, i == 0 ? static_cast<double>(n) : 2.0});
    if (i > 0) t.push_back({i, 0, 1.0});
  }
  return from_triplets(n, std::move(t));
}

LowerMatrix two_grids(Index nx, Index ny, Index isolated) {
  const LowerMatrix grid = grid2d(nx, ny);
  const Index m = nx * ny;
  std::vector<Triplet> t;
  for (Index j = 0; j < m; ++j) {
    for (Offset p = grid.pattern.colptr[j]; p < grid.pattern.colptr[j + 1]; ++p) {
      t.push_back({grid.pattern.rowind[p], j, grid.values[p]});
      t.push_back({grid.pattern.rowind[p] + m + isolated, j + m + isolated, grid.values[p]});
    }
  }
  for (Index k = 0; k < isolated; ++k) t.push_back({m + k, m + k, 1.0 + k});
  return from_triplets(2 * m + isolated, std::move(t));
}

}  // namespace clchol::test
