// How fast a scratch file is: measured once for each directory, and kept.
#pragma once

#include <string>

#include "gpu_kernels/runtime/binary_cache.hpp"
#include "numeric/file/scratch_file.hpp"

namespace clchol::numeric {

/// Bytes a second at which slabs go to a file in the directory, or come from it, whichever is
/// slower.  From the cache where it is there; else 64 MiB are written and read, in a tenth of a
/// second or so, and the rate is stored.  0: no file can be made there.
double file_rate(const std::string& directory, const FileCalls& calls,
                 const gpu::BinaryCache& cache);

}  // namespace clchol::numeric
