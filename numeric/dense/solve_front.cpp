// Forward and backward solve with one panel, by bands of L11's columns; large panels use tasks.
//
// forward:   for each band of L11 from the left
//              x  := triangle^-1 w1
//              w1 := w1 - (rows below in L11) x       tasks by rows
//            w2 := w2 - L21 x                         tasks by rows
//
// backward:  w1 := w1 - L21' w2                       tasks by columns
//            for each band of L11 from the right
//              w1 := w1 - (rows below in L11)' x      tasks by columns
//              x  := triangle^-T w1
//
// x and w are rows of W, which holds one or many right-hand sides (base/rows_view.hpp).
//
// Threads synchronize once for L21, which is most of a panel, and once for each band where L11 is
// large.  The sizes of tasks depend on the panel and on the team, but every entry is summed in the
// same order with or without tasks.
#include <algorithm>

#include "base/team.hpp"
#include "numeric/dense/kernels.hpp"
#include "numeric/dense/solve_kernels.hpp"

namespace clchol::numeric::dense {
namespace {

// With one right-hand side, panels of fewer entries are solved in one kernel call.  Rectangles with
// fewer entries x right-hand sides are not split into tasks: 2^15 entries take about 15 us, and for
// less work tasks cost more than they gain.
constexpr Offset kBandEntries = Offset{1} << 15;
// Columns of a band.  The triangle of a band (64 x 64 doubles, 32 KiB) stays in the L1 cache.
constexpr Index kBandColumns = 64;
// Panel entries of one task, about 5 us.
constexpr Offset kTaskEntries = Offset{1} << 13;
// Rows and columns of a task are multiples of these, so that no vector is split between tasks.
constexpr Index kRowUnit = 64, kColumnUnit = 8;
// Entries of w that one kernel call covers without tasks, and within a task by columns.  They stay
// in the L1 cache.
constexpr Offset kRangeValues = 2048;

/// A panel and its right-hand sides.
template <class T>
struct Solve {
  const SolveKernels<T>& kernels;
  PanelView<T> l;
  const T* inv_diag;
  T* w;  // Right-hand sides, nrow rows of length ldw.
  Offset ldw;
  bool team;

  T* row(Index i) const { return w + i * ldw; }

