// The built programs of a context, in memory and on disk.
//
// The first request for a program loads its binary from disk (BinaryCache), or compiles the program
// and stores the binary on disk.  Later requests find the program in memory.  The key of a program
// consists of its source, its options, and the names and versions of device, platform and driver.
// When the driver does not accept a binary from disk, the program is compiled again and the binary
// on disk is replaced.
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

/// Numbers of successful calls of ProgramCache::program(), counted by the origin of the program,
/// and the time that builds took.  Reports use these numbers to show what a first use costs.
struct ProgramCacheCounts {
  Index from_source = 0;     // Calls that compiled a program.
  Index from_disk = 0;       // Calls that built a program from a binary on disk.
  Index from_memory = 0;     // Calls that found the program in memory.
  double build_seconds = 0;  // Time of compiling and loading, summed over all threads.
};

/// The programs of one context.  Thread-safe.
class ProgramCache {
 public:
  /// @param folder  folder of the binaries on disk, for example default_cache_folder().  Empty: no
  ///                binaries on disk.
  ProgramCache(const Context& context, std::filesystem::path folder)
      : context_(&context), disk_(std::move(folder)) {}
  ProgramCache(const ProgramCache&) = delete;
  ProgramCache& operator=(const ProgramCache&) = delete;

  /// Returns the program with this source and these options.  The first call loads or compiles the
  /// program.  If that throws an exception, the next call tries again.  The program lives as long
  /// as the cache.  Threads that request one program at the same time wait for a single build.
  /// Requests for different programs do not wait for each other.  Throws BuildError when the
  /// program cannot be compiled, DeviceError when an OpenCL call fails.
  const Program& program(const ProgramText& text);
  /// Returns the program of a kernel file that is embedded in the library.
  /// @param file     name of the file, for example "reduce.cl".
  /// @param options  options of clBuildProgram.
  /// Throws InvalidArgument for an unknown file, BuildError when the program cannot be compiled,
  /// DeviceError when an OpenCL call fails.
  const Program& program(std::string_view file, std::string_view options);

  /// @return the counts and the time since the cache was created.
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
