// Forward and backward solve with one panel: strips of columns, and tasks for large panels.
//
// forward                                          backward
//
//   strip by strip of L11 from the left              w1 := w1 - L21' w2   tasks by columns
//     x  := triangle^-1 w1                           strip by strip of L11 from the right
//     w1 := w1 - (rows below) x   tasks by rows        w1 := w1 - (rows below)' x   tasks by
//     columns
//   w2 := w2 - L21 x              tasks by rows        x  := triangle^-T w1
//
// x and w are rows of W, of one right-hand side or many (base/rows_view.hpp).
//
// Threads meet once for L21, most of a panel, and where L11 is large once a strip.  Rows and
// columns are dealt to tasks in pieces that follow from the panel and the team, and every entry is
// summed in the same order whether there are tasks or not.
#include <algorithm>

#include "base/team.hpp"
#include "numeric/dense/kernels.hpp"
#include "numeric/dense/solve_kernels.hpp"

namespace clchol::numeric::dense {
namespace {

// Panels of fewer entries go in one piece for one right-hand side.  Of fewer entries x right-hand
// sides, parts of panels go without tasks: 2^15 entries take some 15 us, less than which tasks do
// not win back their cost.
constexpr Offset kStripEntries = Offset{1} << 15;
// Columns of a strip: the triangle (64 x 64 doubles, 32 KiB) stays in the first cache.
constexpr Index kStripColumns = 64;
// Entries of one task, about 5 us.
constexpr Offset kTaskEntries = Offset{1} << 13;
// Rows of a task are multiples of this, so that no vector is torn; and so are columns.
constexpr Index kRowUnit = 64, kColumnUnit = 8;
// Values of w at a time without tasks, and in a task: they stay in the first cache.
constexpr Offset kPieceValues = 2048;

template <class T>
struct Solve {
  const SolveKernels<T>& kernels;
  PanelView<T> l;
  const T* inv_diag;
  T* w;  // nrow rows of length ldw.
  Offset ldw;
  bool team;

  T* row(Index i) const { return w + i * ldw; }

