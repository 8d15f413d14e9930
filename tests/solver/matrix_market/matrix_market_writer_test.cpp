// Writing: exact round trips, and nothing left behind by failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "solver/matrix_market.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"
#include "tests/support/builders.hpp"

namespace clchol::solver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void write(const std::string& path, const test::LowerMatrix& a, const WriteOptions& options = {}) {
  write_symmetric_matrix(path, a.pattern.view(), a.values, options);
}

/// A random lower triangle with any finite values, denormals and signed zeros among them.
rc::Gen<test::LowerMatrix> lower_matrices() {
  return rc::gen::exec([] {
    const Index n = *rc::gen::inRange(1, 30);
    test::LowerMatrix a;
    a.pattern.n = n;
    a.pattern.colptr.push_back(0);
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) {
        if (*rc::gen::inRange(0, 3) != 0) continue;
        const auto bits = *rc::gen::arbitrary<std::uint64_t>();
        const auto value = *rc::gen::element(std::bit_cast<double>(bits), -0.0, 5e-324,
                                             static_cast<double>(bits % 100) / 8.0);
        a.pattern.rowind.push_back(i);
        a.values.push_back(std::isfinite(value) ? value : 1.0);
      }
      a.pattern.colptr.push_back(static_cast<Offset>(a.values.size()));
    }
    return a;
  });
}

bool same(const test::LowerMatrix& a, const SymmetricMatrix& b) {
  return a.pattern.n == b.n() && a.pattern.colptr == b.lower.colptr &&
         a.pattern.rowind == b.lower.rowind && test::identical(a.values, b.values);
}

RC_GTEST_PROP(WriteSymmetricMatrix, RoundTripsBits, ()) {
  const auto a = *lower_matrices();
  const test::TemporaryFolder folder;
  const std::string path = folder.file(*rc::gen::element<std::string>("a.mtx", "a.mtx.gz"));
  write(path, a, {.threads = *rc::gen::inRange(1, 4)});
  RC_ASSERT(same(a, read_symmetric_matrix(path, {.threads = *rc::gen::inRange(1, 4)})));
}

TEST(WriteSymmetricMatrix, RoundTripsManyPieces) {
  const test::LowerMatrix a = test::grid3d(30, 30, 30, 1.0 / 3.0);
  for (int threads = 1; threads <= 4; ++threads) {
    const std::string text =
        format_symmetric_matrix(a.pattern.view(), a.values, {.threads = threads});
    EXPECT_TRUE(same(a, parse_symmetric_matrix(text, "a.mtx")));
  }
}

TEST(WriteSymmetricMatrix, WritesTheSameBytesForAnyNumberOfThreads) {
  const test::TemporaryFolder folder;
  const test::LowerMatrix a = test::grid3d(25, 25, 25, 0.1);
  for (const char* name : {"1.mtx", "1.mtx.gz"}) {
    write(folder.file(name), a, {.threads = 1});
    const std::string expected = test::file_content(folder.file(name));
    for (int threads = 2; threads <= 4; ++threads) {
      write(folder.file(name), a, {.threads = threads});
      EXPECT_EQ(test::file_content(folder.file(name)), expected);
    }
  }
}

TEST(WriteSymmetricMatrix, WritesShortestDigitsAndComments) {
  const test::TemporaryFolder folder;
  const test::LowerMatrix a =
      test::from_triplets(3, {{0, 0, 4}, {2, 0, -0.1}, {1, 1, 1e300}, {2, 2, 6}});
  write(folder.file("a.mtx"), a, {.comment = "two\nlines"});

  EXPECT_EQ(test::file_content(folder.file("a.mtx")),
            "%%MatrixMarket matrix coordinate real symmetric\n% two\n% lines\n3 3 4\n1 1 4\n"
            "3 1 -0.1\n2 2 1e+300\n3 3 6\n");
}

