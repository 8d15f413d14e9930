// Compiled programs on disk, one file each; nothing here knows OpenCL.
//
// A file is named by the hash of its key and holds the whole key beside the binary, so that an
// entry is taken only for exactly the program that was asked for:
//
//   magic (8 bytes)  format (4)  zero (4)  key size (8)  binary size (8)  XXH3 of both (8)
//   key  binary                                             numbers in the machine's byte order
//
// A cache saves time and nothing else depends on it: what cannot be read, is cut short, damaged or
// foreign counts as absent, and what cannot be written is not written.  Files are written under
// another name and renamed, so that several processes may share a folder.  Safe to call
// concurrently.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace clchol::gpu {

class BinaryCache {
 public:
  /// `folder` is made when something is stored; an empty name means no cache.
  explicit BinaryCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<std::string> load(std::string_view key) const;
  /// Whether the entry is on disk now.
  bool store(std::string_view key, std::string_view binary) const;

  const std::filesystem::path& folder() const { return folder_; }
  /// Where the entry of this key lies, or would.
  std::filesystem::path file_of(std::string_view key) const;

 private:
  std::filesystem::path folder_;
};

/// The user's folder for what can be made again: $CLCHOL_CACHE, or $XDG_CACHE_HOME/clchol, or
/// ~/.cache/clchol.  Empty (no cache) when CLCHOL_CACHE is set and empty or no home is known.
std::filesystem::path default_cache_folder();

/// Writes the file under another name and renames it; makes its folder.  Whether that succeeded; a
/// failure leaves nothing behind.
bool replace_file(const std::filesystem::path& path, std::string_view content);

}  // namespace clchol::gpu