  PanelView<T> part(Index row, Index nrow, Index col, Index ncol) const {
    return {l.column(col) + row, nrow, ncol, l.ld};
  }
};

/// f(k, length) for pieces [k, k + length) of [begin, end), as tasks where there is a team.
template <class F>
void for_each_piece(bool team, Index begin, Index end, Index piece, const F& f) {
  const Index count = (end - begin + piece - 1) / piece;
  const auto nth = [&](Index k) {
    const Index at = begin + k * piece;
    f(at, std::min(piece, end - at));
  };
  if (team) return run_tasks(count, nth);
  for (Index k = 0; k < count; ++k) nth(k);
}

/// Rows, or columns, of one task where each has `length` entries.
Index task_size(Index length, Index unit) {
  return static_cast<Index>(std::max<Offset>(kTaskEntries / (Offset{length} * unit), 1)) * unit;
}

/// Least rows of one task.  Memory is read at its rate only in runs down the columns that are a
/// page or half of one; but every thread shall have two tasks.
Index rows_of_unit(Index nrow, int threads) {
  constexpr Index kLongRun = 4 * kRowUnit;
  return std::clamp(nrow / (2 * threads) / kRowUnit * kRowUnit, kRowUnit, kLongRun);
}

/// A rectangle of the panel, below the diagonal.
struct Part {
  Index row, nrow, col, ncol;
};

template <class T>
bool wants_tasks(const Solve<T>& s, const Part& part) {
  return s.team && Offset{part.nrow} * part.ncol * s.ldw >= kStripEntries;
}

/// Rows that are taken at a time.
template <class T>
Index piece_rows(const Solve<T>& s) {
  return static_cast<Index>(std::max<Offset>(kPieceValues / s.ldw, kRowUnit));
}

/// w(rows) := w(rows) - A x(columns).
template <class T>
void subtract_rows(const Solve<T>& s, const Part& part) {
  if (part.nrow == 0) return;
  const bool team = wants_tasks(s, part);
  const Index piece =
      team ? task_size(part.ncol, rows_of_unit(part.nrow, team_size())) : piece_rows(s);
  for_each_piece(team, part.row, part.row + part.nrow, piece, [&](Index i, Index rows) {
    s.kernels.subtract_product(s.part(i, rows, part.col, part.ncol), s.row(part.col), s.row(i),
                               s.ldw);
  });
}

/// w(columns) := w(columns) - A' w(rows).
template <class T>
void subtract_columns(const Solve<T>& s, const Part& part) {
  if (part.nrow == 0) return;
  const bool team = wants_tasks(s, part);
  const Index piece = team ? task_size(part.nrow, kColumnUnit) : part.ncol;
  // One right-hand side is read from the second cache as fast as it is multiplied.
  const Index length = s.ldw == 1 ? part.nrow : piece_rows(s);
  for_each_piece(team, part.col, part.col + part.ncol, piece, [&](Index j, Index columns) {
    for_each_piece(false, part.row, part.row + part.nrow, length, [&](Index i, Index rows) {
      s.kernels.subtract_transposed(s.part(i, rows, j, columns), s.row(i), s.row(j), s.ldw);
    });
  });
}

template <class T>
void forward_strips(const Solve<T>& s) {
  const Index ncol = s.l.ncol;
  for (Index begin = 0; begin < ncol; begin += kStripColumns) {
    const Index width = std::min(kStripColumns, ncol - begin), end = begin + width;
    s.kernels.forward_panel(s.part(begin, width, begin, width), s.inv_diag + begin, s.row(begin),
                            s.ldw);
    subtract_rows(s, {end, ncol - end, begin, width});
  }
  subtract_rows(s, {ncol, s.l.nrow - ncol, 0, ncol});
}

template <class T>
void backward_strips(const Solve<T>& s) {
  const Index ncol = s.l.ncol;
  subtract_columns(s, {ncol, s.l.nrow - ncol, 0, ncol});
  for (Index begin = (ncol - 1) / kStripColumns * kStripColumns; begin >= 0;
       begin -= kStripColumns) {
    const Index width = std::min(kStripColumns, ncol - begin), end = begin + width;
    subtract_columns(s, {end, ncol - end, begin, width});
    s.kernels.backward_panel(s.part(begin, width, begin, width), s.inv_diag + begin, s.row(begin),
                             s.ldw);
  }
}

/// Whether the panel and its right-hand sides stay in the caches: it goes in one piece then.
bool is_small(Offset entries, Index nrow, Offset ldw) {
  return ldw == 1 ? entries < kStripEntries
                  : entries < kStripEntries / 4 && nrow * ldw <= kPieceValues;
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
    forward_strips(Solve<T>{kernels, l, inv_diag, w, ldw, execution.team});
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
    backward_strips(Solve<T>{kernels, l, inv_diag, w, ldw, execution.team});
  }
}

namespace {

/// f(part of the panel's rows from `row` on, their index) for pieces of rows.
template <class T, class F>
void for_scattered_pieces(const Solve<T>& s, Index row, std::span<const Index> index, const F& f) {
  const Index length = piece_rows(s), count = static_cast<Index>(index.size());
  for (Index i = 0; i < count; i += length) {
    f(s.part(row + i, std::min(length, count - i), 0, s.l.ncol), index.data() + i);
  }
}

}  // namespace

template <class T>
void forward_front_at(const T* panel, Offset ldp, Index ncol, const T* inv_diag, T* w1, Offset ldw,
                      const ScatteredRows<T> (&w2)[2]) {
  const Solve<T> s{solve_kernels<T>(), {panel, ncol, ncol, ldp}, inv_diag, w1, ldw, false};
  forward_strips(s);
  Index row = ncol;
  for (const ScatteredRows<T>& part : w2) {
    for_scattered_pieces(s, row, part.index, [&](const PanelView<T>& a, const Index* index) {
      s.kernels.subtract_product_at(a, w1, part.rows, ldw, index);
    });
    row += static_cast<Index>(part.index.size());
  }
}

template <class T>
void backward_front_at(const T* panel, Offset ldp, Index ncol, const T* inv_diag, T* w1, Offset ldw,
                       const ScatteredRows<T>& w2) {
  const Solve<T> s{solve_kernels<T>(), {panel, ncol, ncol, ldp}, inv_diag, w1, ldw, false};
  for_scattered_pieces(s, ncol, w2.index, [&](const PanelView<T>& a, const Index* index) {
    s.kernels.subtract_transposed_at(a, w2.rows, w1, ldw, index);
  });
  backward_strips(s);
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
