// Forward and backward solve with one panel: strips of columns, and tasks for large panels.
//
// forward, strip by strip from the left          backward, from the right
//
//   x  := L11^-1 w1   (the strip's triangle)       w1 := w1 - L21' w2   tasks by columns of the
//   strip w2 := w2 - L21 x  tasks by rows                x  := L11^-T w1
//
// Rows and columns are dealt to tasks in pieces of fixed size, and every entry is summed in the
// same order whether there are tasks or not.
#include <algorithm>

#include "base/team.hpp"
#include "numeric/dense/kernels.hpp"
#include "numeric/dense/solve_kernels.hpp"

namespace clchol::numeric::dense {
namespace {

// Panels of fewer entries x right-hand sides go in one piece for one right-hand side, and without
// tasks for many: 2^17 entries take some 50 us, less than which tasks do not win back their cost.
constexpr Offset kStripEntries = Offset{1} << 17;
// Columns of a strip: the triangle (64 x 64 doubles, 32 KiB) stays in the first cache.
constexpr Index kStripColumns = 64;
// Rows and columns of one task: 512 x 64 entries, and 16 columns of all rows.
constexpr Index kTaskRows = 512;
constexpr Index kTaskColumns = 16;

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

/// f(k, length) for pieces [k, k + length) of [begin, end), as tasks where s.team says so.
template <class T, class F>
void for_each_piece(const Solve<T>& s, Index begin, Index end, Index piece, const F& f) {
  const Index count = (end - begin + piece - 1) / piece;
  const auto nth = [&](Index k) {
    const Index at = begin + k * piece;
    f(at, std::min(piece, end - at));
  };
  if (s.team) return run_tasks(count, nth);
  for (Index k = 0; k < count; ++k) nth(k);
}

/// w2 := w2 - L21 x for the strip [begin, end) and rows from `end` on.
template <class T>
void forward_rows(const Solve<T>& s, Index begin, Index end) {
  for_each_piece(s, end, s.l.nrow, kTaskRows, [&](Index i, Index rows) {
    const PanelView<T> a = s.part(i, rows, begin, end - begin);
    if (s.w.nrhs == 1) {
      s.kernels.subtract_product(a, s.w.data + begin, s.w.data + i);
    } else {
      s.kernels.subtract_product_many(a, s.w.data + begin, {s.w.data + i, s.w.ldw, s.w.nrhs});
    }
  });
}

/// w1 := w1 - L21' w2 for the strip [begin, end) and rows from `end` on.
template <class T>
void backward_columns(const Solve<T>& s, Index begin, Index end) {
  for_each_piece(s, begin, end, kTaskColumns, [&](Index j, Index columns) {
    const PanelView<T> a = s.part(end, s.l.nrow - end, j, columns);
    if (s.w.nrhs == 1) {
      s.kernels.subtract_transposed(a, s.w.data + end, s.w.data + j);
    } else {
      s.kernels.subtract_transposed_many(a, s.w.data + end, {s.w.data + j, s.w.ldw, s.w.nrhs});
    }
  });
}

template <class T>
void forward_strips(const Solve<T>& s) {
  for (Index begin = 0; begin < s.l.ncol; begin += kStripColumns) {
    const Index end = std::min(begin + kStripColumns, s.l.ncol);
    const PanelView<T> triangle = s.part(begin, end - begin, begin, end - begin);
    for (Index r = 0; r < s.w.nrhs; ++r) {
      s.kernels.forward_panel(triangle, s.inv_diag + begin, s.w.data + begin + r * s.w.ldw);
    }
    forward_rows(s, begin, end);
  }
}

template <class T>
void backward_strips(const Solve<T>& s) {
  for (Index begin = (s.l.ncol - 1) / kStripColumns * kStripColumns; begin >= 0;
       begin -= kStripColumns) {
    const Index end = std::min(begin + kStripColumns, s.l.ncol);
    backward_columns(s, begin, end);
    const PanelView<T> triangle = s.part(begin, end - begin, begin, end - begin);
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
    const bool team = execution.team && entries * nrhs >= kStripEntries;
    forward_strips(Solve<T>{kernels, l, inv_diag, {w, ldw, nrhs}, team});
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
    const bool team = execution.team && entries * nrhs >= kStripEntries;
    backward_strips(Solve<T>{kernels, l, inv_diag, {w, ldw, nrhs}, team});
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
