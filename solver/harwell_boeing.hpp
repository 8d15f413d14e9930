// Harwell-Boeing and Rutherford-Boeing files: assembled symmetric matrices, read.
//
//   title                                                                   key
//   lines in all, of column pointers, of row indices, of values [, of right-hand sides]
//   type, rows, columns, entries [, 0]
//   Fortran formats of column pointers, row indices, values [, right-hand sides]
//   [line on the right-hand sides]
//   column pointers, row indices, values: numbers in fixed columns, often without a blank between
//
// Source: [DGL92], [DGL97].
//
// Read: types RSA, ISA (one triangle, either) and RUA, IUA when the matrix is numerically
// symmetric, in any case; plain or gzip text; CRLF; formats of the descriptors I, F, E, D, G, ES,
// EN, X and P with repeat counts and one level of groups: (16I5), (1P,5E16.8), (4(1X,F12.5)).
// Exponents may have D for E, no letter (1.5-103) or a blank behind the letter (1.5E 03); a blank
// field among values is 0.  Values, duplicates and triangles are treated as in Matrix Market files
// (solver/matrix_market.hpp), and so are messages.  Counts of lines are not used, for the formats
// imply them; right-hand sides are passed over, and ReadNotes says so.
//
// Read where ReadOptions::pattern_only is set: PSA and PUA.
//
// Refused, with the line: complex (C), other patterns (P, Q), hermitian (H), skew-symmetric (Z),
// rectangular (R) and elemental (E) types; text that does not fit the columns of its format; and
// values that mean something else to Fortran than to a reader: without a point under a format that
// implies one, or without an exponent under a scale factor.
//
// Lines are parsed by the calling thread as they are read; entries are assembled as those of Matrix
// Market files.  Every allocation follows what has been read, not what the header promises.
// Cost O(bytes + nnz log(longest unsorted column) + n).  Peak, result included: 28 bytes an entry
// for sorted columns, 32 for others, and 24 bytes a column.
#pragma once

#include <string>
#include <string_view>

#include "solver/matrix_market.hpp"

namespace clchol::solver {

/// Reads a symmetric matrix.
/// @throws InvalidArgument for an unreadable or unsuitable file, OutOfMemory, Interrupted.
/// Safe to call concurrently and inside a parallel region.
SymmetricMatrix read_harwell_boeing(const std::string& path, const ReadOptions& options = {});

/// The same from a file's content (text or gzip); `name` stands for the file in messages.
SymmetricMatrix parse_harwell_boeing(std::string_view content, const std::string& name,
                                     const ReadOptions& options = {});

}  // namespace clchol::solver
