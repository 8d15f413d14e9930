// A file for what does not fit into memory: it has no name, and is gone when the process ends,
// however it ends.
//
// Space is reserved before any work, so that a full disk is found then.  Where the file system
// allows it, transfers go past the system's page cache (direct I/O): the factor is written once and
// read rarely, and pages that the cache takes would be missing elsewhere.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>

#include "base/types.hpp"

namespace clchol::numeric {

/// The system calls of a scratch file, which report as the system's do: -1 and errno.  Tests put
/// failing ones in their place.
struct FileCalls {
  /// Opens a file without a name in a directory, for reading and writing.
  std::function<int(const char* directory, bool direct)> open;
  std::function<int(int file, off_t bytes)> reserve;  // Space for so many bytes.
  std::function<ssize_t(int file, const void* from, std::size_t bytes, off_t at)> write;
  std::function<ssize_t(int file, void* to, std::size_t bytes, off_t at)> read;
};
const FileCalls& system_file_calls();

class ScratchFile {
 public:
  /// Places in the file, sizes and addresses in memory are multiples of so many bytes.
  static constexpr Offset kAlignment = 4096;

  /// @param bytes  that are reserved.
  /// @param calls  outlives the file.
  /// Throws FileError with the system's words.
  ScratchFile(std::string directory, Offset bytes, const FileCalls& calls = system_file_calls());
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& directory() const { return directory_; }
  Offset bytes() const { return bytes_; }
  /// Whether transfers go past the system's page cache.
  bool is_direct() const { return is_direct_; }

  /// Throw FileError, which names directory and place.  Calls may run at the same time.
  void write(const void* from, Offset bytes, Offset at) const;
  void read(void* to, Offset bytes, Offset at) const;
  /// Throws the error of a transfer.
  [[noreturn]] void fail(const std::string& what, Offset at) const;

 private:
  /// Calls transfer(done) until `bytes` bytes are done.
  template <class Transfer>
  void transfer_all(const char* what, Offset bytes, Offset at, const Transfer& transfer) const;

  std::string directory_;
  Offset bytes_;
  const FileCalls& calls_;
  bool is_direct_ = true;
  int file_ = -1;
};

}  // namespace clchol::numeric
