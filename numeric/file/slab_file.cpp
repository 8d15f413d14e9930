#include "numeric/file/slab_file.hpp"

#include <algorithm>
#include <csignal>
#include <numeric>
#include <system_error>

#include "base/checksum.hpp"

namespace clchol::numeric {
namespace {

/// Starts a thread that blocks all signals, so that the process's signals go to other threads.
template <class F>
std::thread quiet_thread(const F& f) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread(f);
  } catch (const std::system_error&) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

SlabFile::SlabFile(const std::string& directory, std::span<const Offset> bytes,
                   const FileCalls& calls)
    : begin_(bytes.size() + 1, 0),
      first_block_(bytes.size() + 1, 0),
      file_(directory, std::accumulate(bytes.begin(), bytes.end(), Offset{0}), calls) {
  for (std::size_t s = 0; s < bytes.size(); ++s) {
    begin_[s + 1] = begin_[s] + bytes[s];
    first_block_[s + 1] =
        first_block_[s] + static_cast<Index>((bytes[s] + kBlockBytes - 1) / kBlockBytes);
  }
  checksums_.resize(first_block_.back());
}

Offset SlabFile::block_bytes(Index s, Index b) const {
  return std::min(kBlockBytes, slab_bytes(s) - b * kBlockBytes);
}

void SlabFile::write_block(Index s, Index b, const char* block) {
  const Offset bytes = block_bytes(s, b);
  checksums_[first_block_[s] + b] = checksum_of(block, static_cast<std::size_t>(bytes));
  file_.write(block, bytes, begin_[s] + b * kBlockBytes);
}

void SlabFile::read_block(Index s, Index b, char* block) const {
  const Offset bytes = block_bytes(s, b), at = begin_[s] + b * kBlockBytes;
  file_.read(block, bytes, at);
  if (checksum_of(block, static_cast<std::size_t>(bytes)) != checksums_[first_block_[s] + b]) {
    file_.fail("what is read is not what was written", at);
  }
}

SlabTransfers::SlabTransfers(SlabFile& file, Watch watch)
    : file_(file), watch_(std::move(watch)), left_(file.blocks_before(file.num_slabs()), 0) {
  threads_.reserve(kThreads);
  for (int k = 0; k < kThreads; ++k) {
    try {
      threads_.push_back(quiet_thread([this, k] { work(k); }));
    } catch (const std::system_error&) {
      break;
    }
  }
}

HostWork SlabTransfers::work_of(const Moved& block) {
  return {.name = block.is_write ? "write" : "read",
          .begin = block.begin,
          .end = block.end,
          .lane = "file, thread " + std::to_string(block.thread),
          .bytes = block.bytes};
}

SlabTransfers::~SlabTransfers() {
  {
    const std::lock_guard lock(mutex_);
    reads_.clear();
    writes_.clear();
    is_over_ = true;
  }
  has_jobs_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void SlabTransfers::begin(Index s, const Blocks& blocks, char* place, bool is_write,
                          std::function<void()> ready) {
  std::shared_ptr<Gate> gate;
  if (ready) {
    gate = std::make_shared<Gate>();
    gate->ready = std::move(ready);
  }
  {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    for (Index b = blocks.first; b < blocks.last; ++b) {
      (is_write ? writes_ : reads_)
          .push_back({s, b, place + (b - blocks.first) * SlabFile::kBlockBytes, is_write, gate});
      ++left_[file_.blocks_before(s) + b];
    }
  }
  has_jobs_.notify_all();
}

/// The mutex must be locked, and there must be a job.
SlabTransfers::Job SlabTransfers::take_job() {
  std::deque<Job>& jobs = reads_.empty() ? writes_ : reads_;
  Job job = std::move(jobs.front());
  jobs.pop_front();
  return job;
}

void SlabTransfers::move(const Job& job, int thread) {
  std::exception_ptr failure;
  try {
    if (job.gate) std::call_once(job.gate->once, job.gate->ready);
    const Moved::Clock::time_point begin = Moved::Clock::now();
    if (job.is_write) {
      file_.write_block(job.slab, job.block, job.place);
    } else {
      file_.read_block(job.slab, job.block, job.place);
    }
    if (watch_) {
      const Offset bytes = file_.block_bytes(job.slab, job.block);
      watch_({thread, job.slab, job.is_write, bytes, begin, Moved::Clock::now()});
    }
  } catch (...) {
    failure = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    --left_[file_.blocks_before(job.slab) + job.block];
    if (failure && !failure_) {
      failure_ = failure;
      reads_.clear();
      writes_.clear();
    }
  }
  has_moved_.notify_all();
}

void SlabTransfers::work(int thread) {
  for (;;) {
    std::unique_lock lock(mutex_);
    has_jobs_.wait(lock, [this] { return is_over_ || has_job(); });
    if (!has_job()) return;
    const Job job = take_job();
    lock.unlock();
    move(job, thread);
  }
}

void SlabTransfers::wait_blocks(Index s, const Blocks& blocks) {
  std::unique_lock lock(mutex_);
  while (threads_.empty() && has_job()) {
    const Job job = take_job();
    lock.unlock();
    move(job, 0);
    lock.lock();
  }
  const auto first = left_.begin() + file_.blocks_before(s);
  const auto has_ended = [](unsigned char left) { return left == 0; };
  has_moved_.wait(lock, [&] {
    return failure_ != nullptr || std::all_of(first + blocks.first, first + blocks.last, has_ended);
  });
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace clchol::numeric
