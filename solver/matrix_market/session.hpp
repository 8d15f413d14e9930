// One reading of one file: source, blocks and head, up to the first entry line.
#pragma once

#include <string>

#include "base/timer.hpp"
#include "solver/matrix_market/blocks.hpp"
#include "solver/matrix_market/entries.hpp"
#include "solver/matrix_market/header.hpp"
#include "solver/matrix_market/source.hpp"

namespace clchol::solver {

/// Not movable: the block reader refers to the source.
class ReadSession {
 public:
  ReadSession(TextSource source, const ReadOptions& options);

  const MatrixMarketHeader& header() const { return header_; }
  const std::string& name() const { return source_.name(); }
  const ReadOptions& options() const { return options_; }

  /// Calls check(header()), which may refuse the file.
  template <class Check>
  void check_header(const Check& check) {
    try {
      check(header_);
    } catch (const InvalidArgument&) {
      blocks_.check_compression();
      throw;
    }
  }
  /// Parses the entry lines, of header().format.  To be called once.
  ParsedEntries entries(bool split_triangles);
  /// Notes sizes and times of the reading so far.
  void complete(ReadNotes* notes) const;

 private:
  void read_header();

  Timer timer_;
  const ReadOptions& options_;
  TextSource source_;
  BlockReader blocks_;
  MatrixMarketHeader header_;
  TextRemainder remainder_;  // What follows the size line in its block.
};

/// Notes how much of the source was read, and the time since `timer` began.
void note_source(const TextSource& source, const Timer& timer, ReadNotes* notes);

}  // namespace clchol::solver
