// The reading of one Matrix Market file, in the order of the calls: the constructor reads the head,
// check_header() decides whether the matrix is suitable, entries() parses the entry lines, and
// complete() reports what was read.
#pragma once

#include <string>

#include "base/timer.hpp"
#include "solver/matrix_market/blocks.hpp"
#include "solver/matrix_market/entries.hpp"
#include "solver/matrix_market/header.hpp"
#include "solver/matrix_market/source.hpp"

namespace clchol::solver {

/// Owns the source of the text, and divides it into blocks.  Not movable, because the block reader
/// refers to the source.  `options` must outlive the session.
class ReadSession {
 public:
  /// Reads the head of the file.
  ReadSession(TextSource source, const ReadOptions& options);

  const MatrixMarketHeader& header() const { return header_; }
  const std::string& name() const { return source_.name(); }
  const ReadOptions& options() const { return options_; }

  /// Calls check(header()), which may throw InvalidArgument to refuse the file.  Before such an
  /// exception goes on to the caller, compressed data are read to their end: if they are corrupt,
  /// the exception that says so takes its place.
  template <class Check>
  void check_header(const Check& check) {
    try {
      check(header_);
    } catch (const InvalidArgument&) {
      blocks_.check_compression();
      throw;
    }
  }
  /// Parses the entry lines by the form that header() implies.  Must be called at most once.
  /// @param split_triangles  whether entries above the diagonal go to ParsedEntries::upper.
  ParsedEntries entries(bool split_triangles);
  /// Writes the number of entries, sizes in bytes, and the seconds since the session began to
  /// *notes.
  void complete(ReadNotes* notes) const;

 private:
  void read_header();

  Timer timer_;
  const ReadOptions& options_;
  TextSource source_;
  BlockReader blocks_;
  MatrixMarketHeader header_;
  TextRemainder remainder_;  // Text after the size line in the block of the size line.
};

/// Writes to *notes whether the source is compressed, how many bytes of the file and of the text
/// were read, and the seconds since `timer` began.
void note_source(const TextSource& source, const Timer& timer, ReadNotes* notes);

}  // namespace clchol::solver
