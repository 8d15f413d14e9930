// A cache on disk that maps keys to compiled programs, called binaries.  Keys and binaries are byte
// strings; the cache does not use OpenCL.
//
// Each entry is a file, whose name is the hash of the key.  The file contains the whole key, so
// that load() recognizes a hash collision.  Layout of the file, with sizes in bytes and numbers in
// the machine's byte order:
//
//   magic (8)  format version (4)  zero (4)  key size (8)  binary size (8)  checksum (8)
//   key  binary
//
// The checksum is the XXH3 hash of key and binary.  For a file that is unreadable, truncated,
// damaged or of another format, load() finds nothing, so that the caller compiles the program
// again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace clchol::gpu {

/// The cache in one folder.  Several threads and several processes may use a folder concurrently.
class BinaryCache {
 public:
  /// @param folder  folder of the files, which store() creates.  Empty: load() finds nothing and
  ///                store() writes nothing.
  explicit BinaryCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Reads the binary of a key.  @return nothing when the folder has no valid file for the key.
  std::optional<std::string> load(std::string_view key) const;
  /// Writes the binary of a key, and replaces an earlier binary of the key.  @return false when the
  /// file could not be written, or when folder() is empty.
  bool store(std::string_view key, std::string_view binary) const;

  const std::filesystem::path& folder() const { return folder_; }
  /// @return the path of the key's file, whether or not the file exists.
  std::filesystem::path file_of(std::string_view key) const;

 private:
  std::filesystem::path folder_;
};

/// @return the user's cache folder: $CLCHOL_CACHE if the variable is set, else
/// $XDG_CACHE_HOME/clchol if that path is absolute, else ~/.cache/clchol.  Empty (no cache) when
/// CLCHOL_CACHE is set to an empty text, or when HOME would be used and is unset or empty.
std::filesystem::path default_cache_folder();

/// Creates or replaces the file `path`, and creates the file's folder if the folder does not exist.
/// The content is written to a temporary file, which is then renamed.  So a reader sees the old
/// file or the complete new file.  A failure leaves the old file unchanged and removes the
/// temporary file.
/// @return whether the file was written.
bool replace_file(const std::filesystem::path& path, std::string_view content);

}  // namespace clchol::gpu
