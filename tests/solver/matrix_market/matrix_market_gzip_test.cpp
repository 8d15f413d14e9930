// gzip input is recognized by its bytes, and is read as a whole or refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "solver/matrix_market.hpp"
#include "solver/matrix_market/gzip.hpp"
#include "solver/matrix_market/source.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

using test::gzip;
using test::matrix_refusal;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The text of a file with a diagonal matrix of order n.
std::string diagonal_file(int n) {
  const std::string order = std::to_string(n);
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n" + order + " " + order +
                     " " + order + "\n";
  for (int k = 1; k <= n; ++k) {
    text +=
        std::to_string(k) + " " + std::to_string(k) + " " + std::to_string(k * 7919 % 1009) + "\n";
  }
  return text;
}

void expect_diagonal(const SymmetricMatrix& a, int n) {
  ASSERT_EQ(a.n(), n);
  for (int k = 1; k <= n; ++k) ASSERT_EQ(a.values[k - 1], k * 7919 % 1009);
  EXPECT_TRUE(a.notes.compressed);
}

TEST(GzipInput, IsInflated) {
  const std::string text = diagonal_file(30000);  // Several blocks of the reader.
  const std::string compressed = gzip(text);

  const SymmetricMatrix a = parse_symmetric_matrix(compressed, "a.mtx");

  expect_diagonal(a, 30000);
  EXPECT_EQ(a.notes.bytes_read, static_cast<Offset>(compressed.size()));
  EXPECT_EQ(a.notes.text_bytes, static_cast<Offset>(text.size()));
}

TEST(GzipInput, IsToldByItsBytesNotItsName) {
  const test::TemporaryFolder folder;
  test::put_file(folder.file("compressed.mtx"), gzip(diagonal_file(50)));
  test::put_file(folder.file("plain.mtx.gz"), diagonal_file(50));

  expect_diagonal(read_symmetric_matrix(folder.file("compressed.mtx")), 50);
  EXPECT_FALSE(read_symmetric_matrix(folder.file("plain.mtx.gz")).notes.compressed);
}

TEST(GzipInput, MayHaveSeveralMembers) {
  const std::string text = diagonal_file(3000);
  const std::string members = gzip(text.substr(0, 1000)) + gzip("") +
                              gzip(text.substr(1000, 9000)) + gzip(text.substr(10000));

  expect_diagonal(parse_symmetric_matrix(members, "a.mtx"), 3000);
}

TEST(GzipInput, MayBePaddedByZeros) {
  expect_diagonal(
      parse_symmetric_matrix(gzip(diagonal_file(50)) + std::string(300000, '\0'), "a.mtx"), 50);
}

TEST(GzipInput, IsRefusedWithBytesBehindItsEnd) {
  const std::string compressed = gzip(diagonal_file(50));
  EXPECT_EQ(matrix_refusal(compressed + std::string(10, '\0') + "more"),
            "a.mtx: corrupt gzip data: byte " + std::to_string(compressed.size() + 10) +
                " of the file stands behind the end of the compressed stream");
}

TEST(GzipInput, IsRefusedWhereverItIsTruncated) {
  const std::string compressed = gzip(diagonal_file(300));
  for (std::size_t size = 2; size < compressed.size(); ++size) {
    ASSERT_EQ(matrix_refusal(compressed.substr(0, size)),
              "a.mtx: truncated gzip data: the file ends after " + std::to_string(size) +
                  " bytes, inside a compressed stream");
  }
}

TEST(GzipInput, IsRefusedWhenTruncatedInALaterBlock) {
  const std::string compressed = gzip(diagonal_file(60000));
  EXPECT_THAT(matrix_refusal(compressed.substr(0, compressed.size() - 5)),
              StartsWith("a.mtx: truncated gzip data"));
}

TEST(GzipInput, IsRefusedWhereverABitIsWrong) {
  const std::string compressed = gzip(diagonal_file(100));
  for (std::size_t k = 10; k < compressed.size(); ++k) {  // In the header any time is valid.
    std::string corrupt = compressed;
    corrupt[k] ^= 4;
    ASSERT_THAT(matrix_refusal(corrupt), HasSubstr(" gzip data")) << "byte " << k;
  }
}

TEST(GzipInput, IsRefusedForItsCorruptionBeforeAnyBadLine) {
  std::string text = diagonal_file(60000);
  text[text.find("\n100 ") + 1] = 'x';
  std::string corrupt = gzip(text);
  corrupt[corrupt.size() - 6] ^= 1;  // A byte of the checksum.
  for (int threads = 1; threads <= 4; ++threads) {
    EXPECT_THAT(test::refusal_of([&] {
                  parse_symmetric_matrix(corrupt, "a.mtx",
                                         {.threads = threads, .block_bytes = 4096});
                }),
                HasSubstr("(incorrect data check)"));
  }
}

TEST(GzipInput, IsRefusedForItsCorruptionBeforeABadHead) {
  const std::string heads[] = {"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n",
                               "%%MatrixMarket matrix coordinate real general\n3 4 1\n",
                               "%%MatrixMarket matrix coordinate junk general\n"};
  for (const std::string& head : heads) {
    std::string corrupt = gzip(head + std::string(100000, '\n'));
    corrupt[corrupt.size() - 6] ^= 1;  // A byte of the checksum.
    for (std::size_t block_bytes : {10, 1 << 20}) {
      EXPECT_THAT(test::refusal_of([&] {
                    parse_symmetric_matrix(corrupt, "a.mtx", {.block_bytes = block_bytes});
                  }),
                  HasSubstr("(incorrect data check)"));
    }
  }
}

