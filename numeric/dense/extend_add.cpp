// Extend-add: a child's update matrix into its parent's front, column by column.  [S82, DR83]
//
//   parent(relind[i], relind[j]) += child(i, j),  i >= j.
//
// Runs of consecutive positions are short (about three rows; nine with three unknowns per node), so
// looking for them costs more than it saves: the loop is the plain indexed one, four entries at a
// time.  Positions are strictly ascending, so the four never collide and need no order.  One
// exception is free: positions that are consecutive to the end of the list, found once per call.
#include "numeric/dense/kernels.hpp"

namespace clchol::numeric::dense {
namespace {

/// to[relind[i]] += from[i] for i in [begin, end).
template <class T>
inline void scatter_add(const T* from, const Index* relind, Index begin, Index end, T* to) {
  Index i = begin;
  for (; i + 4 <= end; i += 4) {
    T* const p0 = to + relind[i];
    T* const p1 = to + relind[i + 1];
    T* const p2 = to + relind[i + 2];
    T* const p3 = to + relind[i + 3];
    const T v0 = *p0 + from[i], v1 = *p1 + from[i + 1];
    const T v2 = *p2 + from[i + 2], v3 = *p3 + from[i + 3];
    *p0 = v0;
    *p1 = v1;
    *p2 = v2;
    *p3 = v3;
  }
  for (; i < end; ++i) to[relind[i]] += from[i];
}

/// to[i] += from[i] for i in [0, count).
template <class T>
inline void run_add(const T* __restrict__ from, Index count, T* __restrict__ to) {
  for (Index i = 0; i < count; ++i) to[i] += from[i];
}

// A shorter run is scattered like the rest: the second loop of a column would cost more to enter.
constexpr Index kShortestRun = 16;

/// First position of the run of consecutive entries that ends the list, or nupd if it is short.
Index last_run(const Index* relind, Index nupd) {
  Index i = nupd - 1;
  while (i > 0 && relind[i - 1] + 1 == relind[i]) --i;
  return nupd - i < kShortestRun ? nupd : i;
}

}  // namespace

template <class T>
void extend_add(const T* child, Index nupd, const Index* relind, Index j0, Index j1,
                const FrontView<T>& parent) {
  if (j0 >= j1) return;
  const Index run = last_run(relind, nupd);
  for (Index j = j0; j < j1; ++j) {
    const T* const from = child + update_column_offset(nupd, j);
    // Where the parent's row 0 of this column lies, or would lie.
    const Index column = relind[j];
    T* const to = column < parent.ncol
                      ? parent.panel + column * parent.ldp
                      : parent.update - parent.ncol +
                            update_column_offset(parent.nupd(), column - parent.ncol);
    if (j < run) scatter_add(from, relind, j, run, to);
    if (run == nupd) continue;
    const Index first = j < run ? run : j;
    run_add(from + first, nupd - first, to + relind[first]);
  }
}

template void extend_add(const float*, Index, const Index*, Index, Index, const FrontView<float>&);
template void extend_add(const double*, Index, const Index*, Index, Index,
                         const FrontView<double>&);

}  // namespace clchol::numeric::dense
