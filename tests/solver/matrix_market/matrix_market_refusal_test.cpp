// Files that are refused, with the messages that the user sees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "solver/matrix_market.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

using test::matrix_refusal;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kSymmetricBanner = "%%MatrixMarket matrix coordinate real symmetric\n";

struct Refusal {
  const char* name;  // Name of the test case.
  std::string content;
  std::string message;  // The expected message, in full.
};

class MatrixMarketRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(MatrixMarketRefusal, SaysWhereAndWhy) {
  EXPECT_EQ(matrix_refusal(GetParam().content), GetParam().message);
}

std::string banner_expected() {
  return ", expected '%%MatrixMarket matrix coordinate|array real|integer general|symmetric'";
}

const Refusal kBanners[] = {
    {"Empty", "", "a.mtx: the file is empty, expected a Matrix Market file"},
    {"OnlyBlankLines", "\n  \n\n",
     "a.mtx, line 3: the file has only blank lines and comments, expected a Matrix Market banner"},
    {"OnlyBanner", kSymmetricBanner, "a.mtx, line 1: the file ends before its size line"},
    {"OnlyBannerAndComments", kSymmetricBanner + "% x\n\n",
     "a.mtx, line 3: the file ends before its size line"},
    {"JunkObject", "%%MatrixMarket junk coordinate real general\n",
     "a.mtx, line 1: unknown object 'junk' in the banner" + banner_expected()},
    {"JunkFormat", "%%MatrixMarket matrix junk real general\n",
     "a.mtx, line 1: unknown format 'junk' in the banner" + banner_expected()},
    {"JunkField", "%%MatrixMarket matrix coordinate junk general\n",
     "a.mtx, line 1: unknown field 'junk' in the banner" + banner_expected()},
    {"JunkSymmetry", "\n%%MatrixMarket matrix coordinate real junk\n",
     "a.mtx, line 2: unknown symmetry 'junk' in the banner" + banner_expected()},
    {"MissingWord", "%%MatrixMarket matrix coordinate real\n",
     "a.mtx, line 1: malformed banner '%%MatrixMarket matrix coordinate real'" + banner_expected()},
    {"WordTooMany", "%%MatrixMarket matrix array real general x\n",
     "a.mtx, line 1: malformed banner '%%MatrixMarket matrix array real general...'" +
         banner_expected()},
    {"GluedBanner", "%%MatrixMarketmatrix coordinate real general x\n",
     "a.mtx, line 1: malformed banner '%%MatrixMarketmatrix coordinate real gen...'" +
         banner_expected()},
    {"ThreePercents", "%%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n",
     "a.mtx, line 1: not a Matrix Market file: expected the banner '%%MatrixMarket matrix ...', "
     "found '%%%MatrixMarket matrix coordinate real s...'"},
    {"Complex", "%%MatrixMarket matrix coordinate complex symmetric\n1 1 1\n1 1 1 0\n",
     "a.mtx, line 1: complex values are not supported; expected real or integer"},
    {"Hermitian", "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 0\n",
     "a.mtx, line 1: hermitian (complex) matrices are not supported; expected real symmetric"},
    {"SkewSymmetric", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n",
     "a.mtx, line 1: a skew-symmetric matrix is not positive definite; expected symmetric"},
    {"Pattern", "%%MatrixMarket matrix coordinate pattern symmetric\n1 1 1\n1 1\n",
     "a.mtx, line 1: a pattern has no values; the solver needs a real or integer file"},
    {"Vector", "%%MatrixMarket vector array real general\n1\n1\n",
     "a.mtx, line 1: expected a matrix, found a vector"},
};

