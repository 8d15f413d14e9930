// Files that are refused, with the messages that the user sees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "solver/harwell_boeing.hpp"
#include "tests/solver/harwell_boeing/harwell_boeing_support.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

using test::HarwellBoeingFile;
using ::testing::HasSubstr;

std::string refusal_of_text(const std::string& text, const ReadOptions& options = {}) {
  return test::refusal_of([&] { parse_harwell_boeing(text, "a.rb", options); });
}

struct Refusal {
  const char* name;  // Name of the test case.
  HarwellBoeingFile file;
  std::string message;  // The expected message, in full.
};

class HarwellBoeingRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(HarwellBoeingRefusal, SaysWhereAndWhy) {
  const std::string text = GetParam().file.text();
  EXPECT_EQ(refusal_of_text(text), GetParam().message);
  EXPECT_EQ(refusal_of_text(text, {.block_bytes = 16}), GetParam().message);
}

const Refusal kTypes[] = {
    {"Pattern",
     {.type = "PSA 3 3 5 0"},
     "a.rb, line 3: type 'PSA': a pattern has no values; the solver needs a real or integer file"},
    {"PatternWithValuesElsewhere",
     {.type = "qsa 3 3 5 0"},
     "a.rb, line 3: type 'qsa': a pattern has no values; the solver needs a real or integer file"},
    {"Complex",
     {.type = "CSA 3 3 5 0"},
     "a.rb, line 3: type 'CSA': complex values are not supported; expected real or integer"},
    {"Hermitian",
     {.type = "CHA 3 3 5 0"},
     "a.rb, line 3: type 'CHA': hermitian (complex) matrices are not supported; expected real "
     "symmetric"},
    {"SkewSymmetric",
     {.type = "RZA 3 3 5 0"},
     "a.rb, line 3: type 'RZA': a skew-symmetric matrix is not positive definite; expected "
     "symmetric"},
    {"Rectangular",
     {.type = "rra 3 2 5 0"},
     "a.rb, line 3: type 'rra': the matrix is rectangular, expected a square one"},
    {"Elemental",
     {.type = "RSE 3 3 5 9"},
     "a.rb, line 3: type 'RSE': elemental (unassembled) matrices are not supported"},
    {"Unknown", {.type = "XYZ 3 3 5 0"}, "a.rb, line 3: expected a type such as RSA, found 'XYZ'"},
    {"Absent", {.type = ""}, "a.rb, line 3: expected a type such as RSA, found ''"},
};

const Refusal kHeads[] = {
    {"TooFewCounts",
     {.counts = "1 1 1"},
     "a.rb, line 2: expected four or five numbers of lines, found '1 1 1'"},
    {"CountIsNoNumber",
     {.counts = "1 1 x 1"},
     "a.rb, line 2: number of lines 'x' is not an integer"},
    {"NoValues",
     {.counts = "2 1 1 0 0"},
     "a.rb, line 2: no lines of values: a pattern; the solver needs values"},
    {"TooFewSizes",
     {.type = "RSA 3 3"},
     "a.rb, line 3: expected 'type rows columns entries', found 'RSA 3 3'"},
    {"NoRows",
     {.type = "RSA 0 0 0 0"},
     "a.rb, line 3: number of rows '0': the matrix is empty, expected at least 1"},
    {"NegativeRows", {.type = "RSA -3 3 5 0"}, "a.rb, line 3: number of rows '-3' is negative"},
    {"RowsBeyondInt32",
     {.type = "RSA 2147483647 2147483647 5 0"},
     "a.rb, line 3: number of rows '2147483647' exceeds the largest order, 2147483646"},
    {"EntriesBeyondInt64",
     {.type = "RSA 3 3 9223372036854775808 0"},
     "a.rb, line 3: number of entries '9223372036854775808' exceeds the largest size, "
     "9223372036854775807"},
    {"NotSquare",
     {.type = "RUA 3 4 5 0"},
     "a.rb, line 3: the matrix is 3 x 4, expected a square one"},
    {"MostRowsEmpty",
     {.type = "RSA 2147483646 2147483646 1 0"},
     "a.rb, line 3: 2147483646 rows with only 1 entries: most rows are empty, the matrix is "
     "singular"},
    {"NoFormats",
     {.formats = "16I5"},
     "a.rb, line 4: expected the format of the column pointers in parentheses, found '16I5'"},
    {"TooFewFormats",
     {.formats = "(16I5) (16I5)"},
     "a.rb, line 4: expected the format of the values in parentheses, found '(16I5) (16I5)'"},
    {"OpenFormat",
     {.formats = "(16I5) (16I5"},
     "a.rb, line 4: expected the format of the row indices in parentheses, found '(16I5) (16I5'"},
    {"RealIndices",
     {.formats = "(16I5) (16F5.0) (4E20.12)"},
     "a.rb, line 4: the format of the row indices, '(16F5.0)', is not one of integers"},
    {"UnknownFormat",
     {.formats = "(16Z5) (16I5) (4E20.12)"},
     "a.rb, line 4: the format '(16Z5)' has an item that is not known, 'Z5)'"},
};

