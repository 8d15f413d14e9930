// Stores of an out-of-core factor: SendingStore for a factorization, FetchingStore for solves.  A
// store provides the panels of each group of fronts while a factorization or a solve computes the
// group (numeric/cpu/group_store.hpp).  At the same time the store moves other data between the
// buffer of an OutOfCorePlan and a file: slabs (a slab is the panels of one group), and spilled
// update matrices, which wait in the file for a later group (numeric/cpu/out_of_core/plan.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <span>
#include <vector>

#include "numeric/cpu/factorize.hpp"
#include "numeric/cpu/out_of_core/buffer_use.hpp"
#include "numeric/cpu/out_of_core/plan.hpp"
#include "numeric/file/slab_file.hpp"

namespace clchol::numeric {

/// @return number of bytes of each slab of the file.  In the file, slab g < plan.first_kept holds
///         the panels of group g, and slab plan.first_kept + k holds the update matrix or strip
///         plan.spilled[k].  Length plan.first_kept + plan.spilled.size().
std::vector<Offset> file_slabs(const OutOfCorePlan& plan, Offset entry_bytes);

/// The store of a factorization.  Slabs from number plan.first_kept on are kept: they stay in the
/// buffer.
///
/// finished() begins to write those blocks of slab g to the file whose columns are all final, if
/// slab g is not kept.  close(g) begins to write the spilled update matrices that group g has
/// computed, and what is left of slab g.  The writes continue while later groups are computed.
/// open(g) waits for the writes whose memory will be overwritten while group g is computed.  Then
/// open(g) begins to read back the spilled update matrices with SpilledUpdate::fetched == g, and
/// waits until the spilled update matrices with SpilledUpdate::needed == g are in the buffer. After
/// a bad pivot, open() waits for all transfers that were begun, and neither open() nor gather()
/// begins any, because the results are not used.
///
/// gather() reads one portion, of as many blocks of the file as fit into a slot, while the portion
/// before it is used.  A strip in a kept slab is one portion, which is in memory already.
template <class T>
class SendingStore final : public FactorStore<T> {
 public:
  /// All arguments must outlive the store.
  /// @param threads   the value of OutOfCoreRequest::threads with which the plan was made.
  /// @param buffer    memory of plan.size entries, page-aligned.
  /// @param file      a file with slabs of the sizes file_slabs(plan, sizeof(T)).
  /// @param factor    must have been made with the panel table plan.panels.  open(g) sets the
  ///                  address of slab g in `factor`.
  /// @param diagonal  array for the diagonal of L: close(g) writes L(j,j) to diagonal[j] for the
  ///                  columns j of group g.  Length n.
  /// @param log       where the store records what it does.  By default nowhere.
  SendingStore(const OutOfCorePlan& plan, int threads, T* buffer, SlabFile& file,
               NumericFactor<T>& factor, T* diagonal, const StoreLog& log = {});

  void open(Index g) override;
  void close(Index g) override;
  GroupArenas<T> arenas() const override;
  T* outside(Index s) const override;
  void begin_gather(std::span<const FrontColumns> wanted) override;
  void gather(const typename FactorStore<T>::UseColumns& use) override;
  void finished(Index s, Index begin, Index end) override;
  /// Waits until all slabs that are not kept are in the file.  Must be called after the last call
  /// of close(), before a solve.  Throws FileError.
  void finish();

 private:
  /// Number of entries of a block of the file.
  static constexpr Offset kBlockEntries = SlabFile::kBlockBytes / Offset{sizeof(T)};

  /// @return number of the slab of the file that holds the update matrix plan_.spilled[k].
  Index spill_slab(std::size_t k) const { return plan_.first_kept + static_cast<Index>(k); }
  /// A write to the file that has begun, and whose end has not been waited for.
  struct Moving {
    Index slab;                  // Number of the slab of the file.
    OutOfCorePlan::Range range;  // Range of the buffer whose entries are written to the file.
  };

  /// Waits for the writes to the file whose memory is overwritten while group g is computed: the
  /// writes whose range overlaps a range of plan_.written() for group g.
  void wait_for_room(Index g);
  /// Columns of a front in one slab: of a spilled update matrix, or of an earlier strip.
  struct Stored {
    FrontColumns columns;
    Index slab;     // Number of the slab of the file; kNone: the slab is kept in the buffer.
    Offset size;    // Entries of the slab.
    Offset begin;   // Offset in the buffer of a slab that is kept.
    Offset origin;  // Offset in the slab at which the entry (0, 0) of the matrix would be.
    Offset ld;      // Leading dimension of a panel; 0 for an update matrix.
  };
  /// @return the first of the columns, as many as are in one slab.
  Stored stored(const FrontColumns& columns) const;
  Stored stored_update(const FrontColumns& columns) const;
  Stored stored_strip(const FrontColumns& columns) const;
  /// @return number of entries of the slab before column j of the front, which is in the slab or is
  ///         the end of the slab's columns.
  Offset entries_before(const Stored& of, Index j) const;
  /// @return the end of the block of columns that begins with column j.  The columns of a block are
  ///         used together, so that they must be in one portion.
  Index end_of_block(const Stored& of, Index j) const;

