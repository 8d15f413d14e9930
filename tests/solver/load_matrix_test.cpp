// load_matrix(): the name and the content of a file decide its format.
#include "solver/load_matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "solver/generate.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

using test::refusal_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// [4 1]
// [1 5]
const std::string kMatrixMarket =
    "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 4\n2 1 1\n2 2 5\n";
const std::string kHarwellBoeing =
    "A title                                                                 KEY\n"
    "             3             1             1             1             0\n"
    "RSA                        2             2             3             0\n"
    "(3I2)           (3I2)           (3F4.1)             \n"
    " 1 3 4\n 1 2 2\n 4.0 1.0 5.0\n";

class LoadMatrix : public ::testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& content) {
    test::put_file(folder_.file(name), content);
    return folder_.file(name);
  }
  void expect_two_by_two(const std::string& path) {
    const SymmetricMatrix a = load_matrix(path);
    EXPECT_THAT(a.lower.colptr, ElementsAre(0, 2, 3));
    EXPECT_THAT(a.lower.rowind, ElementsAre(0, 1, 1));
    EXPECT_THAT(a.values, ElementsAre(4, 1, 5));
  }

  test::TemporaryFolder folder_;
};

TEST_F(LoadMatrix, TellsFormatsByContent) {
  expect_two_by_two(put("a.rb", kMatrixMarket));
  expect_two_by_two(put("a.mtx", kHarwellBoeing));
}

TEST_F(LoadMatrix, TellsCompressedFormatsByContent) {
  expect_two_by_two(put("a", test::gzip(kMatrixMarket)));
  expect_two_by_two(put("b", test::gzip(kHarwellBoeing)));
}

TEST_F(LoadMatrix, ReadsFileWithoutTitle) {
  expect_two_by_two(put("a.rb", kHarwellBoeing.substr(kHarwellBoeing.find('\n'))));
}

TEST_F(LoadMatrix, ReadsWhatIsLongerThanTheFirstLook) {
  // load_matrix() tells the format by the first bytes, and must not lose the text behind them.
  const SymmetricMatrix expected = make_model_problem("grid2d:40");
  const std::string text = format_symmetric_matrix(expected.lower.view(), expected.values);
  ASSERT_GT(text.size(), std::size_t{1} << 14);
  for (const std::string& path : {put("a", text), put("b", test::gzip(text))}) {
    const SymmetricMatrix a = load_matrix(path);
    EXPECT_TRUE(test::identical(a, expected));
    EXPECT_EQ(a.notes.text_bytes, static_cast<Offset>(text.size()));
  }
}

TEST_F(LoadMatrix, MakesModelProblems) {
  const SymmetricMatrix a = load_matrix("grid2d:3");

  EXPECT_TRUE(test::identical(a, make_model_problem("grid2d:3")));
  EXPECT_EQ(a.notes.text_bytes, 0);
  EXPECT_GT(a.notes.seconds, 0.0);
}

TEST_F(LoadMatrix, ReadsFileThatIsNamedLikeAModelProblem) {
  expect_two_by_two(put("grid2d:3", kMatrixMarket));
}

TEST_F(LoadMatrix, NamesTheFileThatItRefuses) {
  EXPECT_THAT(refusal_of([&] { load_matrix(put("a", "")); }), HasSubstr("/a: the file is empty"));
  EXPECT_THAT(refusal_of([&] { load_matrix(put("a", "<html>\n1 2\nRSA\n")); }),
              HasSubstr("/a, line 1: not a Matrix Market file: this looks like an HTML"));
  EXPECT_EQ(refusal_of([] { load_matrix("/no/such"); }),
            "/no/such: cannot open the file: No such file or directory");
  EXPECT_EQ(refusal_of([] { load_matrix("grid2d:0"); }),
            "grid2d:0: N must be a whole number from 1 to 46340");
}

TEST_F(LoadMatrix, NamesCorruptCompression) {
  const std::string whole = test::gzip(kHarwellBoeing);
  EXPECT_THAT(refusal_of([&] { load_matrix(put("a", whole.substr(0, whole.size() - 9))); }),
              AllOf(StartsWith(folder_.file("a")), HasSubstr("truncated gzip data")));
}

TEST_F(LoadMatrix, CanBeInterrupted) {
  const std::atomic<bool> cancel = true;
  for (const std::string& text : {kMatrixMarket, kHarwellBoeing}) {
    EXPECT_THROW(load_matrix(put("a", text), {.cancel = &cancel}), Interrupted);
  }
}

}  // namespace
}  // namespace clchol::solver
