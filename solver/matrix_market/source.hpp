// Sources of the text of a matrix file: a file or memory, plain or gzip.
//
// ByteStream returns bytes as they are stored.  TextSource owns a ByteStream and returns its text:
// it inflates the bytes if the first two are the magic number of gzip.  The members of a gzip file
// with several members (bgzip, pigz, cat a.gz b.gz) are concatenated to one text.  Zero bytes after
// the last member are padding (from tapes) and are ignored; other bytes after the last member are
// refused.  The checksums that gzip stores are verified.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace clchol::solver {

/// The bytes of a file or of memory, read once in order.  Move-only; closes its file.
class ByteStream {
 public:
  /// Throws InvalidArgument if the path is missing, unreadable or a directory.
  static ByteStream open(const std::string& path);
  /// Reads `content`, which must outlive the stream.
  /// @param name  name of the content in messages.
  static ByteStream from_memory(std::string_view content, std::string name);

  ByteStream(ByteStream&& other) noexcept;
  ByteStream& operator=(ByteStream&&) = delete;
  ~ByteStream();

  /// Reads the next bytes into out[0, capacity).
  /// @return number of bytes read; less than capacity only at the end.
  std::size_t read(char* out, std::size_t capacity);
  /// @return the first bytes (at most kPeekBytes), which read() will return again.  Must be called
  ///         before read().
  std::string_view peek();

  const std::string& name() const { return name_; }
  Offset consumed() const { return consumed_; }  ///< Bytes that read() has returned so far.
  Offset total() const { return total_; }        ///< Bytes of the whole stream; 0 if unknown.

  static constexpr std::size_t kPeekBytes = 512;

 private:
  ByteStream(int file, std::string_view memory, std::string name, Offset total);
  std::size_t read_raw(char* out, std::size_t capacity);

  int file_;                 // File descriptor; -1 when reading memory.
  std::string_view memory_;  // Bytes in memory that have not been read yet.
  std::string name_;
  std::string ahead_;  // Bytes that peek() has fetched and read() has not returned yet.
  Offset consumed_ = 0;
  Offset total_;
};

class Inflater;

/// The text of a stream, inflated if the stream is gzip.
class TextSource {
 public:
  /// Throws InvalidArgument for other compressed formats; the message names the format.
  explicit TextSource(ByteStream stream);
  TextSource(TextSource&& other) noexcept;
  TextSource& operator=(TextSource&&) = delete;
  ~TextSource();

  /// Reads the next bytes of text into out[0, capacity).
  /// @return number of bytes read; less than capacity only at the end.
  /// Throws InvalidArgument for corrupt and truncated gzip data.
  std::size_t read(char* out, std::size_t capacity);
  /// @return the first bytes of the text (at most kPeekBytes), which read() will return again.
  ///         Must be called before read().
  std::string_view peek();

  const std::string& name() const { return stream_.name(); }
  bool compressed() const { return inflater_ != nullptr; }
  Offset bytes_read() const { return stream_.consumed(); }  ///< Stored bytes read so far.
  Offset text_bytes() const { return text_bytes_; }         ///< Bytes of text returned so far.
  /// Bytes of the whole text; 0 if unknown (gzip, a pipe).
  Offset size() const { return inflater_ ? 0 : stream_.total(); }
  /// Fraction, from 0 to 1, of the stored bytes that has been read; 0 if their number is unknown.
  double fraction() const;

  static constexpr std::size_t kPeekBytes = 4096;

 private:
  std::size_t read_raw(char* out, std::size_t capacity);

  ByteStream stream_;
  std::unique_ptr<Inflater> inflater_;  // Null for plain text.
  std::string ahead_;  // Text that peek() has fetched and read() has not returned yet.
  Offset text_bytes_ = 0;
};

}  // namespace clchol::solver
