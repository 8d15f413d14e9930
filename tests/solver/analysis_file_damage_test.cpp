// Saved analyses that are damaged, in another format or of another matrix are refused with a
// reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/checksum.hpp"
#include "tests/solver/analysis_file_support.hpp"
#include "tests/solver/solver_support.hpp"
#include "tests/support/files.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;
using test::refusal_of;
using testing::StartsWith;

/// Byte offsets in a file, behind the magic: byte order, version, hash of the pattern.
constexpr std::size_t kByteOrderAt = 8, kVersionAt = 12, kPatternAt = 16;

std::string load_refusal(const LowerMatrix& a, const Bytes& bytes) {
  SparseCholesky<double> solver(test::one_thread());
  return refusal_of([&] { solver.load_analysis(test::view_of(a), bytes); });
}

TEST(LoadAnalysisRefuses, EveryFlippedBit) {
  const LowerMatrix a = small_matrix();
  const Bytes bytes = small_bytes();
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes damaged = bytes;
      damaged[k] ^= std::byte{1} << bit;
      ASSERT_THAT(load_refusal(a, damaged), StartsWith("saved analysis: ")) << k << ", " << bit;
    }
  }
}

TEST(LoadAnalysisRefuses, EveryOtherByte) {
  const LowerMatrix a = small_matrix();
  const Bytes bytes = small_bytes();
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    for (const int value : {0x00, 0xff}) {
      Bytes damaged = bytes;
      damaged[k] = std::byte(value);
      if (damaged == bytes) continue;
      ASSERT_THAT(load_refusal(a, damaged), StartsWith("saved analysis: ")) << k;
    }
  }
}

TEST(LoadAnalysisRefuses, EveryTruncation) {
  const LowerMatrix a = small_matrix();
  const Bytes bytes = small_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string refusal = load_refusal(a, {bytes.begin(), bytes.begin() + size});
    const char* const expected = size == 0   ? "the file is empty, expected a saved analysis"
                                 : size < 16 ? "is no saved analysis"
                                             : "is truncated or damaged: bytes are missing";
    ASSERT_EQ(refusal, std::string("saved analysis: ") + expected) << size;
  }
}

TEST(LoadAnalysisRefuses, BytesThatFollow) {
  for (const std::size_t more : {1, 8, 4096}) {
    Bytes bytes = small_bytes();
    bytes.resize(bytes.size() + more);
    EXPECT_EQ(load_refusal(small_matrix(), bytes),
              "saved analysis: is damaged: bytes follow its end");
  }
}

TEST(LoadAnalysisRefuses, AnotherVersion) {
  Bytes bytes = small_bytes();
  bytes[kVersionAt] = std::byte{2};
  EXPECT_EQ(load_refusal(small_matrix(), bytes),
            "saved analysis: has version 2, this library reads version 1");
}

TEST(LoadAnalysisRefuses, TheOtherByteOrder) {
  Bytes bytes = small_bytes();
  std::reverse(bytes.begin() + kByteOrderAt, bytes.begin() + kByteOrderAt + 4);
  EXPECT_EQ(load_refusal(small_matrix(), bytes),
            "saved analysis: was saved on a machine of the other byte order");
}

TEST(LoadAnalysisRefuses, AnotherPattern) {
  constexpr const char* kText = "saved analysis: belongs to a matrix of another pattern";
  const Bytes bytes = small_bytes();
  EXPECT_EQ(load_refusal(test::tridiagonal(12), bytes), kText);
  EXPECT_EQ(load_refusal(test::grid2d(3, 4), bytes), kText);  // The same number of entries.
  EXPECT_EQ(load_refusal(test::grid2d(4, 4), bytes), kText);
  EXPECT_EQ(load_refusal(test::diagonal(1), bytes), kText);
}

TEST(LoadAnalysisRefuses, ABadMatrixFirst) {
  SparseCholesky<double> solver(test::one_thread());
  EXPECT_THAT(refusal_of([&] { solver.load_analysis(SparseView<double>{}, Bytes{}); }),
              StartsWith("matrix: n is 0"));
}

/// `bytes` with `size` bytes at offset `at` copied from `from`, and with a checksum that fits.
Bytes forged(Bytes bytes, std::size_t at, const void* from, std::size_t size) {
  std::memcpy(bytes.data() + at, from, size);
  Checksum sum;
  sum.update(bytes.data(), bytes.size() - 8);
  const std::uint64_t value = sum.value();
  std::memcpy(bytes.data() + bytes.size() - 8, &value, sizeof value);
  return bytes;
}

