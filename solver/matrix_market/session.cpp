#include "solver/matrix_market/session.hpp"

#include <optional>
#include <utility>

#include "solver/matrix_market/error.hpp"

namespace clchol::solver {
namespace {

KeptEntries kept_entries(MatrixSymmetry symmetry) {
  if (symmetry == MatrixSymmetry::kLowerStored) return KeptEntries::kLower;
  return symmetry == MatrixSymmetry::kUpperStored ? KeptEntries::kUpper : KeptEntries::kAll;
}

}  // namespace

ReadSession::ReadSession(TextSource source, const ReadOptions& options)
    : options_(options), source_(std::move(source)), blocks_(source_, options.block_bytes) {
  try {
    read_header();
  } catch (const InvalidArgument&) {
    blocks_.check_compression();
    throw;
  }
}

void ReadSession::read_header() {
  HeaderParser parser(source_.name());
  while (!parser.done()) {
    check_cancel(options_);
    std::optional<TextBlock> block = blocks_.next();
    if (!block) break;
    if (block->overlong) {
      refuse(source_.name(), parser.lines() + 1,
             "the line is longer than " + std::to_string(kLongestLine) + " bytes");
    }
    remainder_.block = std::move(*block);
    remainder_.begin = parser.feed(remainder_.block.text());
  }
  header_ = parser.header();
  remainder_.lines_above = parser.lines();
}

ParsedEntries ReadSession::entries(bool split_triangles) {
  const EntryShape shape = {.coordinate = header_.format == MatrixFormat::kCoordinate,
                            .has_values = header_.field != MatrixField::kPattern,
                            .split_triangles = split_triangles,
                            .any_base = header_.is_triplet,
                            .kept = kept_entries(header_.symmetry),
                            .nrow = header_.nrow,
                            .ncol = header_.ncol,
                            .entries = header_.entries,
                            .size_line = header_.size_line};
  return parse_entries(std::move(remainder_), blocks_, source_, shape, options_);
}

void ReadSession::complete(ReadNotes* notes) const {
  notes->entries_in_file = header_.entries;
  note_source(source_, timer_, notes);
}

void note_source(const TextSource& source, const Timer& timer, ReadNotes* notes) {
  notes->compressed = source.compressed();
  notes->bytes_read = source.bytes_read();
  notes->text_bytes = source.text_bytes();
  notes->seconds = timer.seconds();
}

}  // namespace clchol::solver
