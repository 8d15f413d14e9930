// Compresses text to one gzip member, with several threads.
//
// Method: the text is divided into pieces of fixed length (kPieceBytes).  Each piece is deflated on
// its own and flushed to a byte boundary, so that the concatenated outputs are one deflate stream.
// The checksum of the text is combined from the checksums of the pieces.  The bytes do not depend
// on the number of threads.  The output is about 1 % larger than that of compression in one stream,
// because no piece refers to text before it.  Workspace: about 1.3 MB per thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace clchol::solver {

/// Collects text in a batch of one piece for each thread; a full batch is compressed, a piece by
/// each thread, and its compressed bytes go to the sink.
class GzipEncoder {
 public:
  /// Function that takes the compressed bytes; it is called with successive parts of the output.
  using Sink = std::function<void(std::string_view)>;

  /// Bytes of text in a piece.
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 19;

  GzipEncoder(int threads, Sink sink);
  ~GzipEncoder();
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;

  void append(std::string_view text);
  /// Compresses the remaining text and ends the gzip member.  Must be called once, after the last
  /// append().
  void finish();

 private:
  class PieceEncoder;

  void encode_batch(bool last);

  Sink sink_;
  std::vector<std::unique_ptr<PieceEncoder>> encoders_;  // One encoder per thread.
  std::size_t batch_bytes_;     // Bytes of text in a full batch: one piece per thread.
  std::string batch_;           // Text that is not compressed yet.
  unsigned long checksum_;      // CRC-32 of the text compressed so far.
  std::size_t text_bytes_ = 0;  // Bytes of text compressed so far.
};

}  // namespace clchol::solver
