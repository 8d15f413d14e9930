// Where the text of a matrix file comes from: a file or memory, plain or gzip.
//
// ByteStream hands out bytes as they are stored; TextSource inflates them when the first two are
// gzip's.  gzip files of several members (bgzip, pigz, cat a.gz b.gz) are one text; zero bytes
// after the last member are padding (tapes); anything else there is refused.  Checksums are
// verified.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace clchol::solver {

/// Bytes of a file or of memory, read once from front to back.  Move-only; closes its file.
class ByteStream {
 public:
  /// Refuses what is missing, a directory or unreadable.
  static ByteStream open(const std::string& path);
  /// `content` must outlive the stream.
  static ByteStream from_memory(std::string_view content, std::string name);

  ByteStream(ByteStream&& other) noexcept;
  ByteStream& operator=(ByteStream&&) = delete;
  ~ByteStream();

  /// Fills out[0, capacity) as far as there are bytes; less than capacity only at the end.
  std::size_t read(char* out, std::size_t capacity);
  /// The first bytes (at most kPeekBytes), still to be read.  To be called before read().
  std::string_view peek();

  const std::string& name() const { return name_; }
  Offset consumed() const { return consumed_; }  ///< Bytes handed out by read().
  Offset total() const { return total_; }        ///< Size; 0 where unknown.

  static constexpr std::size_t kPeekBytes = 512;

 private:
  ByteStream(int file, std::string_view memory, std::string name, Offset total);
  std::size_t read_raw(char* out, std::size_t capacity);

  int file_;                 // Descriptor; -1 when reading memory.
  std::string_view memory_;  // What is left of the memory.
  std::string name_;
  std::string ahead_;  // Peeked bytes that are still to be handed out.
  Offset consumed_ = 0;
  Offset total_;
};

class Inflater;

/// The text of a stream, inflated where it is gzip.
class TextSource {
 public:
  /// Refuses other compressed formats, by name.
  explicit TextSource(ByteStream stream);
  TextSource(TextSource&& other) noexcept;
  TextSource& operator=(TextSource&&) = delete;
  ~TextSource();

  /// Fills out[0, capacity) as far as there is text; less than capacity only at the end.
  /// Refuses corrupt and truncated gzip data.
  std::size_t read(char* out, std::size_t capacity);
  /// The first bytes of the text (at most kPeekBytes), still to be read.  To be called before
  /// read().
  std::string_view peek();

  const std::string& name() const { return stream_.name(); }
  bool compressed() const { return inflater_ != nullptr; }
  Offset bytes_read() const { return stream_.consumed(); }
  Offset text_bytes() const { return text_bytes_; }
  /// Bytes of text in all; 0 where unknown (gzip, a pipe).
  Offset size() const { return inflater_ ? 0 : stream_.total(); }
  /// Fraction of the file that has been read; 0 where its size is unknown.
  double fraction() const;

  static constexpr std::size_t kPeekBytes = 4096;

 private:
  std::size_t read_raw(char* out, std::size_t capacity);

  ByteStream stream_;
  std::unique_ptr<Inflater> inflater_;  // Null for plain text.
  std::string ahead_;                   // Peeked text that is still to be handed out.
  Offset text_bytes_ = 0;
};

}  // namespace clchol::solver
