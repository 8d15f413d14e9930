// Extend-add: adds a child's update matrix to its parent's front, column by column.  [S82, DR83]
//
//   parent(relind[i], relind[j]) += child(i, j),  i >= j.
//
// Runs of consecutive positions in relind are short: about three rows, or nine rows with three
// unknowns per node.  A search for runs costs more than it saves, so the loop is a plain indexed
// loop, four entries at a time.  Positions are strictly ascending, so the four entries are distinct
// and may be added in any order.  The run that ends the list is an exception: it is found once per
// call, and added without an index.
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

// Least length of a last run that is added by run_add().  For a shorter run, entering a second loop
// in each column costs more than it saves.
constexpr Index kShortestRun = 16;

/// @return index of the first entry of the run of consecutive positions that ends relind; nupd when
///         the run is shorter than kShortestRun.
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
    // Address of row 0 of the parent's column.  In the update matrix row 0 is not stored.
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
