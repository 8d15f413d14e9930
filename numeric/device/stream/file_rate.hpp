// Measures how fast a scratch file in a directory is written and read.  The rate of each directory
// is measured once and then kept in a cache on disk.
#pragma once

#include <string>

#include "gpu_kernels/runtime/binary_cache.hpp"
#include "numeric/file/scratch_file.hpp"

namespace clchol::numeric {

/// Returns the rate of scratch files in a directory: min(rate of writing, rate of reading).  If the
/// cache has a rate for the directory, returns this rate.  Otherwise measures the rate, by writing
/// and reading 64 MiB, which takes about a tenth of a second, and stores the rate in the cache.
/// @param calls  System calls by which the file is written and read.
/// @param cache  Cache on disk.  The key contains the canonical path of the directory.
/// @return bytes per second; 0 when a file in the directory cannot be written or read.
double file_rate(const std::string& directory, const FileCalls& calls,
                 const gpu::BinaryCache& cache);

}  // namespace clchol::numeric
