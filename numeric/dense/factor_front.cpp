// Factorization of a front: chooses the unpacked or the packed path, and orders the steps and tasks
// of the packed path.
//
// The packed path is right-looking by blocks of columns, with three phases for each block:
//
//        k0   k1
//      +----+--------+      diagonal   L11 := chol(A11), one thread
//   k0 | D  |        |      rows       L21 := A21 L11^-T, packed into slivers on the way
//      +----+----+   |      trailing   C := C - L21 L21', in the panel and in the update matrix
//   k1 |    | D2 |   |
//      | L21+----+   |      The first task of the trailing phase updates and factors the next
//      |    |  C     |      diagonal block D2, so that only the rows phase of D2 waits for the
//      +----+--------+      factorization of D2.
//
// Every task writes tiles of its own, and every tile sums over the columns in a fixed order.  So
// the result does not depend on tasks or threads, bit for bit.
//
// A strip of a front that is not in memory as a whole is computed left-looking by the same blocks
// of columns: every entry of the strip subtracts the products of the same blocks in the same order.
#include <algorithm>

#include "base/team.hpp"
#include "numeric/dense/kernel_tables.hpp"
#include "numeric/dense/kernels.hpp"

namespace clchol::numeric::dense {
namespace {

// Least columns of a front that is packed.  For fewer columns, packing costs more than it saves.
constexpr Index kPackedMinCols = 16;

// Rows of one task of the rows phase: 144 rows x 192 columns are 5.3 Mflop, about 0.1 ms.
constexpr Index kSolveTaskRows = 144;
// Columns and rows of one task of the trailing phase, multiples of kMaxSliverRows and of
// kUpdateBlock.  The slivers of the rows stay in the L2 cache: 192 x 192 doubles are 288 KiB.  A
// task is 14 Mflop, about 0.3 ms.
constexpr Index kTrailingTaskCols = 192;
constexpr Index kTrailingTaskRows = 192;
static_assert(kStripUnit == kBlock && kStripUnit % kUpdateBlock == 0);

constexpr Index ceil_div(Index n, Index step) { return (n + step - 1) / step; }
constexpr Index round_up(Index n, Index step) { return (n + step - 1) / step * step; }

/// Blocks of columns of the trailing matrix for tasks: first the columns of the next diagonal
/// block, then the other columns of the panel, then the columns of the update matrix.
struct TrailingBlocks {
  /// Columns of the next diagonal block (0: there is none), of the panel, and of the whole matrix.
  Index next, panel_cols, num_cols;

  Index of_next() const { return next > 0 ? 1 : 0; }
  Index of_panel() const { return ceil_div(panel_cols - next, kTrailingTaskCols); }
  Index count() const {
    return of_next() + of_panel() + ceil_div(num_cols - panel_cols, kTrailingTaskCols);
  }

  /// Finds the columns [begin, end) of block b.
  /// @return the first row to update.  The first block begins below the next diagonal block, which
  ///         has a task of its own.
  Index columns(Index b, Index& begin, Index& end) const {
    if (b < of_next()) {
      begin = 0;
      return end = next;
    }
    b -= of_next();
    const bool in_panel = b < of_panel();
    begin =
        in_panel ? next + b * kTrailingTaskCols : panel_cols + (b - of_panel()) * kTrailingTaskCols;
    end = std::min(begin + kTrailingTaskCols, in_panel ? panel_cols : num_cols);
    return begin;
  }
};

/// Addresses in the workspace of a packed front.
template <class T>
struct PackedWorkspace {
  explicit PackedWorkspace(T* workspace)
      : diagonal(workspace),
        diagonal_packed(diagonal + kDiagonalLd * kBlock),
        slivers(diagonal_packed + Offset{kBlock + kMaxSliverRows} * kBlock) {}

