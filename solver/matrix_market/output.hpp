// A file that appears whole or not at all.
//
// Written under a temporary name in the target's folder, flushed to the disk, then renamed over the
// target: atomic on POSIX file systems.  A target that exists and is no regular file (a pipe, a
// device) is written in place.  A target that is a symbolic link keeps being one: the file it
// points to is replaced.  The new file has the mode of the one it replaces.  What is written in
// place can be given up where nobody reads it (base/write_all.hpp).
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "solver/matrix_market/gzip.hpp"

namespace clchol::solver {

/// Every failure throws InvalidArgument with the system's words; a file that was not committed is
/// removed by the destructor.
class OutputFile {
 public:
  /// A path that ends in ".gz" is compressed, by `threads` threads.
  /// @param cancel  once true, a pipe that takes nothing is given up: a failure; null: never.
  OutputFile(const std::string& path, int threads, const std::atomic<bool>* cancel = nullptr);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void append(std::string_view text);
  /// Finishes the file and gives it its name.
  void commit();

 private:
  void open_target();
  void open_temporary(unsigned mode, bool replaces);
  void write_raw(std::string_view bytes);
  void abandon() noexcept;

  std::string path_;       // As given, for messages.
  std::string target_;     // What is replaced.
  std::string temporary_;  // Empty when written in place, and once renamed.
  const std::atomic<bool>* cancel_;
  int file_ = -1;
  std::unique_ptr<GzipEncoder> gzip_;  // Null for plain text.
};

}  // namespace clchol::solver
