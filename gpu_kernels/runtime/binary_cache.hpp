// A cache of compiled programs on disk, one file each.  It does not use OpenCL.
//
// A file is named by the hash of its key.  It holds the whole key beside the binary, so that a hash
// collision is recognized:
//
//   magic (8 bytes)  format (4)  zero (4)  key size (8)  binary size (8)  XXH3 of both (8)
//   key  binary                                             numbers in the machine's byte order
//
// The cache only saves time.  A file that is unreadable, truncated, damaged or foreign counts as
// absent; an entry that cannot be written is not written.  Files are written under a temporary name
// and renamed, so that several processes may share a folder.  Safe to call concurrently.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace clchol::gpu {

class BinaryCache {
 public:
  /// @param folder  is created when an entry is stored; an empty name means no cache.
  explicit BinaryCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The binary of this key; nothing when it is not in the cache.
  std::optional<std::string> load(std::string_view key) const;
  /// Writes an entry.  @return whether the entry is on disk now.
  bool store(std::string_view key, std::string_view binary) const;

  const std::filesystem::path& folder() const { return folder_; }
  /// The file of this key's entry, whether or not it exists.
  std::filesystem::path file_of(std::string_view key) const;

 private:
  std::filesystem::path folder_;
};

/// The user's cache folder: $CLCHOL_CACHE, else $XDG_CACHE_HOME/clchol, else ~/.cache/clchol.
/// Empty (no cache) when CLCHOL_CACHE is set and empty, or no home folder is known.
std::filesystem::path default_cache_folder();

/// Writes a file under a temporary name and renames it; creates its folder.  A failure leaves no
/// file behind.  @return whether the file was written.
bool replace_file(const std::filesystem::path& path, std::string_view content);

}  // namespace clchol::gpu