  T* diagonal;         // The diagonal block, kDiagonalLd x kBlock.
  T* diagonal_packed;  // L of the diagonal block, in slivers.
  T* slivers;          // L21 of the block, all rows below it, in slivers.
};

/// Calls f(k) for k = 0, ..., count - 1; as tasks if the team is to help.
template <class F>
void for_each_range(const Execution& execution, Index count, const F& f) {
  if (execution.team) return run_tasks(count, f);
  for (Index k = 0; k < count; ++k) f(k);
}

/// Factorization of one packed front.  A front without the address of an update matrix is factored
/// alone, and has no update matrix even where it has more rows than columns.
template <class T>
class PackedFactorization {
 public:
  PackedFactorization(const FrontView<T>& front, bool accumulate, const ColumnBlocks& blocks,
                      T* inv_diag, T* workspace, const Execution& execution)
      : kernels_(factor_kernels<T>()),
        front_(front),
        accumulate_(accumulate),
        blocks_(blocks),
        inv_diag_(inv_diag),
        workspace_(workspace),
        execution_(execution) {}

  PivotCheck<T> run() {
    Index begin = 0;
    Index end = blocks_.end_of(0);
    check_ = factor_diagonal(begin, end);
    while (check_.column == kNone && end < front_.nrow && !cancelled()) {
      solve_rows(begin, end);
      tell_final(begin, end);
      update_trailing(begin, end);
      begin = end;
      end = blocks_.end_of(begin);
      if (begin == front_.ncol) break;
    }
    // The last block has no rows below it if the front has no update matrix.
    if (check_.column == kNone && begin < front_.ncol && !cancelled()) tell_final(begin, end);
    return check_;
  }

 private:
  bool cancelled() const {
    return execution_.cancel != nullptr && execution_.cancel->load(std::memory_order_relaxed);
  }

  void tell_final(Index begin, Index end) const {
    if (execution_.final != nullptr) (*execution_.final)(begin, end);
  }

  T* entry(Index i, Index j) const { return front_.panel + i + j * front_.ldp; }

  PivotCheck<T> factor_diagonal(Index begin, Index end) const {
    const FrontView<T> block{entry(begin, begin), front_.ldp, end - begin, end - begin, nullptr};
    PivotCheck<T> check = kernels_.diagonal_block(block, inv_diag_ + begin, workspace_.diagonal,
                                                  workspace_.diagonal_packed);
    if (check.column != kNone) check.column += begin;
    return check;
  }

  void solve_rows(Index begin, Index end) const {
    const Index width = end - begin;
    const Index num_rows = front_.nrow - end;
    for_each_range(execution_, ceil_div(num_rows, kSolveTaskRows), [&](Index k) {
      const Index i = k * kSolveTaskRows;
      kernels_.solve_rows({entry(end + i, begin), front_.ldp,
                           std::min(kSolveTaskRows, num_rows - i), width, workspace_.diagonal,
                           workspace_.diagonal_packed, inv_diag_ + begin,
                           workspace_.slivers + Offset{i} * width});
    });
  }

  void update_trailing(Index begin, Index end) {
    TrailingUpdate<T> whole{};
    whole.slivers = workspace_.slivers;
    whole.depth = end - begin;
    whole.num_rows = front_.nrow - end;
    whole.panel = entry(end, std::min(end, front_.ncol - 1));
    whole.ldp = front_.ldp;
    whole.panel_cols = front_.ncol - end;
    whole.update = front_.update;
    whole.accumulate = accumulate_ || begin > 0;
    const Index next = whole.panel_cols > 0 ? blocks_.width : 0;
    const TrailingBlocks blocks{next, whole.panel_cols,
                                front_.update == nullptr ? whole.panel_cols : whole.num_rows};
    const Index row_ranges = ceil_div(whole.num_rows, kTrailingTaskRows);
    for_each_range(execution_, 1 + blocks.count() * row_ranges, [&](Index k) {
      if (k == 0) {
        if (next > 0) update_corner(whole, end, next);
        return;
      }
      TrailingUpdate<T> range = whole;
      const Index row_begin = blocks.columns((k - 1) / row_ranges, range.col_begin, range.col_end);
      range.row_begin = row_begin + (k - 1) % row_ranges * kTrailingTaskRows;
      if (range.row_begin >= whole.num_rows) return;  // Above the diagonal.
      range.row_end = std::min(range.row_begin + kTrailingTaskRows, whole.num_rows);
      kernels_.update_trailing(range);
    });
  }

