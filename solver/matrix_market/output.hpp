// An output file that appears whole or not at all.
//
// The file is written under a temporary name in the target's directory, flushed to the disk, and
// renamed over the target, which is atomic on POSIX file systems.  The new file gets the mode of
// the file that it replaces.  If the target is a symbolic link, the link stays and the file that it
// points to is replaced.  A target that exists and is no regular file (a pipe, a device) is written
// in place: without a temporary file.  Writing to a pipe that nobody reads can be cancelled
// (base/write_all.hpp).
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "solver/matrix_market/gzip.hpp"

namespace clchol::solver {

/// Every failure throws InvalidArgument with the system's error text.  The caller makes the object,
/// appends text, and calls commit() at the end.  The destructor removes the temporary file unless
/// commit() has succeeded.
class OutputFile {
 public:
  /// Opens the file.  If the path ends in ".gz", `threads` threads compress the text.
  /// @param cancel  while *cancel is true, writing to a pipe that accepts no bytes fails instead of
  ///                waiting; null: writing always waits.
  OutputFile(const std::string& path, int threads, const std::atomic<bool>* cancel = nullptr);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void append(std::string_view text);
  /// Flushes and closes the temporary file and renames it to the target.  Must be called once,
  /// after the last append().
  void commit();

 private:
  void open_target();
  void open_temporary(unsigned mode, bool replaces);
  void write_raw(std::string_view bytes);
  void abandon() noexcept;

  std::string path_;       // Path as given, for messages.
  std::string target_;     // Path of the file that is replaced; symbolic links are resolved.
  std::string temporary_;  // Path of the temporary file; empty when there is none.
  const std::atomic<bool>* cancel_;
  int file_ = -1;                      // File descriptor; -1 when closed.
  std::unique_ptr<GzipEncoder> gzip_;  // Null for plain text.
};

}  // namespace clchol::solver
