// Reads assembled symmetric matrices from Harwell-Boeing and Rutherford-Boeing files:
//
//   title                                                                   key
//   numbers of lines: total, of column pointers, row indices, values [, right-hand sides]
//   type, rows, columns, entries [, 0]
//   Fortran formats of column pointers, row indices, values [, right-hand sides]
//   [line on the right-hand sides]
//   column pointers, row indices, values: numbers in fixed columns, often without blanks between
//
// Source: [DGL92], [DGL97].
//
// The reader accepts
// - the types RSA and ISA (entries in either triangle), and RUA and IUA if the matrix is
//   numerically symmetric, in upper or lower case;
// - the types PSA and PUA, if ReadOptions::pattern_only is set;
// - plain or gzip text, and CRLF;
// - formats of the descriptors I, F, E, D, G, ES, EN, X and P with repeat counts and one level of
//   parentheses: (16I5), (1P,5E16.8), (4(1X,F12.5));
// - exponents with D instead of E, without a letter (1.5-103), or with a blank after the letter
//   (1.5E 03).  A blank field among the values is 0.
// Values, duplicates, triangles and error messages follow the rules for Matrix Market files
// (solver/matrix_market.hpp).  The numbers of lines are not used, because the formats imply them.
// Right-hand sides are skipped, which ReadNotes reports.
//
// The reader refuses, naming the line,
// - complex (C), other pattern (P, Q), hermitian (H), skew-symmetric (Z), rectangular (R) and
//   elemental (E) types;
// - text that does not fit the columns of its format;
// - values that Fortran would read differently than their text suggests: a value without a decimal
//   point under a format that implies one, or without an exponent under a scale factor.
//
// The calling thread parses the lines as it reads them; the entries are assembled like the entries
// of Matrix Market files.  Allocations follow the data read so far, not the header's claims.
// Cost O(bytes + nnz log(longest unsorted column) + n).  Peak memory, result included: 28 bytes per
// entry for sorted columns, 32 for other columns, and 24 bytes per column.
#pragma once

#include <string>
#include <string_view>

#include "solver/matrix_market.hpp"

namespace clchol::solver {

/// Reads a symmetric matrix.
/// @throws InvalidArgument for an unreadable or unsuitable file, OutOfMemory, Interrupted.
/// Safe to call concurrently and inside a parallel region.
SymmetricMatrix read_harwell_boeing(const std::string& path, const ReadOptions& options = {});

/// read_harwell_boeing() for the content of a file (text or gzip) in memory.
/// @param name  the file's name in messages.
SymmetricMatrix parse_harwell_boeing(std::string_view content, const std::string& name,
                                     const ReadOptions& options = {});

}  // namespace clchol::solver
