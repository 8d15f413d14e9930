// What brings the panels of groups to where a walk over them reads and writes them.
#pragma once

#include "base/types.hpp"

namespace clchol::numeric {

/// Called by the thread that leads the walk, in the order of the walk.
class GroupStore {
 public:
  GroupStore() = default;
  GroupStore(const GroupStore&) = delete;
  GroupStore& operator=(const GroupStore&) = delete;
  virtual ~GroupStore() = default;

  /// Makes room for the panels of group g, or brings them, where the factor has them.
  virtual void open(Index g) = 0;
  /// The walk is through with them; not called where a factorization has failed.
  virtual void close(Index g) = 0;
};

/// Of a factor in memory: nothing is to be brought.
class MemoryStore final : public GroupStore {
 public:
  void open(Index /*group*/) override {}
  void close(Index /*group*/) override {}
};

}  // namespace clchol::numeric
