// Measures how fast a scratch file is written and read.  The rate of each directory is measured
// once and kept in a cache on disk.
#pragma once

#include <string>

#include "gpu_kernels/runtime/binary_cache.hpp"
#include "numeric/file/scratch_file.hpp"

namespace clchol::numeric {

/// Returns the rate, in bytes per second, at which slabs are written to a scratch file in the
/// directory, or the rate at which they are read, whichever is less.  Returns 0 when writing or
/// reading a file in the directory fails.  Takes the rate from the cache if the cache has a rate
/// for the directory.  Otherwise writes and reads 64 MiB, which takes about a tenth of a second,
/// and stores the rate in the cache.
/// @param calls  System calls of the scratch file.
/// @param cache  Cache on disk.  The key is the canonical path of the directory.
double file_rate(const std::string& directory, const FileCalls& calls,
                 const gpu::BinaryCache& cache);

}  // namespace clchol::numeric