const Refusal kForeign[] = {
    {"Html", "\n <!DOCTYPE html>\n<html>\n",
     "a.mtx, line 2: not a Matrix Market file: this looks like an HTML or XML page, perhaps a "
     "failed download: '<!DOCTYPE html>'"},
    {"AbaqusNumbers", "1,1,1,1, 2.5e3\n1,1,2,1,-3\n",
     "a.mtx, line 1: not a Matrix Market file: this looks like Abaqus matrix output (numbers "
     "separated by commas): '1,1,1,1, 2.5e3'"},
    {"AbaqusKeyword", "*MATRIX ASSEMBLE, STIFFNESS=K\n1,1,1,1,2\n",
     "a.mtx, line 1: not a Matrix Market file: this looks like Abaqus matrix output (numbers "
     "separated by commas): '*MATRIX ASSEMBLE, STIFFNESS=K'"},
    {"HarwellBoeing",
     "Stiffness of a small frame                                              BCSSTK99\n"
     "            12             1             4             7             0\n"
     "RSA                       48            48           224             0\n"
     "(16I5)          (16I5)          (4E20.12)           (4E20.12)\n",
     "a.mtx, line 1: not a Matrix Market file: this looks like a Harwell-Boeing or "
     "Rutherford-Boeing file; convert it to Matrix Market"},
    {"LfsPointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
     "a.mtx, line 1: not a Matrix Market file: this is a Git LFS pointer; fetch the file itself "
     "(git lfs pull)"},
    {"SizesOfDenseMatrixWithoutBanner", "3 1\n1\n2\n3\n",
     "a.mtx, line 1: not a Matrix Market file: expected the banner '%%MatrixMarket matrix ...' or "
     "the sizes 'rows columns entries', found '3 1'"},
    {"EntriesWithoutSizes", "1 1 4.5\n2 1 -1\n",
     "a.mtx, line 1: not a Matrix Market file: expected the banner '%%MatrixMarket matrix ...' or "
     "the sizes 'rows columns entries', found '1 1 4.5'"},
    {"MisspelledBanner", "%%MatrixMarkt matrix coordinate real symmetric\n1 1 1\n1 1 4\n",
     "a.mtx, line 1: not a Matrix Market file: expected the banner '%%MatrixMarket matrix ...', "
     "found '%%MatrixMarkt matrix coordinate real sym...'"},
    {"OnlyComments", "% nothing\n%\n",
     "a.mtx, line 2: the file has only blank lines and comments, expected a Matrix Market banner"},
    {"Binary", std::string("\x01\x02\x03\n", 4),
     "a.mtx, line 1: not a Matrix Market file: it holds binary data"},
    {"Utf16", std::string("\xFF\xFE%\0%\0M\0\n", 9),
     "a.mtx, line 1: not a Matrix Market file: this is UTF-16 text; save it as ASCII or UTF-8"},
    {"Tar", std::string("m/m.mtx") + std::string(250, '\0') + "ustar\n",
     "a.mtx, line 1: not a Matrix Market file: this looks like a tar archive; unpack it and read "
     "the .mtx file inside"},
    {"Bzip2", "BZh91AY", "a.mtx: is compressed by bzip2; only gzip (.gz) is read: unpack it first"},
    {"Zip", "PK\x03\x04xx",
     "a.mtx: is compressed by zip; only gzip (.gz) is read: unpack it first"},
    {"OtherText", "hello\n",
     "a.mtx, line 1: not a Matrix Market file: expected the banner '%%MatrixMarket matrix ...', "
     "found 'hello'"},
};