const Refusal kPointers[] = {
    {"FirstIsNotOne",
     {.pointers = "    0    2    4    5"},
     "a.rb, line 5: the first column pointer is 0, expected 1"},
    {"Falling",
     {.pointers = "    1    5    3    6"},
     "a.rb, line 5: column pointer 3 is below the one before it, 5"},
    {"BeyondTheEntries",
     {.pointers = "    1    3    7    6"},
     "a.rb, line 5: column pointer 7 exceeds the entries that line 3 promises, 5"},
    {"LastBelowTheEntries",
     {.pointers = "    1    3    4    5"},
     "a.rb, line 5: the last column pointer is 5, but line 3 promises 5 entries"},
    {"Negative",
     {.pointers = "    1   -3    5    6"},
     "a.rb, line 5: column pointer '-3' is negative"},
    {"Word",
     {.pointers = "    1  two    5    6"},
     "a.rb, line 5: column pointer 'two' is not an integer"},
    {"TwoInOneField",
     {.pointers = "  1 3    5    6    6"},
     "a.rb, line 5: column pointer '1 3' is not an integer"},
    {"Blank",
     {.pointers = "    1         5    6"},
     "a.rb, line 5: a blank field where a column pointer was expected"},
    {"LineTooShort",
     {.pointers = "    1    3    5"},
     "a.rb, line 5: the line ends after 3 column pointers, expected 4 in the format '(16I5)'"},
    {"LineTooLong",
     {.pointers = "    1    3    5    6    7"},
     "a.rb, line 5: text beside the numbers in the format '(16I5)': '7'"},
    {"Tab",
     {.pointers = "    1\t   3    5    6"},
     "a.rb, line 5: a tab stands among the fixed columns of '(16I5)'"},
};

const Refusal kEntries[] = {
    {"RowZero",
     {.indices = "    0    1    1    2    2"},
     "a.rb, line 6: row index '0': indices begin at 1; the file is probably 0-based"},
    {"RowOutOfRange",
     {.indices = "    1    2    2    4    3"},
     "a.rb, line 6: row index '4' is outside 1..3"},
    {"NegativeRow",
     {.indices = "    1   -2    2    3    3"},
     "a.rb, line 6: row index '-2' is outside 1..3"},
    {"TooFewRows",
     {.indices = "    1    2    2    3"},
     "a.rb, line 6: the line ends after 4 row indices, expected 5 in the format '(16I5)'"},
    {"Word",
     {.formats = "(16I5) (16I5) (5F6.2)", .values = "  4.00   one  5.00  2.00  6.00"},
     "a.rb, line 7: expected a number, found 'one'"},
    {"NotFinite",
     {.formats = "(16I5) (16I5) (5F6.2)", .values = "  4.00   NaN  5.00  2.00  6.00"},
     "a.rb, line 7: value 'NaN' is not finite"},
    {"NoPoint",
     {.formats = "(16I5) (16I5) (5F6.2)", .values = "  4.00     1  5.00  2.00  6.00"},
     "a.rb, line 7: value '1' has no point, and the format implies 2 digits behind one"},
    {"TooFewValues",
     {.values = "  4.000000000000E+00  1.000000000000E+00  5.000000000000E+00"},
     "a.rb, line 7: the line ends after 3 values, expected 4 in the format '(4E20.12)'"},
    {"TextInSkippedColumns",
     {.formats = "(16I5) (16I5) (5(2X,F4.1))", .values = "   4.0   1.0 x 5.0   2.0   6.0"},
     "a.rb, line 7: text beside the numbers in the format '(5(2X,F4.1))': 'x'"},
    {"TextBehind", {.rest = "surplus\n"}, "a.rb, line 9: text behind the last value: 'surplus'"},
    {"NotSymmetric",
     {.type = "RUA 3 3 5 0"},
     "a.rb: the matrix is not symmetric: worst at (3, 2) = 2 and (2, 3) = 0"},
    {"WhollyMirrored",
     {.type = "RSA 2 2 4 0",
      .formats = "(16I5) (16I5) (5F6.2)",
      .pointers = "    1    3    5",
      .indices = "    1    2    1    2",
      .values = "  4.00  1.00  1.00  5.00"},
     "a.rb, line 3: the symmetric file holds both triangles: every off-diagonal entry stands at "
     "(i, j) and at (j, i) with the same value; say 'U' for 'S' in the type or remove one "
     "triangle"},
};

