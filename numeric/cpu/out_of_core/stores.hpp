// Stores for an out-of-core factor: they provide the panels of each group to a walk over the groups
// (numeric/cpu/group_store.hpp), and move slabs to the file and back meanwhile.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "numeric/cpu/factorize.hpp"
#include "numeric/cpu/out_of_core/plan.hpp"
#include "numeric/file/slab_file.hpp"

namespace clchol::numeric {

/// @return bytes of each slab of the file: first the factor's slabs that are not kept, then the
///         spilled update matrices.
std::vector<Offset> file_slabs(const OutOfCorePlan& plan, Offset entry_bytes);

/// The store of a factorization.  A group's slab, and its spilled update matrices, are written to
/// the file after the group has been computed, while later groups are computed.
template <class T>
class SendingStore final : public FactorStore<T> {
 public:
  /// All objects must outlive the store.
  /// @param threads   number of threads for which the plan was made.
  /// @param buffer    plan.size entries.
  /// @param file      has slabs of file_slabs() bytes.
  /// @param factor    its panel table must be plan.panels.
  /// @param diagonal  receives L(j,j) of all columns.  Length n.
  SendingStore(const OutOfCorePlan& plan, int threads, T* buffer, SlabFile& file,
               NumericFactor<T>& factor, T* diagonal);

  void open(Index g) override;
  void close(Index g) override;
  GroupArenas<T> arenas() const override;
  T* outside(Index s) const override;
  /// Returns when all slabs that are not kept are in the file.  Throws FileError.
  void finish();

 private:
  /// @return the slab of the file for plan_.spilled[k].
  Index spill_slab(std::size_t k) const { return plan_.first_kept + static_cast<Index>(k); }
  /// A write to the file that was begun and may not have ended.
  struct Moving {
    Index slab;                  // Slab of the file.
    OutOfCorePlan::Range range;  // Memory range of the slab in the buffer.
  };

  /// Waits until all data that group g and its transfers will overwrite is in the file.
  void wait_for_room(Index g);
  /// Begins to write entries [begin, begin + size) of the buffer to a slab of the file.
  void send(Index slab, Offset begin, Offset size);
  char* bytes_at(Offset begin) const { return reinterpret_cast<char*>(buffer_ + begin); }

  const OutOfCorePlan& plan_;
  const int threads_;
  T* const buffer_;
  NumericFactor<T>& factor_;
  T* const diagonal_;
  std::vector<Moving> moving_;
  Index group_ = 0;   // Group of the last open().
  Index closed_ = 0;  // Number of groups that have been closed.
  SlabTransfers transfers_;
};

/// The store of a solve.  Slabs that are not kept are read from the file ahead of the walk.
template <class T>
class FetchingStore final : public GroupStore {
 public:
  /// Parameters as for SendingStore.  Slabs are read into the buffer behind the kept slabs.
  /// @param order  the groups in the order in which the walks open them.
  FetchingStore(const OutOfCorePlan& plan, T* buffer, SlabFile& file, NumericFactor<T>& factor,
                std::vector<Index> order);

  void open(Index g) override;
  void close(Index g) override;

 private:
  /// A slab that is in the ring, or is being read into the ring.
  struct Fetched {
    Index slab;
    Offset begin, end;  // Memory range of the slab in the buffer, in entries.
    int uses;           // Number of times in a row that the walks open the slab.
  };

  /// Begins to read the next slabs of order_, until the ring is full.
  void fetch();
  /// @return offset of `size` free entries in the buffer; -1 when there are none until a slab is
  ///         closed.
  Offset find_room(Offset size) const;

  const OutOfCorePlan& plan_;
  T* const buffer_;
  NumericFactor<T>& factor_;
  std::vector<Index> order_;  // Slabs that are not kept, in the order in which they are opened.
  std::size_t next_ = 0;      // Position in order_ of the first slab whose read has not begun.
  std::deque<Fetched> ring_;  // Slabs in the buffer behind the kept slabs, in the order of order_.
  SlabTransfers transfers_;
};

}  // namespace clchol::numeric