const Refusal kSizes[] = {
    {"TwoSizes", kSymmetricBanner + "3 3\n1 1 4\n",
     "a.mtx, line 2: expected the size line 'rows columns entries' (3 numbers), found '3 3'"},
    {"SixSizes", kSymmetricBanner + "3 3 1 1 0 0\n1 1 4\n",
     "a.mtx, line 2: expected the size line 'rows columns entries' (3 numbers), found '3 3 1 1 0 "
     "0'"},
    {"FourSizesOfArray", "%%MatrixMarket matrix array real symmetric\n1 1 1 1\n4\n",
     "a.mtx, line 2: expected the size line 'rows columns' (2 numbers), found '1 1 1 1'"},
    {"ThreeSizesOfArray", "%%MatrixMarket matrix array real symmetric\n1 1 1\n4\n",
     "a.mtx, line 2: expected the size line 'rows columns' (2 numbers), found '1 1 1'"},
    {"WordAsSize", kSymmetricBanner + "%\nthree 3 5\n",
     "a.mtx, line 3: number of rows 'three' is not an integer"},
    {"RealSize", kSymmetricBanner + "3.0 3 5\n",
     "a.mtx, line 2: number of rows '3.0' is not an integer"},
    {"NegativeRows", kSymmetricBanner + "-3 3 5\n",
     "a.mtx, line 2: number of rows '-3' is negative"},
    {"NegativeEntries", kSymmetricBanner + "3 3 -5\n",
     "a.mtx, line 2: number of entries '-5' is negative"},
    {"ZeroRows", kSymmetricBanner + "0 0 0\n",
     "a.mtx, line 2: number of rows '0': the matrix is empty, expected at least 1"},
    {"RowsBeyondInt32", kSymmetricBanner + "2147483647 2147483647 5\n",
     "a.mtx, line 2: number of rows '2147483647' exceeds the largest order, 2147483646"},
    {"RowsBeyondInt64", kSymmetricBanner + "99999999999999999999 3 5\n",
     "a.mtx, line 2: number of rows '99999999999999999999' exceeds the largest size, "
     "9223372036854775807"},
    {"EntriesBeyondInt64", kSymmetricBanner + "3 3 9223372036854775808\n",
     "a.mtx, line 2: number of entries '9223372036854775808' exceeds the largest size, "
     "9223372036854775807"},
    {"NotSquare", kSymmetricBanner + "3 4 1\n1 1 1\n",
     "a.mtx, line 2: the matrix is 3 x 4, expected a square one"},
    {"MostRowsEmpty", kSymmetricBanner + "2147483646 2147483646 1\n1 1 1\n",
     "a.mtx, line 2: 2147483646 rows with only 1 entries: most rows are empty, the matrix is "
     "singular"},
};

