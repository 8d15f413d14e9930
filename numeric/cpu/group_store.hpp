// Interface between a walk over the groups of fronts (numeric/cpu/tree_groups.hpp) and the storage
// of their panels.  A factorization or a solve goes from group to group, and calls the store before
// and after each group.
#pragma once

#include "base/types.hpp"

namespace clchol::numeric {

/// Provides the panels of one group of fronts after another.  One host thread makes all calls:
/// open(g), then close(g), for one group g after another.
class GroupStore {
 public:
  GroupStore() = default;
  GroupStore(const GroupStore&) = delete;
  GroupStore& operator=(const GroupStore&) = delete;
  virtual ~GroupStore() = default;

  /// Makes the panels of group g accessible by NumericFactor::panel().  In a factorization, open()
  /// provides memory for the panels.  In a solve, it waits until the panels' values have been read
  /// from the file.
  virtual void open(Index g) = 0;
  /// Ends the walk's access to the panels of group g, so that the store may move them.  After a bad
  /// pivot a factorization still opens the later groups, but no longer calls close().
  virtual void close(Index g) = 0;
};

/// The store for solves with a factor that is in memory as a whole: open() and close() do nothing.
class MemoryStore final : public GroupStore {
 public:
  void open(Index /*group*/) override {}
  void close(Index /*group*/) override {}
};

}  // namespace clchol::numeric
