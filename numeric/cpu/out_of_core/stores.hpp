// Where a walk over groups finds their panels while the factor is out of core.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "numeric/cpu/factorize.hpp"
#include "numeric/cpu/out_of_core/plan.hpp"
#include "numeric/file/slab_file.hpp"

namespace clchol::numeric {

/// Bytes of the file's slabs: those of the factor that are not kept, then update matrices that
/// wait.
std::vector<Offset> file_slabs(const OutOfCorePlan& plan, Offset entry_bytes);

/// The factorization's: slabs go to the file behind the computation.
template <class T>
class SendingStore final : public FactorStore<T> {
 public:
  /// All outlive the store.
  /// @param buffer    of plan.size entries.
  /// @param factor    its slabs are the plan's.
  /// @param diagonal  receives L(j,j) of the panels.  Length n.
  /// @param threads   of the plan.
  SendingStore(const OutOfCorePlan& plan, int threads, T* buffer, SlabFile& file,
               NumericFactor<T>& factor, T* diagonal);

  void open(Index g) override;
  void close(Index g) override;
  GroupArenas<T> arenas() const override;
  T* outside(Index s) const override;
  /// Returns when all slabs are in the file.  Throws FileError.
  void finish();

 private:
  /// Slab of the file for the k-th update matrix that waits there.
  Index spill_slab(std::size_t k) const { return plan_.first_kept + static_cast<Index>(k); }
  /// What is on its way to the file.
  struct Moving {
    Index slab;
    OutOfCorePlan::Range range;
  };

  void wait_for_room(Index g);
  void send(Index slab, Offset begin, Offset size);
  char* bytes_at(Offset begin) const { return reinterpret_cast<char*>(buffer_ + begin); }

  const OutOfCorePlan& plan_;
  const int threads_;
  T* const buffer_;
  NumericFactor<T>& factor_;
  T* const diagonal_;
  std::vector<Moving> moving_;
  Index group_ = 0;
  Index closed_ = 0;  // Groups that have been closed.
  SlabTransfers transfers_;
};

/// A pass over the factor: slabs come from the file ahead of the walk.
template <class T>
class FetchingStore final : public GroupStore {
 public:
  /// @param order  of the groups, as the walks open them.
  /// The others as for SendingStore; slabs that are sent are read into the part of the buffer
  /// behind those that are kept.
  FetchingStore(const OutOfCorePlan& plan, T* buffer, SlabFile& file, NumericFactor<T>& factor,
                std::vector<Index> order);

  void open(Index g) override;
  void close(Index g) override;

 private:
  /// A slab in the ring, or on its way there.
  struct Fetched {
    Index slab;
    Offset begin, end;
    int uses;  // Times that it is opened before another slab is.
  };

  /// Begins to read slabs as long as there is room.
  void fetch();
  /// @return where so many entries may lie, -1: nowhere until a slab is closed.
  Offset find_room(Offset size) const;

  const OutOfCorePlan& plan_;
  T* const buffer_;
  NumericFactor<T>& factor_;
  std::vector<Index> order_;  // Slabs as they are opened.
  std::size_t next_ = 0;      // First of them that is not being read.
  std::deque<Fetched> ring_;  // Oldest first.
  SlabTransfers transfers_;
};

}  // namespace clchol::numeric