const Refusal kEntries[] = {
    {"Truncated", kSymmetricBanner + "3 3 3\n1 1 4\n2 2 5\n",
     "a.mtx, line 4: the file ends after 2 entries, fewer than the 3 that line 2 promises"},
    {"NoEntries", kSymmetricBanner + "3 3 3",
     "a.mtx, line 2: the file ends after 0 entries, fewer than the 3 that line 2 promises"},
    {"HugeCount", kSymmetricBanner + "1 1 9223372036854775807\n1 1 1\n",
     "a.mtx, line 3: the file ends after 1 entries, fewer than the 9223372036854775807 that line 2 "
     "promises"},
    {"Surplus", kSymmetricBanner + "3 3 2\n% x\n1 1 4\n\n2 2 5\n%\n\n3 3 6\n",
     "a.mtx, line 9: surplus entry: more than the 2 that line 2 promises"},
    {"SurplusBeforeBadLine", kSymmetricBanner + "3 3 1\n1 1 4\n2 2 5\nx\n",
     "a.mtx, line 4: surplus entry: more than the 1 that line 2 promises"},
    {"BadLineBeforeSurplus", kSymmetricBanner + "3 3 1\n1 1 4\nx\n2 2 5\n",
     "a.mtx, line 4: expected 'row column value', found 1 word: 'x'"},
    {"TruncatedArray", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n",
     "a.mtx, line 4: the file ends after 2 entries, fewer than the 3 that line 2 implies"},
    {"SurplusOfArray", "%%MatrixMarket matrix array real symmetric\n1 1\n1\n2\n",
     "a.mtx, line 4: surplus entry: more than the 1 that line 2 implies"},
    {"ZeroIndex", kSymmetricBanner + "3 3 1\n0 1 4\n",
     "a.mtx, line 3: row index '0': indices begin at 1; the file is probably 0-based"},
    {"ZeroColumn", kSymmetricBanner + "3 3 1\n1 0 4\n",
     "a.mtx, line 3: column index '0': indices begin at 1; the file is probably 0-based"},
    {"RowOutOfRange", kSymmetricBanner + "3 3 2\n\n1 1 1\n4 1 4\n",
     "a.mtx, line 5: row index '4' is outside 1..3"},
    {"ColumnOutOfRange", kSymmetricBanner + "3 3 1\n1 4 4\n",
     "a.mtx, line 3: column index '4' is outside 1..3"},
    {"NegativeIndex", kSymmetricBanner + "3 3 1\n-1 1 4\n",
     "a.mtx, line 3: row index '-1' is outside 1..3"},
    {"IndexBeyondInt64", kSymmetricBanner + "3 3 1\n1 99999999999999999999 4\n",
     "a.mtx, line 3: column index '99999999999999999999' is outside 1..3"},
    {"IndexBeyondInt32", kSymmetricBanner + "3 3 1\n4294967297 1 4\n",
     "a.mtx, line 3: row index '4294967297' is outside 1..3"},
    {"WordAsIndex", kSymmetricBanner + "3 3 1\n1 two 4\n",
     "a.mtx, line 3: expected column index as an integer, found 'two'"},
    {"RealIndex", kSymmetricBanner + "3 3 1\n1.0 1 4\n",
     "a.mtx, line 3: expected row index as an integer, found '1.0'"},
    {"WordAsValue", kSymmetricBanner + "3 3 1\n1 1 four\n",
     "a.mtx, line 3: expected a number, found 'four'"},
    {"HalfNumber", kSymmetricBanner + "3 3 1\n1 1 4.5x\n",
     "a.mtx, line 3: expected a number, found '4.5x'"},
    {"HexNumber", kSymmetricBanner + "3 3 1\n1 1 0x1p3\n",
     "a.mtx, line 3: expected a number, found '0x1p3'"},
    {"NaN", kSymmetricBanner + "3 3 1\n1 1 NaN\n", "a.mtx, line 3: value 'NaN' is not finite"},
    {"Infinity", kSymmetricBanner + "3 3 1\n1 1 -Infinity\n",
     "a.mtx, line 3: value '-Infinity' is not finite"},
    {"Overflow", kSymmetricBanner + "3 3 1\n1 1 1e999\n",
     "a.mtx, line 3: value '1e999' overflows a double (largest: 1.797e308)"},
    {"FortranOverflow", kSymmetricBanner + "3 3 1\n1 1 -1D+400\n",
     "a.mtx, line 3: value '-1D+400' overflows a double (largest: 1.797e308)"},
    {"OneWord", kSymmetricBanner + "3 3 1\n1\n",
     "a.mtx, line 3: expected 'row column value', found 1 word: '1'"},
    {"TwoWords", kSymmetricBanner + "3 3 1\n1 1\n",
     "a.mtx, line 3: expected 'row column value', found 2 words: '1 1'"},
    {"FourWords", kSymmetricBanner + "3 3 1\n1 1 4 0\n",
     "a.mtx, line 3: expected 'row column value', found 4 words: '1 1 4 0'"},
    {"CommasInEntry", kSymmetricBanner + "3 3 1\n1,1,4\n",
     "a.mtx, line 3: expected 'row column value', found 1 word: '1,1,4'"},
    {"TwoValuesInArrayLine", "%%MatrixMarket matrix array real symmetric\n2 2\n1 2\n3\n",
     "a.mtx, line 3: expected one value, found 2 words: '1 2'"},
    {"NulByte", kSymmetricBanner + std::string("1 1 1\n1 1 4\0 \n", 14),
     "a.mtx, line 3: expected a number, found '4\\x00'"},
    {"NonBreakingBlank", kSymmetricBanner + "1 1 1\n1\xC2\xA0 1 4\n",
     "a.mtx, line 3: expected row index as an integer, found '1\\xc2\\xa0'"},
    {"OverflowOfSum", kSymmetricBanner + "2 2 3\n1 1 1\n2 1 1e308\n2 1 1e308\n",
     "a.mtx: the sum of the entries at (2, 1) overflows a double"},
    {"OverflowOfMirroredSum", kSymmetricBanner + "2 2 3\n1 1 1\n2 1 1e308\n1 2 1.5e308\n",
     "a.mtx: the sum of the entries at (2, 1) overflows a double"},
    {"WhollyMirrored", kSymmetricBanner + "2 2 4\n1 1 4\n2 1 1\n1 2 1\n2 2 5\n",
     "a.mtx, line 1: the symmetric file holds both triangles: every off-diagonal entry stands at "
     "(i, j) and at (j, i) with the same value; say 'general' in the banner or remove one "
     "triangle"},
};