  /// Columns in one slab, the blocks of the file that contain them, and the slot into which the
  /// blocks are read.  A slot holds one *load* after another, as many consecutive portions as have
  /// room.
  struct Portion {
    Stored of;
    SlabTransfers::Blocks blocks{0, 0};  // None if the slab is kept.
    Offset begin = 0;      // Offset in the buffer of the first of the blocks, or of the kept slab.
    std::size_t load = 0;  // Number of the load.  Even loads use one slot, odd loads the other.
  };
  /// @return the portion with the first of the columns, and as many of the columns as a slot of the
  ///         open group has room for.
  Portion first_portion(Stored of) const;
  /// @return offset in the buffer of the slot of a load of the open group.
  Offset slot_of(std::size_t load) const {
    return plan_.slot_begin[group_] + static_cast<Offset>(load % 2) * plan_.slot_size[group_];
  }
  /// @return number of entries of a portion's blocks.
  Offset entries_of(const Portion& portion) const {
    return std::min(portion.blocks.last * kBlockEntries, portion.of.size) -
           portion.blocks.first * kBlockEntries;
  }
  /// Appends a portion to portions_, in the load of the portion before if there is room.
  void append(Portion portion);
  /// Begins to read the portions of the next load.
  void read_load();
  /// Copies L(j,j) of the columns of group g to diagonal_.
  void copy_diagonal(Index g);

  /// @return whether the memory of a block that was written stays in use.
  bool stays(const SlabTransfers::Moved& block);
  /// Begins to count the entries of slab g that are not final.
  void count_entries(Index g);
  /// Begins to write block b of slab g, the slab of the open group.
  void send_block(Index b);
  /// Begins to write entries [begin, begin + size) of the buffer to slab number `slab` of the file.
  void send(Index slab, Offset begin, Offset size);
  char* bytes_at(Offset begin) const { return reinterpret_cast<char*>(buffer_ + begin); }

  const OutOfCorePlan& plan_;
  const int threads_;
  T* const buffer_;
  NumericFactor<T>& factor_;
  T* const diagonal_;
  std::vector<Index> spill_;  // Index of front s in plan_.spilled, or of its first strip; kNone:
                              // not spilled.  Length nsuper.
  const StoreLog log_;
  BufferUse use_;  // Entries of the buffer that are in use.  Empty without a log.
  std::vector<Moving> moving_;
  std::vector<Portion> portions_;  // Portions of the last call of begin_gather().
  Offset slot_used_ = 0;           // Entries of the slot that the last load of portions_ occupies.
  std::size_t begun_ = 0;  // Number of portions whose reads have begun: those of whole loads.
  // For each block of slab group_: number of entries of panels that are not final.
  std::vector<std::atomic<Offset>> unfinished_;
  // For the log: slab whose memory stays in use when its blocks have been written, and the bytes of
  // its blocks that have been written.
  std::atomic<Index> open_slab_{kNone};
  std::atomic<Offset> written_{0};
  Index group_ = 0;   // Number g of the group in the last call open(g).
  Index closed_ = 0;  // Number of calls of close().
  SlabTransfers transfers_;
};

/// The store of a solve.  The store reads slabs that are not kept from the file ahead of the solve,
/// in the order in which the solve opens the slabs.  The entries of the buffer after the kept slabs
/// are a ring: each slab is read into the range after the preceding slab, or into the first entries
/// of the ring, if the slab does not fit before the end of the buffer.
template <class T>
class FetchingStore final : public GroupStore {
 public:
  /// Begins to read the first slabs.  `plan`, `buffer`, `file` and `factor` must be the arguments
  /// with which the SendingStore of the factorization was made, and must outlive this object.
  /// @param order  numbers of the groups in the order in which open() will be called: ascending for
  ///               a forward solve, descending for a backward solve, or ascending and then
  ///               descending for a forward solve and then a backward solve.
  /// @param log    where the store records what it does.  By default nowhere.
  FetchingStore(const OutOfCorePlan& plan, T* buffer, SlabFile& file, NumericFactor<T>& factor,
                std::vector<Index> order, const StoreLog& log = {});
  /// Records that the slabs of the ring are not in use any more.
  ~FetchingStore() override;

  void open(Index g) override;
  void close(Index g) override;

 private:
  /// A slab that is in the ring, or is being read into the ring.
  struct Fetched {
    Index slab;
    Offset begin, end;  // The slab lies in entries [begin, end) of the buffer.
    // Number of calls close(slab) that must still come before the slab may be overwritten.
    // Initially 2 for the slab with which a forward solve ends and a backward solve directly
    // after it begins; initially 1 for other slabs.
    int uses;
  };

  /// @return whether slab g is read from the file.  A group without panels has an empty slab.
  bool is_fetched(Index g) const { return g < plan_.first_kept && plan_.slab_size[g] > 0; }
  /// Begins to read slabs, in the order of order_, until the ring has no room for the next slab.
  void fetch();
  /// @return offset in the buffer, in entries, of `size` contiguous entries of the ring that no
  ///         slab of ring_ uses; -1 when there is no such range.
  Offset find_room(Offset size) const;

  const OutOfCorePlan& plan_;
  T* const buffer_;
  NumericFactor<T>& factor_;
  const StoreLog log_;
  std::vector<Index> order_;  // Slabs that are not kept, in the order in which they are opened.
  std::size_t next_ = 0;      // Index in order_ of the first slab whose read has not begun.
  std::deque<Fetched> ring_;  // Slabs in the ring, in the order of order_.  The first element is
                              // the open slab, or the slab that will be opened next.
  SlabTransfers transfers_;
};

}  // namespace clchol::numeric
