// A scratch file for panels that do not fit into memory.  The file has no name, so that the system
// removes it when the process ends, even by a crash.
//
// The constructor reserves the disk space, so that a full disk is found before any work is done.
// (On a file system that cannot reserve space, a full disk is found when the file is written.)
// Transfers bypass the system's page cache (direct I/O) if the file system has direct I/O.  A
// factor is written once and read rarely: copies of the factor in the page cache would only take
// memory from other uses.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>

#include "base/types.hpp"

namespace clchol::numeric {

/// The system calls that a scratch file uses.  A call that fails returns -1 and sets errno.  Tests
/// replace the calls by functions that fail.
struct FileCalls {
  /// Opens a file without a name in a directory, for reading and writing, with or without direct
  /// I/O.  Returns the file descriptor.
  std::function<int(const char* directory, bool direct)> open;
  /// Reserves disk space for the bytes [0, bytes) of the file.  Returns 0 when it succeeds.
  std::function<int(int file, off_t bytes)> reserve;
  /// Writes at most `bytes` bytes to the file at byte offset `at`, as pwrite() does.  Returns the
  /// number of bytes written.
  std::function<ssize_t(int file, const void* from, std::size_t bytes, off_t at)> write;
  /// Reads at most `bytes` bytes of the file at byte offset `at`, as pread() does.  Returns the
  /// number of bytes read.
  std::function<ssize_t(int file, void* to, std::size_t bytes, off_t at)> read;
};
/// Returns the system calls of Linux.
const FileCalls& system_file_calls();

/// An open scratch file of fixed size.
class ScratchFile {
 public:
  /// Byte offsets in the file, byte counts of transfers, and addresses of memory that write() and
  /// read() access must be multiples of this number.
  static constexpr Offset kAlignment = 4096;

  /// Makes the file in `directory` and reserves disk space for `bytes` bytes.
  /// @param calls  System calls.  They must outlive this object.
  /// Throws FileError with the system's error message.
  ScratchFile(std::string directory, Offset bytes, const FileCalls& calls = system_file_calls());
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& directory() const { return directory_; }
  /// Bytes that the constructor has reserved.
  Offset bytes() const { return bytes_; }
  /// Whether transfers bypass the system's page cache.
  bool is_direct() const { return is_direct_; }

  /// Writes `bytes` bytes to the file at byte offset `at`.  Several threads may call write() and
  /// read() at the same time.  Throws FileError, which names the directory and the offset.
  void write(const void* from, Offset bytes, Offset at) const;
  /// Reads `bytes` bytes of the file at byte offset `at`.  Several threads may call write() and
  /// read() at the same time.  Throws FileError, which names the directory and the offset.
  void read(void* to, Offset bytes, Offset at) const;
  /// Throws FileError, which names the directory, the byte offset `at` and the failure `what`.
  [[noreturn]] void fail(const std::string& what, Offset at) const;

 private:
  /// Calls transfer(done, count) until `bytes` bytes are transferred.  A call of transfer() moves
  /// at most `count` bytes, from byte offset at + done of the file on, and returns the number of
  /// bytes moved; or returns -1 and sets errno.
  /// @param what  Name of the operation in error messages.
  /// @param at    Byte offset in the file of the first byte.
  template <class Transfer>
  void transfer_all(const char* what, Offset bytes, Offset at, const Transfer& transfer) const;

  std::string directory_;
  Offset bytes_;
  const FileCalls& calls_;
  bool is_direct_ = true;  // Whether transfers bypass the system's page cache.
  int file_ = -1;          // File descriptor.
};

}  // namespace clchol::numeric
