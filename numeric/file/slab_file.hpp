// Slabs of a factor in a scratch file: written behind the computation and read ahead of it by
// threads of their own, in blocks that each have a checksum.
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

class SlabFile {
 public:
  static constexpr Offset kBlockBytes = Offset{1} << 22;

  /// @param bytes  of each slab, multiples of ScratchFile::kAlignment.
  /// Throws as ScratchFile(); std::bad_alloc.
  SlabFile(const std::string& directory, std::span<const Offset> bytes,
           const FileCalls& calls = system_file_calls());

  const ScratchFile& file() const { return file_; }
  Index num_slabs() const { return static_cast<Index>(begin_.size()) - 1; }
  Offset slab_bytes(Index s) const { return begin_[s + 1] - begin_[s]; }
  Index num_blocks(Index s) const { return first_block_[s + 1] - first_block_[s]; }

  /// Moves block b of slab s, whose slab is at `slab` in memory.  Throw FileError, for a block that
  /// is not what was written too.  Calls for different blocks may run at the same time.
  void write_block(Index s, Index b, const char* slab);
  void read_block(Index s, Index b, char* slab) const;

 private:
  Offset block_bytes(Index s, Index b) const;

  std::vector<Offset> begin_;             // Byte at which slab s begins.   Length slabs + 1.
  std::vector<Index> first_block_;        // Its first block.               Length slabs + 1.
  std::vector<std::uint64_t> checksums_;  // Of all blocks.
  ScratchFile file_;
};

/// Threads that move slabs during one pass over a factor.  Its calls are made by one thread.
class SlabTransfers {
 public:
  /// A block that has been moved.
  struct Moved {
    using Clock = std::chrono::steady_clock;
    int thread;  ///< Number of the thread that has moved it.
    bool is_write;
    Clock::time_point begin, end;
  };
  using Watch = std::function<void(const Moved&)>;

  /// @param file   outlives the object.
  /// @param watch  is called by the threads, at the same time; none: by none.
  /// Where the system refuses threads, the calling thread moves slabs itself.
  explicit SlabTransfers(SlabFile& file, Watch watch = {});
  /// Waits for blocks that are being moved; leaves others.
  ~SlabTransfers();
  SlabTransfers(const SlabTransfers&) = delete;
  SlabTransfers& operator=(const SlabTransfers&) = delete;

  /// Begins to move slab s, which wait() has been called for if it was moved before.
  /// @param slab   as long as the slab; not touched otherwise until wait().
  /// @param ready  is called once, by one of the threads, before it touches `slab`, and returns
  /// when
  ///               the slab is there, or its place is free; what it throws is the slab's failure.
  /// Throws std::bad_alloc, what the move of a slab threw.
  void write(Index s, char* slab, std::function<void()> ready = {}) {
    begin(s, slab, true, std::move(ready));
  }
  void read(Index s, char* slab, std::function<void()> ready = {}) {
    begin(s, slab, false, std::move(ready));
  }
  /// Returns when slab s has been moved.  Throws the first failure of any slab, FileError or what
  /// `ready` threw; from then on all calls do.
  void wait(Index s);

 private:
  static constexpr int kThreads = 4;

  /// What the first thread that comes waits for, and the others with it.
  struct Gate {
    std::once_flag once;
    std::function<void()> ready;
  };
  struct Job {
    Index slab, block;
    char* place;
    bool is_write;
    std::shared_ptr<Gate> gate;  // Null: none.
  };

  void begin(Index s, char* slab, bool is_write, std::function<void()> ready);
  void move(const Job& job, int thread);
  void work(int thread);

  SlabFile& file_;
  Watch watch_;
  std::mutex mutex_;  // Guards what follows.
  std::condition_variable has_jobs_, has_moved_;
  std::deque<Job> jobs_;
  std::vector<Index> left_;  // Blocks of a slab that are not moved yet.
  std::exception_ptr failure_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace clchol::numeric