std::string claim(const ::testing::TestParamInfo<Refusal>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Banner, MatrixMarketRefusal, ::testing::ValuesIn(kBanners), claim);
INSTANTIATE_TEST_SUITE_P(Foreign, MatrixMarketRefusal, ::testing::ValuesIn(kForeign), claim);
INSTANTIATE_TEST_SUITE_P(Sizes, MatrixMarketRefusal, ::testing::ValuesIn(kSizes), claim);
INSTANTIATE_TEST_SUITE_P(Entries, MatrixMarketRefusal, ::testing::ValuesIn(kEntries), claim);

TEST(MatrixMarketRefusals, NameLinesLongerThanTheBound) {
  const std::string line(3 << 20, ' ');
  EXPECT_EQ(matrix_refusal(kSymmetricBanner + "1 1 1\n" + line + "\n1 1 1\n"),
            "a.mtx, line 3: the line is longer than 1048576 bytes");
}

TEST(MatrixMarketRefusals, NameLinesLongerThanTheBoundInTheHead) {
  const std::string line(3 << 20, ' ');
  EXPECT_EQ(matrix_refusal(kSymmetricBanner + line + "\n1 1 1\n1 1 1\n"),
            "a.mtx, line 2: the line is longer than 1048576 bytes");
}

TEST(MatrixMarketRefusals, NameMissingFile) {
  EXPECT_EQ(test::refusal_of([] { read_symmetric_matrix("/no/such.mtx"); }),
            "/no/such.mtx: cannot open the file: No such file or directory");
}

TEST(MatrixMarketRefusals, NameFolder) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(test::refusal_of([&] { read_symmetric_matrix(folder.path()); }),
            folder.path().string() + ": is a directory, expected a file");
}

TEST(MatrixMarketRefusals, NameUnreadableFile) {
  const test::TemporaryFolder folder;
  const std::string link = folder.file("loop.mtx");
  std::filesystem::create_symlink(link, link);
  EXPECT_THAT(test::refusal_of([&] { read_symmetric_matrix(link); }),
              StartsWith(link + ": cannot open the file: "));
}

TEST(MatrixMarketRefusals, NameFailingRead) {
  // Linux refuses reads at the unmapped address zero of a process's memory.
  EXPECT_THAT(test::refusal_of([] { read_symmetric_matrix("/proc/self/mem"); }),
              AllOf(StartsWith("/proc/self/mem: cannot read the file: "), HasSubstr("error")));
}

TEST(MatrixMarketRefusals, NameSameLineWhateverTheBlocks) {
  std::string text = kSymmetricBanner + "% head\n400 400 400\n";
  for (int k = 1; k <= 400; ++k) {
    if (k % 7 == 0) text += "% between\n\n";
    text += std::to_string(k) + " " + std::to_string(k) + (k % 150 == 0 ? " x\n" : " 1.5\n");
  }
  const std::string expected = matrix_refusal(text);
  for (int threads = 1; threads <= 4; ++threads) {
    for (std::size_t block_bytes : {1, 17, 64, 1000}) {
      const ReadOptions options = {.threads = threads, .block_bytes = block_bytes};
      EXPECT_EQ(test::refusal_of([&] { parse_symmetric_matrix(text, "a.mtx", options); }),
                expected);
    }
  }
  EXPECT_EQ(expected, "a.mtx, line 195: expected a number, found 'x'");
}

TEST(MatrixMarketRefusals, NameSurplusLineWhateverTheBlocks) {
  std::string text = kSymmetricBanner + "400 400 300\n";
  for (int k = 1; k <= 400; ++k)
    text += "%\n" + std::to_string(k) + " " + std::to_string(k) + " 1\n";
  for (int threads = 1; threads <= 4; ++threads) {
    for (std::size_t block_bytes : {1, 17, 64, 1000}) {
      const ReadOptions options = {.threads = threads, .block_bytes = block_bytes};
      EXPECT_EQ(test::refusal_of([&] { parse_symmetric_matrix(text, "a.mtx", options); }),
                "a.mtx, line 604: surplus entry: more than the 300 that line 2 promises");
    }
  }
}

}  // namespace
}  // namespace clchol::solver
