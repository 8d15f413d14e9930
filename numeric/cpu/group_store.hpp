// Interface by which a walk over groups obtains the memory, or the values, of each group's panels.
#pragma once

#include "base/types.hpp"

namespace clchol::numeric {

/// Provides the panels of one group after another.  The thread that leads the walk calls open() and
/// close() in the order of the walk.
class GroupStore {
 public:
  GroupStore() = default;
  GroupStore(const GroupStore&) = delete;
  GroupStore& operator=(const GroupStore&) = delete;
  virtual ~GroupStore() = default;

  /// Makes the panels of group g accessible through the factor: provides memory for them in a
  /// factorization, waits until they have been read in a solve.
  virtual void open(Index g) = 0;
  /// Tells that the walk has finished with group g.  Not called once a factorization has failed.
  virtual void close(Index g) = 0;
};

/// The store of a factor that is in memory: open() and close() do nothing.
class MemoryStore final : public GroupStore {
 public:
  void open(Index /*group*/) override {}
  void close(Index /*group*/) override {}
};

}  // namespace clchol::numeric
