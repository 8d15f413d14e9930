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
// Threads meet once for L21, most of a panel, and where L11 is large once a strip.  Rows and
// columns are dealt to tasks in pieces whose size the panel's decides, and every entry is summed in
// the same order whether there are tasks or not.
#include <algorithm>

#include "base/team.hpp"
#include "numeric/dense/kernels.hpp"
#include "numeric/dense/solve_kernels.hpp"

namespace clchol::numeric::dense {
namespace {

// Panels of fewer entries x right-hand sides go in one piece for one right-hand side, and without
// tasks for many: 2^15 entries take some 15 us, less than which tasks do not win back their cost.
constexpr Offset kStripEntries = Offset{1} << 15;
// Columns of a strip: the triangle (64 x 64 doubles, 32 KiB) stays in the first cache.
constexpr Index kStripColumns = 64;
// Entries of one task, about 5 us.
constexpr Offset kTaskEntries = Offset{1} << 13;
// Rows of a task are multiples of this, so that no vector is torn; and so are columns.
constexpr Index kRowUnit = 64, kColumnUnit = 8;
// Rows at a time without tasks: their part of w stays in the first cache.
constexpr Index kPieceRows = 512;

template <class T>
struct Solve {
  const SolveKernels<T>& kernels;
  PanelView<T> l;
  const T* inv_diag;
  ManyColumns<T> w;
  bool team;

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

/// A rectangle of the panel, below the diagonal.
struct Part {
  Index row, nrow, col, ncol;
};

template <class T>
bool wants_tasks(const Solve<T>& s, const Part& part) {
  return s.team && Offset{part.nrow} * part.ncol * s.w.nrhs >= kStripEntries;
}

/// w(rows) := w(rows) - A x(columns).
template <class T>
void subtract_rows(const Solve<T>& s, const Part& part) {
  if (part.nrow == 0) return;
  const bool team = wants_tasks(s, part);
  const Index piece = team ? task_size(part.ncol, kRowUnit) : kPieceRows;
  for_each_piece(team, part.row, part.row + part.nrow, piece, [&](Index i, Index rows) {
    const PanelView<T> a = s.part(i, rows, part.col, part.ncol);
    if (s.w.nrhs == 1) {
      s.kernels.subtract_product(a, s.w.data + part.col, s.w.data + i);
    } else {
      s.kernels.subtract_product_many(a, s.w.data + part.col, {s.w.data + i, s.w.ldw, s.w.nrhs});
    }
  });
}

/// w(columns) := w(columns) - A' w(rows).
template <class T>
void subtract_columns(const Solve<T>& s, const Part& part) {
  if (part.nrow == 0) return;
  const bool team = wants_tasks(s, part);
  const Index piece = team ? task_size(part.nrow, kColumnUnit) : part.ncol;
  for_each_piece(team, part.col, part.col + part.ncol, piece, [&](Index j, Index columns) {
    const PanelView<T> a = s.part(part.row, part.nrow, j, columns);
    if (s.w.nrhs == 1) {
      s.kernels.subtract_transposed(a, s.w.data + part.row, s.w.data + j);
    } else {
      s.kernels.subtract_transposed_many(a, s.w.data + part.row, {s.w.data + j, s.w.ldw, s.w.nrhs});
    }
  });
}

template <class T>
void forward_strips(const Solve<T>& s) {
  const Index ncol = s.l.ncol;
  for (Index begin = 0; begin < ncol; begin += kStripColumns) {
    const Index width = std::min(kStripColumns, ncol - begin), end = begin + width;
    const PanelView<T> triangle = s.part(begin, width, begin, width);
    for (Index r = 0; r < s.w.nrhs; ++r) {
      s.kernels.forward_panel(triangle, s.inv_diag + begin, s.w.data + begin + r * s.w.ldw);
    }
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
    const PanelView<T> triangle = s.part(begin, width, begin, width);
    for (Index r = 0; r < s.w.nrhs; ++r) {
      s.kernels.backward_panel(triangle, s.inv_diag + begin, s.w.data + begin + r * s.w.ldw);
    }
  }
}

}  // namespace

template <class T>
void forward_front(const T* panel, Offset ldp, Index nrow, Index ncol, const T* inv_diag, T* w,
                   Offset ldw, Index nrhs, const Execution& execution) {
  const SolveKernels<T>& kernels = solve_kernels<T>();
  const PanelView<T> l{panel, nrow, ncol, ldp};
  const Offset entries = Offset{nrow} * ncol;
  if (nrhs == 1 && entries < kStripEntries) {
    kernels.forward_panel(l, inv_diag, w);
  } else {
    forward_strips(Solve<T>{kernels, l, inv_diag, {w, ldw, nrhs}, execution.team});
  }
}

template <class T>
void backward_front(const T* panel, Offset ldp, Index nrow, Index ncol, const T* inv_diag, T* w,
                    Offset ldw, Index nrhs, const Execution& execution) {
  const SolveKernels<T>& kernels = solve_kernels<T>();
  const PanelView<T> l{panel, nrow, ncol, ldp};
  const Offset entries = Offset{nrow} * ncol;
  if (nrhs == 1 && entries < kStripEntries) {
    kernels.backward_panel(l, inv_diag, w);
  } else {
    backward_strips(Solve<T>{kernels, l, inv_diag, {w, ldw, nrhs}, execution.team});
  }
}

template void forward_front(const float*, Offset, Index, Index, const float*, float*, Offset, Index,
                            const Execution&);
template void forward_front(const double*, Offset, Index, Index, const double*, double*, Offset,
                            Index, const Execution&);
template void backward_front(const float*, Offset, Index, Index, const float*, float*, Offset,
                             Index, const Execution&);
template void backward_front(const double*, Offset, Index, Index, const double*, double*, Offset,
                             Index, const Execution&);

}  // namespace clchol::numeric::dense