TEST(WriteSymmetricMatrix, CompressesByName) {
  const test::TemporaryFolder folder;
  write(folder.file("a.mtx.gz"), test::grid2d(50, 50));

  EXPECT_EQ(test::file_content(folder.file("a.mtx.gz")).substr(0, 2), "\x1F\x8B");
  EXPECT_TRUE(read_symmetric_matrix(folder.file("a.mtx.gz")).notes.compressed);
}

TEST(WriteSymmetricMatrix, ReplacesFileAndKeepsItsMode) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("a.mtx");
  test::put_file(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);

  write(path, test::tridiagonal(3));

  struct stat info = {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640U);
  EXPECT_EQ(read_symmetric_matrix(path).n(), 3);
  EXPECT_THAT(folder.names(), ElementsAre("a.mtx"));
}

TEST(WriteSymmetricMatrix, WritesThroughSymbolicLink) {
  const test::TemporaryFolder folder;
  test::put_file(folder.file("real.mtx"), "old");
  std::filesystem::create_symlink("real.mtx", folder.file("link.mtx"));

  write(folder.file("link.mtx"), test::tridiagonal(3));

  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.mtx")));
  EXPECT_EQ(read_symmetric_matrix(folder.file("real.mtx")).n(), 3);
}

TEST(WriteSymmetricMatrix, NamesMissingFolder) {
  EXPECT_EQ(test::refusal_of([] { write("/no/such/a.mtx", test::tridiagonal(3)); }),
            "/no/such/a.mtx: cannot create a file in the folder: No such file or directory");
}

TEST(WriteSymmetricMatrix, NamesUnwritableFolder) {
  // Not even root can create files in /proc.
  EXPECT_THAT(test::refusal_of([] { write("/proc/a.mtx", test::tridiagonal(3)); }),
              StartsWith("/proc/a.mtx: cannot create a file in the folder: "));
}

TEST(WriteSymmetricMatrix, NamesPathThroughAFile) {
  const test::TemporaryFolder folder;
  test::put_file(folder.file("file"), "x");
  EXPECT_EQ(test::refusal_of([&] { write(folder.file("file/a.mtx"), test::tridiagonal(3)); }),
            folder.file("file/a.mtx") + ": cannot write the file: Not a directory");
}

TEST(WriteSymmetricMatrix, RefusesAFolder) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(test::refusal_of([&] { write(folder.path(), test::tridiagonal(3)); }),
            folder.path().string() + ": cannot write the file: it is a directory");
}

TEST(WriteSymmetricMatrix, NamesFullDevice) {
  EXPECT_EQ(test::refusal_of([] { write("/dev/full", test::grid2d(100, 100)); }),
            "/dev/full: cannot write the file: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(WriteSymmetricMatrix, LeavesOldFileWhenTheDiskFills) {
  const test::TemporaryFolder folder;
  for (const char* name : {"a.mtx", "b.mtx.gz"}) {
    test::put_file(folder.file(name), "old");
    const test::FileSizeLimit limit(1000);

    const std::string refusal =
        test::refusal_of([&] { write(folder.file(name), test::grid2d(100, 100)); });

    EXPECT_EQ(refusal, folder.file(name) + ": cannot write the file: File too large");
    EXPECT_EQ(test::file_content(folder.file(name)), "old");
  }
  EXPECT_THAT(folder.names(), ElementsAre("a.mtx", "b.mtx.gz"));
}

TEST(WriteSymmetricMatrix, RefusesBadArgumentsBeforeItWrites) {
  const test::TemporaryFolder folder;
  test::LowerMatrix a = test::tridiagonal(3);
  const auto refusal = [&] { return test::refusal_of([&] { write(folder.file("a.mtx"), a); }); };

  a.values[2] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(), "the matrix has a value that is not finite at (2, 2)");
  a.values.pop_back();
  EXPECT_EQ(refusal(), "values has length 4, expected 5, the entries of the pattern");
  a = test::tridiagonal(3);
  std::swap(a.pattern.rowind[0], a.pattern.rowind[1]);
  EXPECT_EQ(refusal(), "lower is no lower triangle with strictly ascending rows");
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace clchol::solver
