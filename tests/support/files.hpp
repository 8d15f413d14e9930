// Files and temporary folders of tests, and a limit on file sizes that acts as a full disk.
#pragma once

#include <sys/resource.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace clchol::test {

/// Content of a file.
std::string file_content(const std::filesystem::path& path);
void put_file(const std::filesystem::path& path, std::string_view content);

/// A new folder; the destructor removes it with its content.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  /// Names of the folder's files, sorted.
  std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

/// Limits the bytes of files that this process writes, as a full disk would.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes);
  ~FileSizeLimit();
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_ = {};
  void (*old_handler_)(int) = nullptr;
};

}  // namespace clchol::test
