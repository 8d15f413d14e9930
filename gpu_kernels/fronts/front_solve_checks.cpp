#include "gpu_kernels/fronts/front_solve_checks.hpp"

#include <string>

#include "base/index_math.hpp"
#include "gpu_kernels/fronts/panel_checks.hpp"

namespace clchol::gpu {
namespace {

/// Throws InvalidArgument with the text of what() unless `holds`.
template <class What>
void require_in_solve(bool holds, std::size_t front, const What& what) {
  if (!holds) {
    throw InvalidArgument("front_solve: front " + std::to_string(front) + ": " + what());
  }
}

void check_front(const FrontSolveInput& in, std::size_t f) {
  const SolveFrontInput& front = in.fronts[f];
  const auto fault = [&] { return fault_of_panel(front.nrow, front.ncol, front.ldp, front.panel); };
  const bool is_given = front.is_handed && front.ncol == 0 && front.nrow >= 0;
  require_in_solve(is_given || fault().empty(), f, fault);
  require_in_solve(front.rows >= 0 && front.rows <= in.num_rows - front.nrow, f, [&] {
    return "rows at " + std::to_string(front.rows) + " of " + std::to_string(in.num_rows);
  });
  if (front.parent == kNone) return;
  require_in_solve(front.parent > static_cast<Index>(f) && at(front.parent) < in.fronts.size(), f,
                   [&] { return "parent " + std::to_string(front.parent) + "; a later front"; });
  const Index parent_group = in.fronts[at(front.parent)].group;
  require_in_solve(parent_group >= front.group, f, [&] {
    return "group " + std::to_string(front.group) + ", its parent's is " +
           std::to_string(parent_group);
  });
  const auto num_relind = static_cast<Offset>(in.relind.size());
  require_in_solve(front.relind >= 0 && front.relind <= num_relind - nupd(front), f, [&] {
    return "relative indices at " + std::to_string(front.relind) + " of " +
           std::to_string(num_relind);
  });
  const Index parent_rows = in.fronts[at(front.parent)].nrow;
  for (const Index row : in.relind.subspan(at(front.relind), at(nupd(front)))) {
    require_in_solve(row >= 0 && row < parent_rows, f, [&] {
      return "relative index " + std::to_string(row) + " of " + std::to_string(parent_rows);
    });
  }
}

bool valid_parts(const FrontSolveOptions& options) {
  return options.part_rows >= kSolveBlock && options.part_rows % kSolveBlock == 0;
}

void check_options(const FrontSolveOptions& options) {
  if (options.coupled_blocks < 2) {
    throw InvalidArgument("front_solve: " + std::to_string(options.coupled_blocks) +
                          " coupled blocks, at least 2");
  }
  if (options.spanned_blocks < 0 || options.span < 1 || options.span > 8) {
    throw InvalidArgument("front_solve: spans of " + std::to_string(options.span) +
                          " blocks, 1 to 8, in fronts of " +
                          std::to_string(options.spanned_blocks) + ", at least 0");
  }
  if (options.subtree_columns < 0 || options.subtree_columns > kMostSubtreeColumns ||
      options.subtrees < 1 || !valid_parts(options)) {
    throw InvalidArgument("front_solve: " + std::to_string(options.subtree_columns) +
                          " columns, at most " + std::to_string(kMostSubtreeColumns) + "; " +
                          std::to_string(options.subtrees) + " subtrees, at least 1; parts of " +
                          std::to_string(options.part_rows) + " rows, a multiple of " +
                          std::to_string(kSolveBlock));
  }
}

}  // namespace

void check_front_solve(const FrontSolveInput& input, const FrontSolveOptions& options) {
  check_options(options);
  for (std::size_t f = 0; f < input.fronts.size(); ++f) check_front(input, f);
}

}  // namespace clchol::gpu