TEST(GzipInput, IsRefusedWhenItIsGarbage) {
  EXPECT_EQ(matrix_refusal("\x1F\x8B rubbish that is no gzip"),
            "a.mtx: corrupt gzip data near byte 4 of the file (unknown compression method)");
}

TEST(GzipInput, IsRefusedWhenItsTextIsNoMatrix) {
  EXPECT_THAT(matrix_refusal(gzip("hello\n")),
              StartsWith("a.mtx, line 1: not a Matrix Market file: "));
}

TEST(GzipInput, IsRefusedWhenItsTextIsEmpty) {
  EXPECT_EQ(matrix_refusal(gzip("")), "a.mtx: the file is empty, expected a Matrix Market file");
}

TEST(GzipInput, HidesNoEndlessLine) {
  EXPECT_EQ(matrix_refusal(gzip("%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n" +
                                std::string(50 << 20, '1'))),
            "a.mtx, line 3: the line is longer than 1048576 bytes");
}

std::string encode(std::string_view text, int threads) {
  std::string out;
  GzipEncoder encoder(threads, [&](std::string_view bytes) { out += bytes; });
  encoder.append(text.substr(0, text.size() / 3));
  encoder.append(text.substr(text.size() / 3));
  encoder.finish();
  return out;
}

/// The text of gzip data, with its checksum verified.
std::string decode(std::string_view compressed) {
  TextSource source(ByteStream::from_memory(compressed, "encoded"));
  std::string text(8 * GzipEncoder::kPieceBytes, '\0');
  text.resize(source.read(text.data(), text.size()));
  return text;
}

/// The text of gzip data, or the message of its refusal, by reads of `step` bytes.
std::string decode_by(std::size_t step, std::string_view compressed) {
  std::string text, block(step, '\0');
  try {
    TextSource source(ByteStream::from_memory(compressed, "encoded"));
    for (;;) {
      const std::size_t size = source.read(block.data(), step);
      if (size == 0) return text;
      text.append(block, 0, size);
    }
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

TEST(GzipReader, SaysTheSameOfDamagedDataWhateverIsReadAtOnce) {
  std::string text;
  for (int k = 0; k < 40; ++k) text += "1 " + std::to_string(k * k) + " 0.5\n";
  const std::string whole = encode(text, 1);
  ASSERT_EQ(decode_by(7, whole), text);
  int refused = 0;
  for (std::size_t at = 10; at < whole.size(); ++at) {
    for (const bool cut : {false, true}) {
      std::string damaged = cut ? whole.substr(0, at) : whole;
      if (!cut) damaged[at] = static_cast<char>(damaged[at] ^ 0x24);
      const std::string expected = decode_by(1 << 16, damaged);
      refused += expected.starts_with("encoded: ") ? 1 : 0;
      for (std::size_t step : {1, 7, 32, 258}) EXPECT_EQ(decode_by(step, damaged), expected) << at;
    }
  }
  EXPECT_GT(refused, static_cast<int>(whole.size()));  // Every cut, and most changed bytes.
}

TEST(GzipReader, TellsDamageBehindTextThatIsHeldBackFromAnEarlyEnd) {
  // zlib has all bytes when a read of 32 bytes is filled; the data behind this text are damaged.
  constexpr unsigned char kBytes[] = {
      0x1f, 0x8b, 0x08, 0x00, 0x01, 0x00, 0x00, 0x00, 0xa1, 0x03, 0x2b, 0xc9, 0x2c, 0xc9,
      0x49, 0xe5, 0x52, 0x30, 0x51, 0x30, 0x04, 0x42, 0x23, 0x03, 0xae, 0xa0, 0x60, 0x47,
      0x05, 0x63, 0x30, 0x54, 0x6c, 0x65, 0x0a, 0xc9, 0x2c, 0xc9, 0x49, 0xe5, 0x52, 0x30,
      0x51, 0x31, 0x04, 0x42, 0x23, 0x05, 0x03, 0xae, 0xa0, 0x60, 0x94, 0x89, 0x47};
  const std::string damaged(std::begin(kBytes), std::end(kBytes));
  for (std::size_t step : {32, 1 << 16}) {
    EXPECT_EQ(
        decode_by(step, damaged),
        "encoded: corrupt gzip data near byte 55 of the file (invalid distance too far back)");
  }
}

TEST(GzipEncoder, RoundTripsAroundPieceBoundaries) {
  constexpr unsigned kSeed = 5;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  constexpr std::size_t kPiece = GzipEncoder::kPieceBytes;
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, kPiece - 1, kPiece, kPiece + 1,
                           2 * kPiece, 3 * kPiece + 7}) {
    std::string text(size, '\0');
    for (char& c : text) c = static_cast<char>(random());  // Incompressible: the longest output.
    const std::string expected = encode(text, 1);
    EXPECT_TRUE(decode(expected) == text) << size;
    for (int threads = 2; threads <= 4; ++threads) {
      EXPECT_TRUE(encode(text, threads) == expected) << size << " bytes, " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace clchol::solver
