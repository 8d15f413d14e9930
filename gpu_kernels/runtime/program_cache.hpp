// The programs of a context.  Each is loaded from disk, or compiled once if it is not on disk.
//
// The key of an entry on disk is the source, the options, the device, the platform, their versions
// and the driver's version.  A program whose binary the driver does not accept is compiled again,
// and its entry is replaced.
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

/// Number of programs that a cache has returned so far, by their origin, and the time to build
/// them, so that reports show the cost of the first use separately.
struct ProgramCacheCounts {
  Index from_source = 0;     // Programs compiled.
  Index from_disk = 0;       // Programs built from a binary on disk.
  Index from_memory = 0;     // Calls that found the program in memory.
  double build_seconds = 0;  // Seconds of compiling and loading, summed over all threads.
};

class ProgramCache {
 public:
  /// @param folder  folder of the entries on disk; empty: none.  See default_cache_folder().
  ProgramCache(const Context& context, std::filesystem::path folder)
      : context_(&context), disk_(std::move(folder)) {}
  ProgramCache(const ProgramCache&) = delete;
  ProgramCache& operator=(const ProgramCache&) = delete;

  /// The program of this text, which the first call builds.  The program lives as long as the
  /// cache.  Threads that ask for one text at the same time wait for one build; threads that ask
  /// for other texts do not wait.  Throws BuildError; the next call tries again.
  const Program& program(const ProgramText& text);
  /// The program of an embedded kernel file, for example "reduce.cl".  Throws InvalidArgument for
  /// an unknown file.
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
  mutable std::mutex mutex_;  // Guards entries_ and counts_.
  std::map<std::string, std::unique_ptr<Entry>> entries_;
  ProgramCacheCounts counts_;
};

}  // namespace clchol::gpu
