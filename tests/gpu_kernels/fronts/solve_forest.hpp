// Random forests of fronts with the values of a factor, for front_solve.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "gpu_kernels/fronts/front_solve_tiles.hpp"
#include "gpu_kernels/reference/couple_blocks.hpp"
#include "gpu_kernels/reference/triangular_solve.hpp"
#include "tests/gpu_kernels/fronts/front_batch_forest.hpp"

namespace clchol::gpu {

struct SolveFrontSize {
  Index ncol, nupd;
  Index parent = kNone;  // A later front with at least nupd rows.
  Index group = 0;       // At most the parent's group.
};

/// Fronts with a factor, and right-hand sides that solves overwrite.  Entries that no kernel may
/// read are NaN.
class SolveForest {
 public:
  SolveForest(const std::vector<SolveFrontSize>& sizes, Index nrhs, unsigned seed = 3)
      : nrhs(nrhs), random_(seed) {
    place(sizes);
    choose_rows(sizes);
    fill_panels();
    x.resize(at(Offset{n} * nrhs));
    for (double& value : x) value = uniform_(random_);
  }

  static std::size_t at(Offset i) { return static_cast<std::size_t>(i); }
  FrontSolveInput input() const {
    return {.fronts = fronts, .relind = relind, .num_rows = static_cast<Offset>(rowind.size())};
  }

  void forward_by_reference() {
    const Twin twin = make_twin();
    std::vector<double> vectors = twin_vectors(twin);
    reference::forward_solve<double>(twin.lists(rowind, relind), twin.order,
                                     {nrhs, panels.span(), x, vectors});
  }
  void backward_by_reference() {
    Twin twin = make_twin();
    std::vector<double> vectors = twin_vectors(twin);
    std::reverse(twin.order.begin(), twin.order.end());
    reference::backward_solve<double>(twin.lists(rowind, relind), twin.order,
                                      {nrhs, panels.span(), x, vectors});
  }
  /// Inverted diagonal blocks and their couplings by the reference, at the offsets of `lists`.
  AlignedValues inverses(const FrontSolveLists& lists) {
    AlignedValues values(lists.sizes.inverse_entries);
    for (std::size_t g = 0; g + 1 < lists.groups.size(); ++g) {
      const SolveGroup &group = lists.groups[g], &next = lists.groups[g + 1];
      std::vector<Front> tiled;
      for (Index p = group.front; p < next.front; ++p) {
        Front front{};
        front.panel = lists.fronts[at(p)].panel;
        front.ldp = lists.fronts[at(p)].ldp;
        front.nrow = lists.fronts[at(p)].nrow;
        front.ncol = lists.fronts[at(p)].ncol;
        front.inverses = lists.fronts[at(p)].inverses;
        tiled.push_back(front);
      }
      const std::span<double> of_group =
          values.span().subspan(static_cast<std::size_t>(group.inverses),
                                static_cast<std::size_t>(next.inverses - group.inverses));
      const auto first = static_cast<std::size_t>(lists.coupling_ptr[at(group.coupling)]),
                 end = static_cast<std::size_t>(lists.coupling_ptr[at(next.coupling)]);
      reference::invert_diagonal_blocks<double>(tiled, kSolveBlock, panels.span(), of_group);
      reference::couple_blocks(std::span(lists.couplings).subspan(first, end - first),
                               panels.span(), of_group);
    }
    return values;
  }

  std::vector<SolveFrontInput> fronts;
  std::vector<Index> rowind, relind;
  AlignedValues panels;
  Index n = 0;
  Index nrhs;
  std::vector<double> x;  // Right-hand sides or solutions, n x nrhs, by rows.

 private:
  struct Twin {
    std::vector<Front> fronts;
    std::vector<Child> children;
    std::vector<Index> order;
    Offset vector_rows = 0;

    FrontLists lists(std::span<const Index> rowind, std::span<const Index> relind) const {
      return {.fronts = fronts,
              .children = children,
              .relind = relind,
              .rowind = rowind,
              .entry_source = {},
              .entry_place = {}};
    }
  };

  void place(const std::vector<SolveFrontSize>& sizes) {
    Offset panel_entries = 0, rows = 0, updates = 0;
    for (const SolveFrontSize& size : sizes) {
      const Index nrow = size.ncol + size.nupd;
      const Offset ldp = (nrow + 1) / 2 * 2;
      fronts.push_back(
          {panel_entries, ldp, rows, updates, nrow, size.ncol, n, size.parent, size.group});
      panel_entries += ldp * size.ncol;
      rows += nrow;
      updates += size.nupd;
      n += size.ncol;
    }
    panels = AlignedValues(panel_entries);
    rowind.resize(at(rows));
    relind.resize(at(updates));
  }

