#include "gpu_kernels/reference/couple_blocks.hpp"

namespace clchol::gpu::reference {
namespace {

/// Entry (i, j) of a square block.
std::size_t entry(Offset begin, Index i, Index j) {
  return static_cast<std::size_t>(begin + i + Offset{j} * kSolveBlock);
}

}  // namespace

void couple_blocks(std::span<const SolveCoupling> couplings, std::span<const double> panels,
                   std::span<double> inverses) {
  constexpr Offset kEntries = Offset{kSolveBlock} * kSolveBlock;
  for (const SolveCoupling& coupling : couplings) {
    const auto l = [&](Index i, Index j) {  // L(b, b - 1), zero behind its rows.
      return i < coupling.rows
                 ? panels[static_cast<std::size_t>(coupling.block + i + j * coupling.ld)]
                 : 0.0;
    };
    const auto w = [&](Offset block, Index i, Index j) {  // W(b - 1), W(b).
      return inverses[entry(coupling.inverse + block * kEntries, i, j)];
    };
    for (Index j = 0; j < kSolveBlock; ++j) {
      for (Index i = 0; i < kSolveBlock; ++i) {
        double first = 0, second = 0;
        for (Index k = 0; k < kSolveBlock; ++k) {
          first += w(1, i, k) * l(k, j);
          second += l(i, k) * w(0, k, j);
        }
        inverses[entry(coupling.to, i, j)] = i < coupling.rows ? first : 0;
        inverses[entry(coupling.to + kEntries, i, j)] = second;
      }
    }
  }
}

}  // namespace clchol::gpu::reference