  /// Updates and factors the next diagonal block.
  void update_corner(const TrailingUpdate<T>& whole, Index begin, Index width) {
    TrailingUpdate<T> corner = whole;
    corner.row_end = corner.col_end = width;
    kernels_.update_trailing(corner);
    check_ = factor_diagonal(begin, begin + width);
  }

  const FactorKernels<T>& kernels_;
  const FrontView<T> front_;
  const bool accumulate_;
  const ColumnBlocks blocks_;
  T* const inv_diag_;
  const PackedWorkspace<T> workspace_;
  const Execution execution_;
  PivotCheck<T> check_;
};

/// Copies rows [begin, end) of factored columns into slivers, one sliver after another.
/// @param rows  address of the entry in row 0 of the first column.
template <class T>
void pack_slivers(const T* rows, Offset ld, Index begin, Index end, Index depth, Index sliver_rows,
                  T* slivers) {
  for (Index i = begin; i < end; i += sliver_rows) {
    const Index count = std::min(sliver_rows, end - i);
    T* const sliver = slivers + Offset{i} * depth;
    for (Index k = 0; k < depth; ++k) {
      std::copy_n(rows + i + k * ld, count, sliver + Offset{k} * sliver_rows);
    }
  }
}

}  // namespace

template <class T>
bool can_have_strips(Index nrow, Index ncol) {
  return nrow >= factor_kernels<T>().packed_min_rows && ncol >= kPackedMinCols;
}

template <class T>
ColumnBlocks column_blocks(Index nrow, Index ncol) {
  if (!can_have_strips<T>(nrow, ncol)) return {ncol, ncol};
  // All blocks but the first have the same width, a multiple of the sliver height.  So in every
  // trailing matrix the border between panel and update matrix is between two slivers.
  const Index count = ceil_div(ncol, kBlock);
  const Index width = round_up(ceil_div(ncol, count), factor_kernels<T>().sliver_rows);
  return {ncol - (count - 1) * width, width};
}

template <class T>
void update_strip(const FrontView<T>& front, Index j0, Index j1, const T* factored, Offset ld,
                  Index k0, Index k1, T* workspace, const Execution& execution) {
  const FactorKernels<T>& kernels = factor_kernels<T>();
  const Index num_rows = front.nrow - j0, depth = k1 - k0;
  T* const slivers = PackedWorkspace<T>(workspace).slivers;
  const Index row_ranges = ceil_div(num_rows, kTrailingTaskRows);
  for_each_range(execution, row_ranges, [&](Index k) {
    const Index begin = k * kTrailingTaskRows;
    pack_slivers(factored + j0 + k0 * ld, ld, begin, std::min(begin + kTrailingTaskRows, num_rows),
                 depth, kernels.sliver_rows, slivers);
  });
  // The trailing matrix begins with the strip, or with the update matrix that the strip is part of.
  const bool in_panel = j0 < front.ncol;
  const Index before = in_panel ? 0 : j0 - front.ncol;  // Columns of C before the strip.
  TrailingUpdate<T> whole{};
  whole.slivers = slivers - Offset{before} * depth;
  whole.depth = depth;
  whole.num_rows = before + num_rows;
  whole.panel = in_panel ? front.panel + j0 + j0 * front.ldp : nullptr;
  whole.ldp = front.ldp;
  whole.panel_cols = in_panel ? j1 - j0 : 0;
  whole.update = front.update;
  whole.accumulate = k0 > 0;
  const Index end = before + j1 - j0;
  for_each_range(execution, ceil_div(j1 - j0, kTrailingTaskCols) * row_ranges, [&](Index k) {
    TrailingUpdate<T> range = whole;
    range.col_begin = before + k / row_ranges * kTrailingTaskCols;
    range.col_end = std::min(range.col_begin + kTrailingTaskCols, end);
    range.row_begin = range.col_begin + k % row_ranges * kTrailingTaskRows;
    if (range.row_begin >= whole.num_rows) return;  // Above the diagonal.
    range.row_end = std::min(range.row_begin + kTrailingTaskRows, whole.num_rows);
    kernels.update_trailing(range);
  });
}

template <class T>
PivotCheck<T> factor_strip(const FrontView<T>& front, Index j0, Index j1, T* inv_diag, T* workspace,
                           const Execution& execution) {
  const ColumnBlocks blocks = column_blocks<T>(front.nrow, front.ncol);
  Execution strip = execution;
  const std::function<void(Index, Index)> final = [&](Index begin, Index end) {
    (*execution.final)(j0 + begin, j0 + end);
  };
  if (execution.final != nullptr) strip.final = &final;
  const FrontView<T> columns{front.panel + j0 + j0 * front.ldp, front.ldp, front.nrow - j0, j1 - j0,
                             nullptr};
  PivotCheck<T> check =
      PackedFactorization<T>(columns, false, {j0 == 0 ? blocks.first : blocks.width, blocks.width},
                             inv_diag + j0, workspace, strip)
          .run();
  if (check.column != kNone) check.column += j0;
  return check;
}

template <class T>
Offset factor_workspace_size(Index max_nrow) {
  if (max_nrow < kLeastPackedRows) return 0;
  const Offset diagonal = kDiagonalLd * kBlock;
  const Offset diagonal_packed = Offset{kBlock + kMaxSliverRows} * kBlock;
  const Offset slivers = (max_nrow + Offset{2} * kMaxSliverRows) * kBlock;
  return diagonal + diagonal_packed + slivers + kReadSlack;
}

template <class T>
PivotCheck<T> factor_front(const FrontView<T>& front, bool accumulate, T* inv_diag, T* workspace,
                           const Execution& execution) {
  if (!can_have_strips<T>(front.nrow, front.ncol)) {
    const PivotCheck<T> check = factor_kernels<T>().unpacked_front(front, accumulate, inv_diag);
    if (check.column == kNone && execution.final != nullptr) (*execution.final)(0, front.ncol);
    return check;
  }
  return PackedFactorization<T>(front, accumulate, column_blocks<T>(front.nrow, front.ncol),
                                inv_diag, workspace, execution)
      .run();
}

template Offset factor_workspace_size<float>(Index);
template Offset factor_workspace_size<double>(Index);
template bool can_have_strips<float>(Index, Index);
template bool can_have_strips<double>(Index, Index);
template ColumnBlocks column_blocks<float>(Index, Index);
template ColumnBlocks column_blocks<double>(Index, Index);
template void update_strip(const FrontView<float>&, Index, Index, const float*, Offset, Index,
                           Index, float*, const Execution&);
template void update_strip(const FrontView<double>&, Index, Index, const double*, Offset, Index,
                           Index, double*, const Execution&);
template PivotCheck<float> factor_strip(const FrontView<float>&, Index, Index, float*, float*,
                                        const Execution&);
template PivotCheck<double> factor_strip(const FrontView<double>&, Index, Index, double*, double*,
                                         const Execution&);
template PivotCheck<float> factor_front(const FrontView<float>&, bool, float*, float*,
                                        const Execution&);
template PivotCheck<double> factor_front(const FrontView<double>&, bool, double*, double*,
                                         const Execution&);

}  // namespace clchol::numeric::dense