std::string claim(const ::testing::TestParamInfo<Refusal>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Types, HarwellBoeingRefusal, ::testing::ValuesIn(kTypes), claim);
INSTANTIATE_TEST_SUITE_P(Heads, HarwellBoeingRefusal, ::testing::ValuesIn(kHeads), claim);
INSTANTIATE_TEST_SUITE_P(Pointers, HarwellBoeingRefusal, ::testing::ValuesIn(kPointers), claim);
INSTANTIATE_TEST_SUITE_P(Entries, HarwellBoeingRefusal, ::testing::ValuesIn(kEntries), claim);

TEST(HarwellBoeingRefusals, NameTheLineWhereTheFileEnds) {
  const std::string text = HarwellBoeingFile().text();
  std::vector<std::size_t> ends = {0};
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '\n') ends.push_back(k + 1);
  }
  const std::string expected[] = {"a.rb: the file is empty, expected a matrix",
                                  "a.rb, line 1: the file ends within its head",
                                  "a.rb, line 2: the file ends within its head",
                                  "a.rb, line 3: the file ends within its head",
                                  "a.rb, line 4: the file ends after 0 of 4 column pointers",
                                  "a.rb, line 5: the file ends after 0 of 5 row indices",
                                  "a.rb, line 6: the file ends after 0 of 5 values",
                                  "a.rb, line 7: the file ends after 4 of 5 values",
                                  "(accepted)"};
  ASSERT_EQ(ends.size(), std::size(expected));
  for (std::size_t k = 0; k < ends.size(); ++k) {
    EXPECT_EQ(refusal_of_text(text.substr(0, ends[k])), expected[k]);
  }
}

TEST(HarwellBoeingRefusals, NoCutIsTakenForTheWhole) {
  // Cuts the text anywhere but before the last line end, which a file may lack.
  const std::string text = HarwellBoeingFile().text();
  for (std::size_t size = 0; size < text.size() - 1; ++size) {
    EXPECT_NE(refusal_of_text(text.substr(0, size)), "(accepted)") << size;
  }
  EXPECT_EQ(refusal_of_text(text.substr(0, text.size() - 4)),
            "a.rb, line 8: the file ends within a number");
}

TEST(HarwellBoeingRefusals, HugePromisesAllocateNothing) {
  // The head promises 9.2e18 entries; the file has five.
  EXPECT_EQ(refusal_of_text(HarwellBoeingFile{.type = "RSA 3 3 9223372036854775807 0"}.text()),
            "a.rb, line 5: the last column pointer is 6, but line 3 promises 9223372036854775807 "
            "entries");
  EXPECT_EQ(refusal_of_text(HarwellBoeingFile{.type = "RSA 1000000 1000000 5 0"}.text()),
            "a.rb, line 5: the line ends after 4 column pointers, expected 16 in the format "
            "'(16I5)'");
}

TEST(HarwellBoeingRefusals, NameLinesLongerThanTheBound) {
  EXPECT_EQ(refusal_of_text("title\n" + std::string(3 << 20, ' ') + "\n"),
            "a.rb, line 2: the line is longer than 1048576 bytes");
}

TEST(HarwellBoeingRefusals, CorruptCompressionComesFirst) {
  std::string content = test::gzip(HarwellBoeingFile{.values = "x"}.text());
  content[content.size() - 6] ^= 1;  // A byte of the checksum.
  EXPECT_THAT(refusal_of_text(content), HasSubstr("corrupt gzip data"));
}

TEST(HarwellBoeingRefusals, CorruptCompressionOfRightHandSidesIsFound) {
  HarwellBoeingFile file;
  file.counts = "6 1 1 2 1";
  file.right_hand_side_line = "F 1 0\n";
  file.rest = "  5.0\n";
  std::string content = test::gzip(file.text());
  content[content.size() - 6] ^= 1;
  EXPECT_THAT(refusal_of_text(content), HasSubstr("corrupt gzip data"));
}

TEST(HarwellBoeingRefusals, NameMissingFile) {
  EXPECT_EQ(test::refusal_of([] { read_harwell_boeing("/no/such.rb"); }),
            "/no/such.rb: cannot open the file: No such file or directory");
}

}  // namespace
}  // namespace clchol::solver
