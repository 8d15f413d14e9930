#include "gpu_kernels/reference/couple_blocks.hpp"

#include <algorithm>
#include <vector>

namespace clchol::gpu::reference {
namespace {

constexpr Offset kEntries = Offset{kSolveBlock} * kSolveBlock;
using Block = std::vector<double>;  // kSolveBlock x kSolveBlock entries, column-major.

// Computes one coupling: W, C or D of kernels/fronts/front_solve_args.h.
class Couple {
 public:
  Couple(const SolveCoupling& coupling, std::span<const double> panels, std::span<double> inverses)
      : c_(coupling), panels_(panels), inverses_(inverses) {}

  void run() {
    const Index first = begin_of_span(c_.kind == CLCHOL_COUPLE_BEFORE ? c_.row : c_.column);
    Block sum(kEntries);
    if (c_.kind == CLCHOL_COUPLE_INSIDE) {
      for (Index t = c_.column; t < c_.row; ++t) add(sum, panel(c_.row, t), w(t, c_.column), 1);
      Block solved(kEntries);
      add(solved, w(c_.row, c_.row), sum, -1);
      put(inside(c_.row, c_.column), solved);
    } else if (c_.kind == CLCHOL_COUPLE_BEFORE) {
      for (Index t = first; t <= c_.row; ++t) add(sum, w(c_.row, t), panel(t, c_.column), 1);
      put(pair() + (c_.row % c_.span * c_.span + c_.column % c_.span) * kEntries, sum);
    } else {
      for (Index t = c_.column; t < first + c_.span; ++t) {
        add(sum, panel(c_.row, t), w(t, c_.column), 1);
      }
      const Index behind = (c_.span + c_.row % c_.span) * c_.span + c_.column % c_.span;
      put(pair() + behind * kEntries, sum);
    }
  }

 private:
  Index begin_of_span(Index block) const { return block / c_.span * c_.span; }
  Offset num_inside() const { return Offset{c_.span} * (c_.span - 1) / 2; }
  Offset inside(Index i, Index m) const {
    if (i == m) return c_.inverses + i * kEntries;
    const Index row = i % c_.span;
    return c_.couplings +
           (i / c_.span * num_inside() + row * (row - 1) / 2 + m % c_.span) * kEntries;
  }
  // Position of the couplings C and D of the span that has block c_.row and the span before it.
  Offset pair() const {
    const Index blocks = (c_.ncol + kSolveBlock - 1) / kSolveBlock;
    const Index spans = (blocks + c_.span - 1) / c_.span;
    return c_.couplings +
           (spans * num_inside() + Offset{c_.row / c_.span - 1} * 2 * c_.span * c_.span) * kEntries;
  }

  // L(i, t), with zeros behind the front's last pivot row.
  Block panel(Index i, Index t) const {
    const Index rows = std::min(kSolveBlock, c_.ncol - i * kSolveBlock);
    const Offset begin = c_.panel + Offset{i} * kSolveBlock + Offset{t} * kSolveBlock * c_.ldp;
    Block block(kEntries);
    for (Index j = 0; j < kSolveBlock; ++j) {
      for (Index r = 0; r < rows; ++r) {
        block[at(r, j)] = panels_[static_cast<std::size_t>(begin + r + j * c_.ldp)];
      }
    }
    return block;
  }
  // W(i, t), the inverse of a span's rows of L by blocks.
  Block w(Index i, Index t) const {
    const auto from = inverses_.begin() + inside(i, t);
    return {from, from + kEntries};
  }
  void put(Offset to, const Block& block) {
    std::copy(block.begin(), block.end(), inverses_.begin() + to);
  }
  static std::size_t at(Index i, Index j) {
    return static_cast<std::size_t>(i + Offset{kSolveBlock} * j);
  }
  // sum += sign * left * right
  static void add(Block& sum, const Block& left, const Block& right, double sign) {
    for (Index j = 0; j < kSolveBlock; ++j) {
      for (Index k = 0; k < kSolveBlock; ++k) {
        for (Index i = 0; i < kSolveBlock; ++i) {
          sum[at(i, j)] += sign * left[at(i, k)] * right[at(k, j)];
        }
      }
    }
  }

  const SolveCoupling& c_;
  std::span<const double> panels_;
  std::span<double> inverses_;
};

}  // namespace

void couple_blocks(std::span<const SolveCoupling> couplings, std::span<const double> panels,
                   std::span<double> inverses) {
  for (const SolveCoupling& coupling : couplings) Couple(coupling, panels, inverses).run();
}

}  // namespace clchol::gpu::reference
