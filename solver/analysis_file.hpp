// Reads and writes the file of a saved analysis: the symbolic factor, two texts and some counts of
// the AnalysisReport, and a hash of the pattern of A that the analysis belongs to.
//
// The plan of the CPU engine is not saved, because it is made for one machine.  Numbers are binary,
// in the byte order of the machine.  The contents do not depend on the scalar type of A or on the
// number of threads.  The file, from its begin (type and number of elements, then what they are):
//
//   8 bytes      "clchol-a"
//   2 x uint32   byte order mark 0x01020304; version of the format.  All versions begin with these
//                16 bytes.
//   uint64       hash of the matrix' pattern
//   9 x int64    n, nsuper, length of super_rowind; compressed_n, exact_supernodes,
//                dynamic_supernodes, backward_search (members of AnalysisReport); lengths in bytes
//                of the two texts
//   int64        super_rowptr; length nsuper + 1
//   int32        perm, colcount, super_ptr, super_parent, super_rowind; lengths as in
//                symbolic/symbolic_factor.hpp
//   char         two texts: the name of the ordering, and why this ordering was chosen
//   uint64       checksum of all earlier bytes
//
// Three checks protect the reader:
//
//   checksum     Refuses a file that is truncated, partly overwritten, or has flipped bits.
//   structure    Anybody can write a file with a good checksum.  So the arrays are checked too
//                (symbolic/restore.hpp), and symbolic::make_entry_map() refuses a structure of L
//                that lacks an entry of A.  No file can cause an access outside an array.
//   hash         Refuses the analysis of another pattern, for example of a file named by mistake.
//
// A structure that passes all checks contains A's pattern, and all fill that elimination causes.
// The solution is then right, whoever made the file; only fill and ordering may be poor.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "base/csc.hpp"
#include "solver/analysis.hpp"
#include "solver/matrix_market/source.hpp"

namespace clchol::solver {

/// Passes the bytes of the file to `append`, section by section.  Equal analyses give equal bytes.
void write_analysis(const Analysis& analysis, const std::function<void(std::string_view)>& append);

/// Writes the file `path`, compressed by gzip when `path` ends in ".gz".  On failure, `path` keeps
/// its former content.
/// @param threads  number of threads that compress.
/// @param cancel   flag of the caller.  When it is true, a write to a pipe that nobody reads is
///                 given up.  Null: no flag.
/// Throws InvalidArgument with the system's error text.
void save_analysis(const Analysis& analysis, const std::string& path, int threads,
                   const std::atomic<bool>* cancel = nullptr);

/// Reads the bytes that write_analysis() has written, plain or compressed by gzip.
/// @param lower   the pattern that the analysis must belong to; null: any pattern.
/// @param cancel  flag of the caller.  When it is true, the call ends with ordering::Interrupted.
///                Null: no flag.
/// Throws InvalidArgument "<name of the file>: <reason>", ordering::Interrupted, std::bad_alloc.
/// Cost O(bytes).  Memory: the result, and n indices per thread.
SavedAnalysis read_analysis(ByteStream stream, const CscPatternView* lower, int threads,
                            const std::atomic<bool>* cancel = nullptr);

}  // namespace clchol::solver