TEST(LoadAnalysisRefuses, AStructureWithoutPlaceForTheMatrix) {
  // The analysis of a chain, with the pattern hash of a grid.
  const LowerMatrix a = test::grid2d(20, 20);
  const Bytes grid = analysed(a).save_analysis();
  const Bytes chain = analysed(test::tridiagonal(400)).save_analysis();

  EXPECT_EQ(load_refusal(a, forged(chain, kPatternAt, grid.data() + kPatternAt, 8)),
            "symbolic factor: it has no place for some entries of the matrix");
}

TEST(LoadAnalysis, OfALargerStructureSolvesAllTheSame) {
  // The analysis of a dense matrix, with the pattern hash of a grid: inefficient, but correct.
  const LowerMatrix a = small_matrix();
  const Bytes grid = small_bytes();
  const Bytes dense = analysed(test::dense_spd(12, kSeed)).save_analysis();
  SparseCholesky<double> solver(test::one_thread());

  solver.load_analysis(test::view_of(a), forged(dense, kPatternAt, grid.data() + kPatternAt, 8));
  ASSERT_EQ(solver.factorize(test::view_of(a)), Status::kOk);

  const std::vector<double> b = test::random_vector(12, kSeed);
  EXPECT_LE(test::backward_error(a, b, test::solve(solver, b)), 1e-15);
}

TEST(LoadAnalysisRefuses, ImpossibleNumbersWithAGoodChecksum) {
  const Bytes bytes = small_bytes();
  for (std::size_t at = kPatternAt + 8; at < kPatternAt + 80; at += 8) {
    for (const std::int64_t value : {std::int64_t{-1}, std::int64_t{1} << 40, INT64_MAX}) {
      EXPECT_EQ(load_refusal(small_matrix(), forged(bytes, at, &value, sizeof value)),
                "saved analysis: is damaged: its header has impossible numbers")
          << at;
    }
  }
}

TEST(LoadAnalysisRefuses, ImpossibleIndicesWithAGoodChecksum) {
  // Sets every 32-bit number behind the header, one at a time, to a value outside every range.
  const Bytes bytes = small_bytes();
  const SparseCholesky<double> solver = analysed(small_matrix());
  const AnalysisReport& report = solver.analysis_report();
  // Bytes of the checksum and of the texts at the end, which may have any value.
  const std::size_t texts = 8 +
                            std::string(to_string(report.ordering, report.ordering_effort)).size() +
                            report.ordering_reason.size();
  for (std::size_t at = kPatternAt + 80; at + 4 + texts <= bytes.size(); at += 4) {
    for (const std::int32_t value : {-7, 0x40000000}) {
      EXPECT_THAT(load_refusal(small_matrix(), forged(bytes, at, &value, sizeof value)),
                  StartsWith("saved analysis: is damaged: "))
          << at;
    }
  }
}

// ---- files --------------------------------------------------------------------------------------

std::string file_refusal(const std::string& path) {
  SparseCholesky<double> solver(test::one_thread());
  return refusal_of([&] { solver.load_analysis(test::view_of(small_matrix()), path); });
}

TEST(LoadAnalysisRefuses, ForeignFiles) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("a");
  for (const char* content :
       {"x", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n",
        "clchol-b and more of it"}) {
    test::put_file(path, content);
    EXPECT_EQ(file_refusal(path), path + ": is no saved analysis");
  }
  test::put_file(path, "");
  EXPECT_EQ(file_refusal(path), path + ": the file is empty, expected a saved analysis");
  EXPECT_EQ(file_refusal(folder.path()),
            folder.path().string() + ": is a directory, expected a file");
  EXPECT_EQ(file_refusal(folder.file("none")),
            folder.file("none") + ": cannot open the file: No such file or directory");
}

TEST(LoadAnalysisRefuses, DamagedCompression) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("a.gz");
  analysed(small_matrix()).save_analysis(path);
  std::string content = test::file_content(path);
  test::put_file(path, content.substr(0, content.size() / 2));
  EXPECT_THAT(file_refusal(path), StartsWith(path + ": truncated gzip data"));
  content[content.size() / 2] ^= 0x10;
  test::put_file(path, content);
  EXPECT_THAT(file_refusal(path), StartsWith(path + ": "));
}

}  // namespace
}  // namespace clchol
