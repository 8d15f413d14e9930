// Slabs of a factor in a scratch file.  Threads of SlabTransfers write them behind the computation
// and read them ahead of it, in blocks that each have a checksum.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "numeric/file/scratch_file.hpp"

namespace clchol::numeric {

/// A scratch file with slabs of given sizes, one behind another.
class SlabFile {
 public:
  /// Bytes of a block; the last block of a slab may be shorter.
  static constexpr Offset kBlockBytes = Offset{1} << 22;

  /// Makes the file.
  /// @param bytes  Bytes of each slab, multiples of ScratchFile::kAlignment.
  /// Throws as ScratchFile(); std::bad_alloc.
  SlabFile(const std::string& directory, std::span<const Offset> bytes,
           const FileCalls& calls = system_file_calls());

  const ScratchFile& file() const { return file_; }
  Index num_slabs() const { return static_cast<Index>(begin_.size()) - 1; }
  Offset slab_bytes(Index s) const { return begin_[s + 1] - begin_[s]; }
  Index num_blocks(Index s) const { return first_block_[s + 1] - first_block_[s]; }

  /// Write or read block b of slab s, which begins at `slab` in memory.  Throw FileError;
  /// read_block() also when the block's checksum is wrong.  Several threads may call them at the
  /// same time for different blocks.
  void write_block(Index s, Index b, const char* slab);
  void read_block(Index s, Index b, char* slab) const;

 private:
  Offset block_bytes(Index s, Index b) const;

  std::vector<Offset> begin_;       // Offset of slab s in the file, in bytes.  Length slabs + 1.
  std::vector<Index> first_block_;  // Number of slab s's first block.  Length slabs + 1.
  std::vector<std::uint64_t> checksums_;  // Checksum of each block, as written.  Length: blocks.
  ScratchFile file_;
};

/// Threads that write or read slabs during one pass over a factor.  Only one thread may call member
/// functions.
class SlabTransfers {
 public:
  /// A block that has been moved.
  struct Moved {
    using Clock = std::chrono::steady_clock;
    int thread;  ///< Number of the thread that moved the block.
    bool is_write;
    Clock::time_point begin, end;
  };
  using Watch = std::function<void(const Moved&)>;

  /// Starts the threads.  Where the system refuses threads, wait() moves slabs in the calling
  /// thread.
  /// @param file   Must outlive this object.
  /// @param watch  Called for every block that was moved, by several threads at the same time; may
  ///               be empty.
  explicit SlabTransfers(SlabFile& file, Watch watch = {});
  /// Waits for blocks that are being moved.  Blocks that no thread has begun to move are not moved.
  ~SlabTransfers();
  SlabTransfers(const SlabTransfers&) = delete;
  SlabTransfers& operator=(const SlabTransfers&) = delete;

  /// Begin to write or read slab s.  If the slab was moved before, wait(s) must have returned.
  /// @param slab   The slab in memory.  The caller must not touch it until wait(s) returns.
  /// @param ready  Called once, by one of the threads, before it touches `slab`.  It must return
  ///               when the slab's values are complete (write) or its memory is free (read).  An
  ///               exception from it is the slab's failure.
  /// Throw std::bad_alloc, and the first failure of any slab.
  void write(Index s, char* slab, std::function<void()> ready = {}) {
    begin(s, slab, true, std::move(ready));
  }
  void read(Index s, char* slab, std::function<void()> ready = {}) {
    begin(s, slab, false, std::move(ready));
  }
  /// Returns when slab s has been moved.  Throws the first failure of any slab: FileError, or an
  /// exception from `ready`.  After a failure all calls throw it.
  void wait(Index s);

 private:
  static constexpr int kThreads = 4;

  /// Calls `ready` once for all blocks of a slab.  The first thread makes the call; the others wait
  /// for it to return.
  struct Gate {
    std::once_flag once;
    std::function<void()> ready;
  };
  struct Job {
    Index slab, block;
    char* place;
    bool is_write;
    std::shared_ptr<Gate> gate;  // Null: the slab is ready.
  };

  void begin(Index s, char* slab, bool is_write, std::function<void()> ready);
  void move(const Job& job, int thread);
  void work(int thread);

  SlabFile& file_;
  Watch watch_;
  std::mutex mutex_;  // Guards all members below but threads_.
  std::condition_variable has_jobs_, has_moved_;
  std::deque<Job> jobs_;
  std::vector<Index> left_;  // Blocks of each slab that are not moved yet.  Length: slabs.
  std::exception_ptr failure_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace clchol::numeric
