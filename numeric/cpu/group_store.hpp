// Interface between the computation of groups of fronts (numeric/cpu/tree_groups.hpp) and the
// storage of the fronts' panels.  A factorization or a solve computes one group after another, and
// calls the store before and after each group.
#pragma once

#include "base/types.hpp"

namespace clchol::numeric {

/// Provides memory for the panels of one group of fronts after another.  One host thread makes all
/// calls.  For each group g the thread calls open(g), then close(g), then opens the next group.
class GroupStore {
 public:
  GroupStore() = default;
  GroupStore(const GroupStore&) = delete;
  GroupStore& operator=(const GroupStore&) = delete;
  virtual ~GroupStore() = default;

  /// Makes the panels of group g accessible by NumericFactor::panel(s), for the fronts s of the
  /// group.  In a factorization, open() provides memory for the panels.  In a solve with panels in
  /// a file, open() waits until the panels of group g have been read from the file.
  virtual void open(Index g) = 0;
  /// Tells the store that the caller has finished with group g.  From then on the store may write
  /// the panels of group g to the file and overwrite them in memory.  After a bad pivot
  /// (dense/pivot.hpp), a factorization still opens the later groups, but does not call close() any
  /// more.
  virtual void close(Index g) = 0;
};

/// The store for solves with a factor that is in memory as a whole.  open() and close() do nothing.
class MemoryStore final : public GroupStore {
 public:
  void open(Index /*group*/) override {}
  void close(Index /*group*/) override {}
};

}  // namespace clchol::numeric
