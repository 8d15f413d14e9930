// A scratch file in memory whose calls can be made to fail, as the calls of a full or broken disk
// do.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "numeric/file/scratch_file.hpp"

namespace clchol::test {

/// Simulates one file.
class FailingFile {
 public:
  enum Kind { kOpen, kReserve, kWrite, kRead };

  /// Makes the k-th call of a kind (from 0 on) and all later calls of it fail with an errno value.
  void fail(Kind kind, int k, int error) { failures_[kind] = {k, error}; }
  void never_fail() { failures_ = std::vector<Failure>(4); }
  /// Limits the bytes that a transfer moves; 0: no limit.
  void move_at_most(std::size_t bytes) { most_ = bytes; }
  /// Inverts a bit of a written byte.
  void flip(Offset byte) {
    const std::lock_guard lock(mutex_);
    bytes_[static_cast<std::size_t>(byte)] ^= 1;
  }
  /// Cuts the file off after `bytes` bytes.
  void truncate(Offset bytes) {
    const std::lock_guard lock(mutex_);
    bytes_.resize(static_cast<std::size_t>(bytes));
  }
  Offset size() const { return static_cast<Offset>(bytes_.size()); }
  int calls(Kind kind) const { return calls_[kind]; }

  numeric::FileCalls calls() {
    return {[this](const char* /*directory*/, bool /*direct*/) {
              // Some valid descriptor, which will be closed.
              return fails(kOpen) ? -1 : numeric::system_file_calls().open("/tmp", false);
            },
            [this](int /*file*/, off_t bytes) {
              if (fails(kReserve)) return -1;
              bytes_.assign(static_cast<std::size_t>(bytes), 0);
              return 0;
            },
            [this](int /*file*/, const void* from, std::size_t bytes, off_t at) -> ssize_t {
              if (fails(kWrite)) return -1;
              const std::lock_guard lock(mutex_);
              const auto begin = static_cast<std::size_t>(at);
              const std::size_t count = moved(bytes);
              if (begin + count > bytes_.size()) bytes_.resize(begin + count);
              std::memcpy(bytes_.data() + begin, from, count);
              return static_cast<ssize_t>(count);
            },
            [this](int /*file*/, void* to, std::size_t bytes, off_t at) -> ssize_t {
              if (fails(kRead)) return -1;
              const std::lock_guard lock(mutex_);
              const auto begin = static_cast<std::size_t>(at);
              if (begin >= bytes_.size()) return 0;
              const std::size_t count = std::min(moved(bytes), bytes_.size() - begin);
              std::memcpy(to, bytes_.data() + begin, count);
              return static_cast<ssize_t>(count);
            }};
  }

 private:
  struct Failure {
    int from = -1, error = 0;
  };

  bool fails(Kind kind) {
    const Failure& failure = failures_[kind];
    const int k = calls_[kind]++;
    if (failure.from < 0 || k < failure.from) return false;
    errno = failure.error;
    return true;
  }
  std::size_t moved(std::size_t bytes) const { return most_ == 0 ? bytes : std::min(bytes, most_); }

  std::vector<Failure> failures_ = std::vector<Failure>(4);
  std::atomic<int> calls_[4] = {};
  std::size_t most_ = 0;
  std::mutex mutex_;  // Guards the bytes.
  std::vector<char> bytes_;
};

}  // namespace clchol::test
