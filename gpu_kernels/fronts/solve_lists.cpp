#include "gpu_kernels/fronts/solve_lists.hpp"

#include <algorithm>

namespace clchol::gpu {
namespace {

Index num_blocks(const Front& front, const SolveCut& cut) {
  return (front.ncol + cut.block - 1) / cut.block;
}

bool is_whole(const Front& front, const SolveCut& cut) {
  return Offset{front.nrow} * front.ncol <= cut.whole_entries;
}

void require_valid(const SolveCut& cut) {
  if (cut.block < 1 || cut.tile_rows < 1) {
    throw InvalidArgument("solve: block = " + std::to_string(cut.block) +
                          ", tile_rows = " + std::to_string(cut.tile_rows) + ", at least 1");
  }
}

class ForwardBuilder {
 public:
  ForwardBuilder(const FrontLists& lists, const SolveCut& cut) : lists_(lists), cut_(cut) {}

  /// Appends a tile that assembles rows [begin, end) and then solves with blocks [0, blocks).
  void append_assembly(Index f, Index begin, Index end, Index blocks, ForwardLists& out) const {
    const Front& front = lists_.fronts[f];
    const Index first = static_cast<Index>(out.pieces.size());
    for (Index c = front.child_begin; c < front.child_end; ++c) {
      const Child& child = lists_.children[c];
      const auto places = lists_.relind.subspan(static_cast<std::size_t>(child.relind),
                                                static_cast<std::size_t>(child.nupd));
      const auto at = [&](Index row) {
        return static_cast<Index>(std::ranges::lower_bound(places, row) - places.begin());
      };
      const FrontSolvePiece piece{c, at(begin), at(end)};
      if (piece.begin < piece.end) out.pieces.push_back(piece);
    }
    out.tiles.push_back({f, 0, blocks, begin, end, first, static_cast<Index>(out.pieces.size()),
                         CLCHOL_SOLVE_ASSEMBLE | CLCHOL_SOLVE_WRITE});
  }

  /// Appends tiles that solve with block b and subtract its products from the rows behind it.  The
  /// first one stores the block's solution.
  void append_step(Index f, Index b, ForwardLists& out) const {
    const Front& front = lists_.fronts[f];
    Index row = std::min((b + 1) * cut_.block, front.ncol);
    Index form = CLCHOL_SOLVE_WRITE;
    do {
      const Index end = row + std::min(cut_.tile_rows, front.nrow - row);
      out.tiles.push_back({f, b, b + 1, row, end, 0, 0, form});
      form = 0;
      row = end;
    } while (row < front.nrow);
  }

 private:
  const FrontLists& lists_;
  const SolveCut& cut_;
};

}  // namespace

bool SolveParams::valid() const {
  const bool power = block == 16 || block == 32 || block == 64 || block == 128;
  return power && rhs >= 1 && rhs <= 64;
}

std::string SolveParams::build_options() const {
  return "-DBLOCK=" + std::to_string(block) + " -DRHS=" + std::to_string(rhs);
}

Index rhs_of_work_group(Index nrhs) {
  if (nrhs <= 1) return 1;
  return nrhs <= 4 ? 4 : 16;
}

ForwardLists make_forward_lists(const FrontLists& lists, std::span<const Index> wave,
                                const SolveCut& cut) {
  require_valid(cut);
  const ForwardBuilder builder(lists, cut);
  ForwardLists out;
  out.step_ptr.push_back(0);
  Index steps = 0;
  for (const Index f : wave) {
    const Front& front = lists.fronts[f];
    if (is_whole(front, cut)) {
      builder.append_assembly(f, 0, front.nrow, num_blocks(front, cut), out);
      continue;
    }
    steps = std::max(steps, num_blocks(front, cut));
    for (Index row = 0, end = 0; row < front.nrow; row = end) {
      end = row + std::min(cut.tile_rows, front.nrow - row);
      builder.append_assembly(f, row, end, 0, out);
    }
  }
  out.step_ptr.push_back(static_cast<Offset>(out.tiles.size()));
  for (Index b = 0; b < steps; ++b) {
    for (const Index f : wave) {
      const Front& front = lists.fronts[f];
      if (!is_whole(front, cut) && b < num_blocks(front, cut)) builder.append_step(f, b, out);
    }
    out.step_ptr.push_back(static_cast<Offset>(out.tiles.size()));
  }
  return out;
}

BackwardLists make_backward_lists(std::span<const Front> fronts, std::span<const Index> wave,
                                  const SolveCut& cut) {
  require_valid(cut);
  BackwardLists out;
  std::vector<Index> large;
  for (const Index f : wave) {
    if (is_whole(fronts[f], cut)) {
      out.tiles.push_back({f, 0, num_blocks(fronts[f], cut), 0, fronts[f].nrow, 0, 0, 0});
    } else {
      large.push_back(f);
    }
  }
  out.whole_end = static_cast<Offset>(out.tiles.size());

  Index slots = 0, steps = 0;
  std::vector<FrontSolveTile> sums;
  for (const Index f : large) {
    steps = std::max(steps, num_blocks(fronts[f], cut));
    for (Index b = 0; b < num_blocks(fronts[f], cut); ++b) {
      const Index first = slots;
      for (Index row = fronts[f].ncol, end = 0; row < fronts[f].nrow; row = end) {
        end = row + std::min(cut.tile_rows, fronts[f].nrow - row);
        out.tiles.push_back({f, b, b + 1, row, end, slots, slots + 1, 0});
        ++slots;
      }
      sums.push_back({f, b, b + 1, 0, 0, first, slots, 0});
    }
  }
  out.num_slots = slots;
  out.partial_end = static_cast<Offset>(out.tiles.size());
  out.tiles.insert(out.tiles.end(), sums.begin(), sums.end());
  out.step_ptr.push_back(static_cast<Offset>(out.tiles.size()));

  for (Index step = 0; step < steps; ++step) {
    for (const Index f : large) {
      const Index b = num_blocks(fronts[f], cut) - 1 - step;
      for (Index target = b == 0 ? -1 : 0; target < b; ++target) {
        out.tiles.push_back({f, b, target, 0, 0, 0, 0, target <= 0 ? CLCHOL_SOLVE_WRITE : 0});
      }
    }
    out.step_ptr.push_back(static_cast<Offset>(out.tiles.size()));
  }
  return out;
}

}  // namespace clchol::gpu