  // From the roots down: a front's update rows are random rows of its parent.  A root's update rows
  // come after all other rows.
  void choose_rows(const std::vector<SolveFrontSize>& sizes) {
    for (std::size_t f = fronts.size(); f-- > 0;) {
      const SolveFrontInput& front = fronts[f];
      const auto own = rowind.begin() + front.rows;
      std::iota(own, own + front.ncol, front.first_column);
      if (front.parent == kNone) {
        std::iota(own + front.ncol, own + front.nrow, n);
        n += front.nrow - front.ncol;
        continue;
      }
      const SolveFrontInput& parent = fronts[at(front.parent)];
      std::vector<Index> all(at(parent.nrow));
      std::iota(all.begin(), all.end(), 0);
      const auto places = relind.begin() + front.relind;
      std::sample(all.begin(), all.end(), places, sizes[f].nupd, random_);
      std::transform(places, places + sizes[f].nupd, own + front.ncol,
                     [&](Index i) { return rowind[at(parent.rows + i)]; });
    }
  }

  // Panels are diagonally dominant by columns, so that solutions do not grow.
  void fill_panels() {
    for (const SolveFrontInput& front : fronts) {
      for (Index j = 0; j < front.ncol; ++j) {
        for (Index i = j; i < front.nrow; ++i) {
          const double entry = uniform_(random_);
          panels[front.panel + i + j * front.ldp] = i == j ? 2 + entry : entry / front.nrow;
        }
      }
    }
  }

  Twin make_twin() const {
    Twin twin;
    std::vector<Offset> vectors;
    for (const SolveFrontInput& from : fronts) {
      Front front{};
      front.panel = from.panel;
      front.ldp = from.ldp;
      front.rows = from.rows;
      front.nrow = from.nrow;
      front.ncol = from.ncol;
      front.first_column = from.first_column;
      front.vector = twin.vector_rows;
      twin.vector_rows += from.nrow;
      twin.order.push_back(static_cast<Index>(twin.fronts.size()));
      twin.fronts.push_back(front);
    }
    for (std::size_t p = 0; p < fronts.size(); ++p) {
      twin.fronts[p].child_begin = static_cast<Index>(twin.children.size());
      for (std::size_t c = 0; c < p; ++c) {
        if (fronts[c].parent != static_cast<Index>(p)) continue;
        twin.children.push_back({0, twin.fronts[c].vector + fronts[c].ncol, fronts[c].relind,
                                 fronts[c].nrow - fronts[c].ncol, 0});
      }
      twin.fronts[p].child_end = static_cast<Index>(twin.children.size());
    }
    return twin;
  }
  std::vector<double> twin_vectors(const Twin& twin) const {
    return std::vector<double>(at(twin.vector_rows * nrhs));
  }

  std::mt19937 random_;
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

/// Expects close solutions.  Sums have up to about 600 terms whose magnitudes add up to less than
/// 4; inverted blocks are well conditioned.
inline void expect_close(const SolveForest& got, const SolveForest& expected) {
  constexpr double kBound = 600 * 4 * std::numeric_limits<double>::epsilon();
  ASSERT_EQ(got.x.size(), expected.x.size());
  for (std::size_t i = 0; i < got.x.size(); ++i) {
    ASSERT_NEAR(got.x[i], expected.x[i], kBound) << "row " << i / SolveForest::at(got.nrhs);
  }
}

/// Sizes around those of blocks, steps and warps; chains, many children, roots without children.
inline const std::vector<SolveFrontSize> kSolveSizes = {
    {1, 3, 3},      {2, 9, 4},     {5, 0},        {7, 9, 4},     {31, 33, 11},  {8, 1, 11},
    {9, 31, 11},    {16, 15, 11},  {17, 16, 11},  {32, 64, 11},  {1, 1, 11},    {33, 95, 16},
    {64, 0},        {65, 130, 16}, {1, 64, 16},   {64, 127, 16}, {129, 64, 18}, {63, 65, 18},
    {128, 200, 20}, {1, 0},        {130, 71, 21}, {90, 0},       {3, 10},       {70, 5}};

/// kSolveSizes in three groups, one of which has a single front.
inline std::vector<SolveFrontSize> grouped_sizes() {
  std::vector<SolveFrontSize> sizes = kSolveSizes;
  for (std::size_t f = 0; f < sizes.size(); ++f) sizes[f].group = f < 11 ? 0 : f < 12 ? 1 : 2;
  return sizes;
}

}  // namespace clchol::gpu
