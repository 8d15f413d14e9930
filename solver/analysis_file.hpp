// A saved analysis: the symbolic factor, the words of its report, and the pattern it belongs to.
//
// The execution plan is not saved: it is made for the machine at hand.  Numbers are binary, in the
// byte order of the machine; no member depends on the scalar type or on the number of threads.
//
//   8 bytes      "clchol-a"
//   2 x uint32   byte order mark 0x01020304; version.  So far for all versions.
//   uint64       hash of the matrix' pattern
//   9 x int64    n, nsuper, entries of super_rowind; compressed_n, exact_supernodes,
//                dynamic_supernodes, backward_search; lengths of the two texts
//   int64        super_rowptr                                             nsuper + 1
//   int32        perm, colcount, super_ptr, super_parent, super_rowind    symbolic_factor.hpp
//   char         name of the ordering; why it was chosen
//   uint64       checksum of all bytes before
//
// What guards against what.  The checksum finds damage: a file that is truncated, overwritten in
// part, or has flipped bits is refused.  It is no signature, anybody can compute it: what a file
// with a good checksum holds is checked all the same (symbolic/restore.hpp), and the plan refuses a
// structure that has no place for an entry of A, so that no file leads out of an array.  The hash
// of the pattern refuses the analysis of another matrix by mistake.  A structure that passes all
// this holds A's pattern and is closed under elimination: the solution is right, whoever made the
// file; only fill and ordering may be poor.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "base/csc.hpp"
#include "solver/analysis.hpp"
#include "solver/matrix_market/source.hpp"

namespace clchol::solver {

/// Hands the bytes to `append`, piece by piece.  The same analysis gives the same bytes.
void write_analysis(const Analysis& analysis, const std::function<void(std::string_view)>& append);

/// Writes a file that appears whole or not at all, compressed where its name ends in ".gz".
/// @param cancel  once true, a pipe that takes nothing is given up; null: never.
/// Throws InvalidArgument with the system's words.
void save_analysis(const Analysis& analysis, const std::string& path, int threads,
                   const std::atomic<bool>* cancel = nullptr);

/// Reads what write_analysis() has written, plain or gzip.
/// @param lower   the pattern that the analysis must belong to; null: any.
/// @param cancel  polled from time to time; null: never.
/// Throws InvalidArgument "<name>: <reason>", ordering::Interrupted, std::bad_alloc.
/// Cost O(bytes); memory: the result, and n indices a thread.
SavedAnalysis read_analysis(ByteStream stream, const CscPatternView* lower, int threads,
                            const std::atomic<bool>* cancel = nullptr);

}  // namespace clchol::solver
