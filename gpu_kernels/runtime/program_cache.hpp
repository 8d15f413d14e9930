// The programs of a context: each is built once, and never where the disk has it.
//
// An entry on disk belongs to exactly one text: source, options, device, platform, their versions
// and the driver's are its key.  What the driver does not take is built again and replaced.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "gpu_kernels/runtime/binary_cache.hpp"
#include "gpu_kernels/runtime/program.hpp"

namespace clchol::gpu {

/// What a cache did so far.  First-use costs are reported apart from the work.
struct ProgramCacheCounts {
  Index from_source = 0;
  Index from_disk = 0;
  Index from_memory = 0;
  double build_seconds = 0;  // In compilers and loaders, over all threads.
};

class ProgramCache {
 public:
  /// @param folder  of the entries on disk; empty: none.  See default_cache_folder().
  ProgramCache(const Context& context, std::filesystem::path folder)
      : context_(&context), disk_(std::move(folder)) {}
  ProgramCache(const ProgramCache&) = delete;
  ProgramCache& operator=(const ProgramCache&) = delete;

  /// The program of this text, built when it is asked for the first time; it lives as long as the
  /// cache.  Threads that ask for the same text at once wait for one build; others do not wait.
  /// Throws BuildError; the next call tries again.
  const Program& program(const ProgramText& text);
  /// The program of an embedded kernel file, "reduce.cl".  Throws InvalidArgument for an unknown
  /// name.
  const Program& program(std::string_view file, std::string_view options);

  ProgramCacheCounts counts() const;
  const Context& context() const { return *context_; }
  const std::filesystem::path& folder() const { return disk_.folder(); }

 private:
  struct Entry {
    std::mutex mutex;
    std::optional<Program> program;
  };
  std::string key_of(const ProgramText& text) const;
  Program load_or_build(const ProgramText& text, const std::string& key);
  void count(Index ProgramCacheCounts::*what, double seconds);

  const Context* context_;
  BinaryCache disk_;
  mutable std::mutex mutex_;  // Of the map and the counts.
  std::map<std::string, std::unique_ptr<Entry>> entries_;
  ProgramCacheCounts counts_;
};

}  // namespace clchol::gpu
