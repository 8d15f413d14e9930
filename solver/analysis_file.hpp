// Reads and writes the file of a saved analysis: the symbolic factor, texts and counts of its
// report, and a hash of the pattern that it belongs to.
//
// The execution plan is not saved, because it is made for one machine.  Numbers are binary, in the
// byte order of the machine.  No member depends on the scalar type or on the number of threads.
//
//   8 bytes      "clchol-a"
//   2 x uint32   byte order mark 0x01020304; version.  All versions begin with these 16 bytes.
//   uint64       hash of the matrix' pattern
//   9 x int64    n, nsuper, entries of super_rowind; compressed_n, exact_supernodes,
//                dynamic_supernodes, backward_search; lengths of the two texts
//   int64        super_rowptr                                             nsuper + 1
//   int32        perm, colcount, super_ptr, super_parent, super_rowind    symbolic_factor.hpp
//   char         name of the ordering; why it was chosen
//   uint64       checksum of all bytes before
//
// Three checks protect the reader:
//
//   checksum     refuses a file that is truncated, partly overwritten, or has flipped bits.
//   structure    The checksum is not a signature: anybody can compute it.  So the content of a file
//                with a good checksum is checked too (symbolic/restore.hpp), and the entry map
//                refuses a structure that does not contain an entry of A.  No file can cause an
//                access outside an array.
//   hash         refuses the analysis of another matrix, saved or named by mistake.
//
// A structure that passes all checks contains A's pattern and is closed under elimination.  The
// solution is then right, whoever made the file; only fill and ordering may be poor.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "base/csc.hpp"
#include "solver/analysis.hpp"
#include "solver/matrix_market/source.hpp"

namespace clchol::solver {

/// Passes the bytes of the file to `append`, section by section.  The same analysis gives the same
/// bytes.
void write_analysis(const Analysis& analysis, const std::function<void(std::string_view)>& append);

/// Writes a file that appears whole or not at all, compressed when its name ends in ".gz".
/// @param cancel  once true, a write to a pipe that nobody reads is given up; null: never.
/// Throws InvalidArgument with the system's error text.
void save_analysis(const Analysis& analysis, const std::string& path, int threads,
                   const std::atomic<bool>* cancel = nullptr);

/// Reads the bytes that write_analysis() has written, plain or compressed by gzip.
/// @param lower   the pattern that the analysis must belong to; null: any pattern.
/// @param cancel  once true, the call ends with ordering::Interrupted; null: never.
/// Throws InvalidArgument "<name>: <reason>", ordering::Interrupted, std::bad_alloc.
/// Cost O(bytes).  Memory: the result, and n indices per thread.
SavedAnalysis read_analysis(ByteStream stream, const CscPatternView* lower, int threads,
                            const std::atomic<bool>* cancel = nullptr);

}  // namespace clchol::solver
