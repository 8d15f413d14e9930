// Reads assembled symmetric matrices from Harwell-Boeing and Rutherford-Boeing files.  These text
// files consist of the following lines; parts in [ ] may be absent:
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
// A type has three letters: R (real), I (integer) or P (pattern, no values); S (symmetric) or U
// (unsymmetric); A (assembled).
//
// The reader accepts
// - the types RSA and ISA, with entries in either triangle, and the types RUA and IUA if the matrix
//   is numerically symmetric; all in upper or lower case;
// - the types PSA and PUA, if ReadOptions::pattern_only is set;
// - plain or gzip text, and CRLF;
// - Fortran formats of the descriptors I, F, E, D, G, ES, EN, X and P, with repeat counts and one
//   level of parentheses, for example (16I5), (1P,5E16.8), (4(1X,F12.5));
// - exponents with D instead of E, without a letter (1.5-103), or with a blank after the letter
//   (1.5E 03).  A blank field among the values is 0.
// Values, duplicates, triangles and error messages follow the rules for Matrix Market files
// (solver/matrix_market.hpp).  The reader ignores the numbers of lines in the second line, because
// the formats imply these numbers.  It skips right-hand sides; ReadNotes reports that.
//
// The reader refuses, naming the line,
// - complex (C), other pattern (P, Q), hermitian (H), skew-symmetric (Z), rectangular (R) and
//   elemental (E) types;
// - text that does not fit the columns of its format;
// - values that Fortran would read differently than their text suggests: a value without a decimal
//   point under a format that implies a point (as F8.3 does), or without an exponent under a format
//   with a scale factor (as 1P does).
//
// The calling thread parses the lines as it reads them; the entries are assembled like the entries
// of Matrix Market files.  Memory grows with the data that have been read, so a header that claims
// a huge matrix does no harm.
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

/// Does what read_harwell_boeing() does, for the content of a file (text or gzip) that is in
/// memory.
/// @param name  name of the file, for messages.
SymmetricMatrix parse_harwell_boeing(std::string_view content, const std::string& name,
                                     const ReadOptions& options = {});

}  // namespace clchol::solver
