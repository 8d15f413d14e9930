// The CPU engine: multifrontal supernodal Cholesky factorization.  [DR83, Liu92]
//
// The plan (plan.hpp) cuts the assembly tree.  A task below the cut factors one or several subtrees
// in postorder on one thread, and keeps update matrices in the thread's private arenas
// (arena_places.hpp).  A front above the cut begins when its children are complete.  The work on a
// large front may be divided among several threads.
//
// The factorization turns the panel of a front into [L11; L21].  The front's update matrix U is
// assembled after the panel has been factored:
//
//   panel  := A's entries + columns of the children's update matrices that fall into the panel
//   factor the panel,  U := -L21 L21'
//   U      := U + other columns of the children's update matrices
//
// The product overwrites U, so U need not be set to zero before.  An *early* front
// (arena_places.hpp), which sums its children's update matrices as they are computed, is an
// exception: its panel and U are assembled before the panel is factored, and U := U - L21 L21'.
//
// The plan fixes the order in which update matrices are added, and the sizes of fronts fix the
// order of all other operations.  So the result is equal, bit for bit, for any number of threads.
#pragma once

#include <functional>
#include <span>

#include "numeric/control.hpp"
#include "numeric/cpu/factor_workspace.hpp"
#include "numeric/cpu/group_store.hpp"
#include "numeric/cpu/numeric_factor.hpp"
#include "numeric/factor_result.hpp"

namespace clchol::numeric {

/// Factors a matrix whose pattern was analysed: computes the panel of every front s, and writes it
/// to factor.panel(s).  If the result's status is not Status::kOk, the contents of `factor` are
/// undefined.  If any pivot is bad (dense/pivot.hpp), the result contains the first column of L
/// with a bad pivot, numbered as in the permuted matrix; the column does not depend on the number
/// of threads.  The only memory that the call allocates is that of a TreeSchedule
/// (tree_schedule.hpp), O(nsuper) elements.
/// @param entries    map from A's entries to positions in the panels.
/// @param values     entries of the lower triangle of S A S, where S is the diagonal matrix of the
///                   scaling, in the order of the pattern of A that was analysed.
/// @param workspace  memory for arenas and dense kernels; reserve() must have been called for at
///                   least control.threads threads.
/// Throws std::bad_alloc, and exceptions of control.progress.  Several threads may call this
/// function at the same time, with different factors and workspaces.
template <class T>
FactorResult factorize_cpu(NumericFactor<T>& factor, const symbolic::EntryMap& entries,
                           const T* values, const FactorWorkspace<T>& workspace,
                           const Control& control);

/// Columns [begin, end) of front `front`, numbered within the front: columns of the front's panel
/// or, from ncol(front) on, of its update matrix.
struct FrontColumns {
  Index front, begin, end;
};

/// Interface through which a factorization obtains memory for one group of fronts after another:
/// open(g) provides memory for the panels of group g, arenas() and outside() provide memory for the
/// update matrices of group g, and begin_gather() and gather() read columns of fronts of earlier
/// groups.
template <class T>
class FactorStore : public GroupStore {
 public:
  /// @return the addresses of the arenas of the group for which open() was called last.
  virtual GroupArenas<T> arenas() const = 0;
  /// @return the address of the update matrix of front s, of which the columns of the open group's
  ///         strip alone are in memory if s is striped.  The parent of s must be in a later group
  ///         than s.  While the group of s is open, the result is the address to which s writes the
  ///         matrix; while the group of the parent is open, the address at which the parent reads
  ///         the matrix.  The two addresses may differ if the matrix was written to a file and read
  ///         back.
  virtual T* outside(Index s) const = 0;
  /// A function that receives some columns of a front: of its update matrix, or of the panel of a
  /// striped front, in which case they lie in one strip.  The second argument has the address at
  /// which the entry (0, 0) of the update matrix (stored as in base/update_layout.hpp) or of the
  /// panel would be, and the panel's leading dimension.  These columns alone are in memory, until
  /// the function returns.
  /// @return whether more columns are wanted.
  using UseColumns = std::function<bool(const FrontColumns&, const PanelView<const T>&)>;
  /// Begins to read columns of fronts.  The caller calls gather() later, or nothing more if the
  /// columns are not needed because the factorization has failed or was cancelled.
  /// @param wanted  columns of update matrices of children of the front that gathers, whose group
  /// is
  ///                open; and columns of earlier strips of its panel.
  virtual void begin_gather(std::span<const FrontColumns> wanted) = 0;
  /// Calls use() for one portion after another of the columns for which begin_gather() was called
  /// last, in the order of `wanted` and by ascending columns.
  virtual void gather(const UseColumns& use) = 0;
  /// Tells the store that columns [begin, end) of the panel of front s are final.  From then on the
  /// store may write the columns to the file.  Each column is told once, unless a pivot of the
  /// front or of a smaller column is bad.  Several threads may call this function at the same time.
  virtual void finished(Index s, Index begin, Index end) = 0;
};

/// Factors a matrix as factorize_cpu() above, but computes one group of fronts after another, with
/// memory that a store provides.  The result is equal, bit for bit, for any division into groups.
/// @param groups   groups that together contain all fronts of the plan.
/// @param updates  offsets of update matrices and accumulators in the arenas of their groups.
/// @param store    provides the memory.  For each group g, in ascending order, the factorization
///                 calls store.open(g), computes the fronts, and calls store.close(g).
/// @param dense    workspace of the dense kernels: dense_workspace_entries() entries for each of
///                 control.threads threads.
/// Throws exceptions of the store, std::bad_alloc, and exceptions of control.progress.
template <class T>
FactorResult factorize_cpu(NumericFactor<T>& factor, const symbolic::EntryMap& entries,
                           const T* values, const TreeGroups& groups, const ArenaPlaces& updates,
                           FactorStore<T>& store, T* dense, const Control& control);

}  // namespace clchol::numeric
