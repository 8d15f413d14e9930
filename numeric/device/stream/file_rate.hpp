// The transfer rate of a scratch file: measured once for each directory and kept in a disk cache.
#pragma once

#include <string>

#include "gpu_kernels/runtime/binary_cache.hpp"
#include "numeric/file/scratch_file.hpp"

namespace clchol::numeric {

/// Returns the rate in bytes per second at which slabs are written to a scratch file in the
/// directory or read from it, whichever is slower; 0 when no file can be made in the directory.
/// The rate comes from the cache if it has one.  Otherwise 64 MiB are written and read, which takes
/// about a tenth of a second, and the rate is stored in the cache.
double file_rate(const std::string& directory, const FileCalls& calls,
                 const gpu::BinaryCache& cache);

}  // namespace clchol::numeric