  PanelView<T> part(Index row, Index nrow, Index col, Index ncol) const {
    return {l.column(col) + row, nrow, ncol, l.ld};
  }
};

/// Calls f(k, length) for each part [k, k + length) of [begin, end), where length <= `range`.  The
/// calls are tasks if `team` is set.
template <class F>
void for_each_range(bool team, Index begin, Index end, Index range, const F& f) {
  const Index count = (end - begin + range - 1) / range;
  const auto nth = [&](Index k) {
    const Index at = begin + k * range;
    f(at, std::min(range, end - at));
  };
  if (team) return run_tasks(count, nth);
  for (Index k = 0; k < count; ++k) nth(k);
}

/// @return rows or columns of one task, when a row or column has `length` entries; a multiple of
///         `unit`.
Index task_size(Index length, Index unit) {
  return static_cast<Index>(std::max<Offset>(kTaskEntries / (Offset{length} * unit), 1)) * unit;
}

/// @return least rows of one task.  Memory is read at full rate only when a task's rows of a column
///         fill a page or half of a page; but every thread should have two tasks.
Index rows_of_unit(Index nrow, int threads) {
  constexpr Index kLongRun = 4 * kRowUnit;
  return std::clamp(nrow / (2 * threads) / kRowUnit * kRowUnit, kRowUnit, kLongRun);
}

/// A rectangle of the panel, below the diagonal: its first row and column, and its size.
struct Part {
  Index row, nrow, col, ncol;
};

template <class T>
bool wants_tasks(const Solve<T>& s, const Part& part) {
  return s.team && Offset{part.nrow} * part.ncol * s.ldw >= kBandEntries;
}

/// @return rows of w that one kernel call covers.
template <class T>
Index range_rows(const Solve<T>& s) {
  return static_cast<Index>(std::max<Offset>(kRangeValues / s.ldw, kRowUnit));
}

/// w(rows) := w(rows) - A x(columns).
template <class T>
void subtract_rows(const Solve<T>& s, const Part& part) {
  if (part.nrow == 0) return;
  const bool team = wants_tasks(s, part);
  const Index range =
      team ? task_size(part.ncol, rows_of_unit(part.nrow, team_size())) : range_rows(s);
  for_each_range(team, part.row, part.row + part.nrow, range, [&](Index i, Index rows) {
    s.kernels.subtract_product(s.part(i, rows, part.col, part.ncol), s.row(part.col), s.row(i),
                               s.ldw);
  });
}

/// w(columns) := w(columns) - A' w(rows).
template <class T>
void subtract_columns(const Solve<T>& s, const Part& part) {
  if (part.nrow == 0) return;
  const bool team = wants_tasks(s, part);
  const Index range = team ? task_size(part.nrow, kColumnUnit) : part.ncol;
  // One right-hand side need not stay in the L1 cache: the L2 cache is as fast as the products.
  const Index length = s.ldw == 1 ? part.nrow : range_rows(s);
  for_each_range(team, part.col, part.col + part.ncol, range, [&](Index j, Index columns) {
    for_each_range(false, part.row, part.row + part.nrow, length, [&](Index i, Index rows) {
      s.kernels.subtract_transposed(s.part(i, rows, j, columns), s.row(i), s.row(j), s.ldw);
    });
  });
}

/// Forward solve with the panel by bands of L11.
template <class T>
void forward_bands(const Solve<T>& s) {
  const Index ncol = s.l.ncol;
  for (Index begin = 0; begin < ncol; begin += kBandColumns) {
    const Index width = std::min(kBandColumns, ncol - begin), end = begin + width;
    s.kernels.forward_panel(s.part(begin, width, begin, width), s.inv_diag + begin, s.row(begin),
                            s.ldw);
    subtract_rows(s, {end, ncol - end, begin, width});
  }
  subtract_rows(s, {ncol, s.l.nrow - ncol, 0, ncol});
}

/// Backward solve with the panel by bands of L11.
template <class T>
void backward_bands(const Solve<T>& s) {
  const Index ncol = s.l.ncol;
  subtract_columns(s, {ncol, s.l.nrow - ncol, 0, ncol});
  for (Index begin = (ncol - 1) / kBandColumns * kBandColumns; begin >= 0; begin -= kBandColumns) {
    const Index width = std::min(kBandColumns, ncol - begin), end = begin + width;
    subtract_columns(s, {end, ncol - end, begin, width});
    s.kernels.backward_panel(s.part(begin, width, begin, width), s.inv_diag + begin, s.row(begin),
                             s.ldw);
  }
}

/// Whether the panel and its right-hand sides stay in the caches, so that one kernel call solves.
bool is_small(Offset entries, Index nrow, Offset ldw) {
  return ldw == 1 ? entries < kBandEntries
                  : entries < kBandEntries / 4 && nrow * ldw <= kRangeValues;
}

}  // namespace

template <class T>
void forward_front(const T* panel, Offset ldp, Index nrow, Index ncol, const T* inv_diag, T* w,
                   Offset ldw, const Execution& execution) {
  const SolveKernels<T>& kernels = solve_kernels<T>();
  const PanelView<T> l{panel, nrow, ncol, ldp};
  if (is_small(Offset{nrow} * ncol, nrow, ldw)) {
    kernels.forward_panel(l, inv_diag, w, ldw);
  } else {
    forward_bands(Solve<T>{kernels, l, inv_diag, w, ldw, execution.team});
  }
}

template <class T>
void backward_front(const T* panel, Offset ldp, Index nrow, Index ncol, const T* inv_diag, T* w,
                    Offset ldw, const Execution& execution) {
  const SolveKernels<T>& kernels = solve_kernels<T>();
  const PanelView<T> l{panel, nrow, ncol, ldp};
  if (is_small(Offset{nrow} * ncol, nrow, ldw)) {
    kernels.backward_panel(l, inv_diag, w, ldw);
  } else {
    backward_bands(Solve<T>{kernels, l, inv_diag, w, ldw, execution.team});
  }
}

namespace {

/// Calls f(panel, index) for parts of the scattered rows: rows of the panel from `row` on, and the
/// index of the rows of W.
template <class T, class F>
void for_scattered_ranges(const Solve<T>& s, Index row, std::span<const Index> index, const F& f) {
  const Index length = range_rows(s), count = static_cast<Index>(index.size());
  for (Index i = 0; i < count; i += length) {
    f(s.part(row + i, std::min(length, count - i), 0, s.l.ncol), index.data() + i);
  }
}

}  // namespace

template <class T>
void forward_front_at(const T* panel, Offset ldp, Index ncol, const T* inv_diag, T* w1, Offset ldw,
                      const ScatteredRows<T> (&w2)[2]) {
  const Solve<T> s{solve_kernels<T>(), {panel, ncol, ncol, ldp}, inv_diag, w1, ldw, false};
  forward_bands(s);
  Index row = ncol;
  for (const ScatteredRows<T>& part : w2) {
    for_scattered_ranges(s, row, part.index, [&](const PanelView<T>& a, const Index* index) {
      s.kernels.subtract_product_at(a, w1, part.rows, ldw, index);
    });
    row += static_cast<Index>(part.index.size());
  }
}

template <class T>
void backward_front_at(const T* panel, Offset ldp, Index ncol, const T* inv_diag, T* w1, Offset ldw,
                       const ScatteredRows<T>& w2) {
  const Solve<T> s{solve_kernels<T>(), {panel, ncol, ncol, ldp}, inv_diag, w1, ldw, false};
  for_scattered_ranges(s, ncol, w2.index, [&](const PanelView<T>& a, const Index* index) {
    s.kernels.subtract_transposed_at(a, w2.rows, w1, ldw, index);
  });
  backward_bands(s);
}

template void forward_front_at(const float*, Offset, Index, const float*, float*, Offset,
                               const ScatteredRows<float> (&)[2]);
template void forward_front_at(const double*, Offset, Index, const double*, double*, Offset,
                               const ScatteredRows<double> (&)[2]);
template void backward_front_at(const float*, Offset, Index, const float*, float*, Offset,
                                const ScatteredRows<float>&);
template void backward_front_at(const double*, Offset, Index, const double*, double*, Offset,
                                const ScatteredRows<double>&);
template void forward_front(const float*, Offset, Index, Index, const float*, float*, Offset,
                            const Execution&);
template void forward_front(const double*, Offset, Index, Index, const double*, double*, Offset,
                            const Execution&);
template void backward_front(const float*, Offset, Index, Index, const float*, float*, Offset,
                             const Execution&);
template void backward_front(const double*, Offset, Index, Index, const double*, double*, Offset,
                             const Execution&);

}  // namespace clchol::numeric::dense
