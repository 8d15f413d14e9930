// A scratch file for data that does not fit into memory.  The file has no name, and the system
// removes it when the process ends, however it ends.
//
// Disk space is reserved in the constructor, before any work, so that a full disk is found early.
// Where the file system allows it, transfers bypass the system's page cache (direct I/O): the
// factor is written once and read rarely, and pages in the cache would take memory from other uses.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>

#include "base/types.hpp"

namespace clchol::numeric {

/// System calls of a scratch file.  They report errors as the system's do: -1 and errno.  Tests
/// replace them by calls that fail.
struct FileCalls {
  /// Opens a file without a name in a directory, for reading and writing.
  std::function<int(const char* directory, bool direct)> open;
  // Reserves disk space for `bytes` bytes.
  std::function<int(int file, off_t bytes)> reserve;
  std::function<ssize_t(int file, const void* from, std::size_t bytes, off_t at)> write;
  std::function<ssize_t(int file, void* to, std::size_t bytes, off_t at)> read;
};
const FileCalls& system_file_calls();

class ScratchFile {
 public:
  /// Offsets in the file, sizes of transfers and addresses in memory are multiples of this number
  /// of bytes.
  static constexpr Offset kAlignment = 4096;

  /// Opens the file in `directory` and reserves disk space.
  /// @param bytes  Bytes to reserve.
  /// @param calls  Must outlive the file.
  /// Throws FileError with the system's error message.
  ScratchFile(std::string directory, Offset bytes, const FileCalls& calls = system_file_calls());
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& directory() const { return directory_; }
  Offset bytes() const { return bytes_; }
  /// Whether transfers bypass the system's page cache.
  bool is_direct() const { return is_direct_; }

  /// Write or read `bytes` bytes at offset `at` of the file.  Throw FileError, which names the
  /// directory and the offset.  Several threads may call them at the same time.
  void write(const void* from, Offset bytes, Offset at) const;
  void read(void* to, Offset bytes, Offset at) const;
  /// Throws FileError for a transfer at offset `at`; `what` describes the failure.
  [[noreturn]] void fail(const std::string& what, Offset at) const;

 private:
  /// Calls transfer(done, count), which transfers at most `count` bytes after the first `done`
  /// bytes, until `bytes` bytes are transferred.
  template <class Transfer>
  void transfer_all(const char* what, Offset bytes, Offset at, const Transfer& transfer) const;

  std::string directory_;
  Offset bytes_;
  const FileCalls& calls_;
  bool is_direct_ = true;
  int file_ = -1;
};

}  // namespace clchol::numeric
