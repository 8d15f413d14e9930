// Forms of files that are read, each from a few lines of text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "solver/generate.hpp"
#include "solver/harwell_boeing.hpp"
#include "tests/solver/harwell_boeing/harwell_boeing_support.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

using test::HarwellBoeingFile;
using ::testing::ElementsAre;

SymmetricMatrix read(const std::string& text) { return parse_harwell_boeing(text, "a.rb"); }

void expect_three_by_three(const SymmetricMatrix& a) {
  EXPECT_EQ(a.n(), 3);
  EXPECT_THAT(a.lower.colptr, ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(a.lower.rowind, ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(a.values, ElementsAre(4, 1, 5, 2, 6));
}

TEST(ReadHarwellBoeing, ReadsRealSymmetric) {
  const std::string text = HarwellBoeingFile().text();
  const SymmetricMatrix a = read(text);

  expect_three_by_three(a);
  EXPECT_EQ(a.notes.entries_in_file, 5);
  EXPECT_EQ(a.notes.upper_folded, 0);
  EXPECT_FALSE(a.notes.general_but_symmetric);
  EXPECT_FALSE(a.notes.right_hand_sides_ignored);
  EXPECT_FALSE(a.notes.compressed);
  EXPECT_EQ(a.notes.text_bytes, static_cast<Offset>(text.size()));
  EXPECT_EQ(a.notes.bytes_read, a.notes.text_bytes);
  EXPECT_GT(a.notes.seconds, 0.0);
}

TEST(ReadHarwellBoeing, ReadsIntegerSymmetric) {
  expect_three_by_three(read(HarwellBoeingFile{
      .type = "isa 3 3 5 0", .formats = "(16I5) (16I5) (26I3)", .values = "  4  1  5  2  6"}
                                 .text()));
}

TEST(ReadHarwellBoeing, ReadsUnsymmetricTypeOfSymmetricMatrix) {
  HarwellBoeingFile file;
  file.type = "RUA 3 3 7 0";
  file.pointers = "    1    3    6    8";
  file.indices = "    1    2    1    2    3    2    3";
  file.formats = "(16I5) (16I5) (10F5.1)";
  file.values = "  4.0  1.0  1.0  5.0  2.0  2.0  6.0";
  const SymmetricMatrix a = read(file.text());

  expect_three_by_three(a);
  EXPECT_TRUE(a.notes.general_but_symmetric);
}

TEST(ReadHarwellBoeing, FoldsUpperTriangle) {
  HarwellBoeingFile file;
  file.pointers = "    1    2    4    6";
  file.indices = "    1    1    2    2    3";
  file.formats = "(16I5) (16I5) (10F5.1)";
  file.values = "  4.0  1.0  5.0  2.0  6.0";
  const SymmetricMatrix a = read(file.text());

  expect_three_by_three(a);
  EXPECT_EQ(a.notes.upper_folded, 2);
}

TEST(ReadHarwellBoeing, SortsRowsAndSumsDuplicates) {
  HarwellBoeingFile file;
  file.type = "RSA 3 3 6 0";
  file.pointers = "    1    4    6    7";
  file.indices = "    2    1    2    3    2    3";
  file.formats = "(16I5) (16I5) (10F5.1)";
  file.values = "  0.5  4.0  0.5  2.0  5.0  6.0";
  const SymmetricMatrix a = read(file.text());

  expect_three_by_three(a);
  EXPECT_EQ(a.notes.duplicates_summed, 1);
}

TEST(ReadHarwellBoeing, ReadsHeadOfRutherfordBoeing) {
  // The head has four counts, a type in lower case, and no format for right-hand sides.
  expect_three_by_three(
      read(HarwellBoeingFile{.counts = "             4             1             1             2",
                             .type = "rsa                        3             3             5"
                                     "             0",
                             .formats = "(16I5)          (16I5)          (4E20.12)           "}
               .text()));
}

TEST(ReadHarwellBoeing, ReadsNumbersWithoutBlanksBetween) {
  HarwellBoeingFile file;
  file.type = "RSA 12 12 12 0";
  file.formats = "(13I2) (12I2) (3E10.3)";
  file.pointers = " 1 2 3 4 5 6 7 8 910111213";
  file.indices = " 1 2 3 4 5 6 7 8 9101112";
  file.values =
      "-1.234E+01-2.345E+01-3.456E+01\n 1.000E+00-1.000E-10 2.000E+00\n"
      "-9.999E+99-1.000E+00-1.000-100\n 4.000E+00 5.000E+00-6.000E+00";
  const SymmetricMatrix a = read(file.text());

  EXPECT_THAT(a.lower.rowind, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_THAT(a.values,
              ElementsAre(-12.34, -23.45, -34.56, 1, -1e-10, 2, -9.999e99, -1, -1e-100, 4, 5, -6));
}

/// The values of the three by three matrix in one Fortran format.
struct ValueForm {
  const char* name;
  const char* format;
  const char* values;
};

class HarwellBoeingValues : public ::testing::TestWithParam<ValueForm> {};

TEST_P(HarwellBoeingValues, AreRead) {
  const std::string formats = std::string("(16I5) (16I5) ") + GetParam().format;
  expect_three_by_three(
      read(HarwellBoeingFile{.formats = formats, .values = GetParam().values}.text()));
}

const ValueForm kValueForms[] = {
    {"Fixed", "(5F6.2)", "  4.00  1.00  5.00  2.00  6.00"},
    {"Exponent", "(5E10.3)", " 0.400E+01 0.100E+01 0.500E+01 0.200E+01 0.600E+01"},
    {"Scaled", "(1P,5E10.3)", " 4.000E+00 1.000E+00 5.000E+00 2.000E+00 6.000E+00"},
    {"ScaledWithoutComma", "(1P5D10.3)", " 4.000D+00 1.000D+00 5.000D+00 2.000D+00 6.000D+00"},
    {"Double", "(3D12.5)", " 4.00000D+00 1.00000D+00 5.00000D+00\n 2.00000D+00 6.00000D+00"},
    {"NoExponentLetter", "(5E10.3)", " 4.000+000 1.000+000 5.000+000 2.000+000 6.000+000"},
    {"BlankInExponent", "(5E10.3)", " 4.000E 00 1.000E+ 0 5.000D 00 2.000E 00 6.000E 00"},
    {"Groups", "(3(1X,F4.1))", "  4.0  1.0  5.0\n  2.0  6.0"},
    {"General", "(5G8.2)", " 4.0     1.0     5.0    2.0E+00  6.0"},
    {"Left", "(5F6.2)", "4.00  1.00  5.00  2.00  6.00"},
    {"TrailingBlanks", "(5F6.2)", "  4.00  1.00  5.00  2.00  6.00    "},
    {"OneALine", "(F6.2)", "4.\n1.\n5.\n2.\n6."},
};
INSTANTIATE_TEST_SUITE_P(Forms, HarwellBoeingValues, ::testing::ValuesIn(kValueForms),
                         [](const auto& info) { return info.param.name; });

TEST(ReadHarwellBoeing, ReadsBlankFieldAmongValuesAsZero) {
  const SymmetricMatrix a = read(HarwellBoeingFile{.formats = "(16I5) (16I5) (5F6.2)",
                                                   .values = "  4.00        5.00  2.00  6.00"}
                                     .text());

  EXPECT_THAT(a.values, ElementsAre(4, 0, 5, 2, 6));
  EXPECT_EQ(a.notes.explicit_zeros, 1);
}

TEST(ReadHarwellBoeing, PassesOverRightHandSides) {
  HarwellBoeingFile file;
  file.counts = "             6             1             1             2             1";
  file.right_hand_side_line = "F                          1             0\n";
  file.rest = "  5.000000000000E+00  8.000000000000E+00  8.000000000000E+00\n";
  const SymmetricMatrix a = read(file.text());

  expect_three_by_three(a);
  EXPECT_TRUE(a.notes.right_hand_sides_ignored);
}

TEST(ReadHarwellBoeing, UsesNoCountOfLines) {
  expect_three_by_three(read(HarwellBoeingFile{.counts = "0 7 7 7 0"}.text()));
}

TEST(ReadHarwellBoeing, ReadsCarriageReturnsAndBlankLinesAtTheEnd) {
  std::string text;
  for (char c : HarwellBoeingFile{.rest = "\n  \n"}.text()) {
    text += c == '\n' ? "\r\n" : std::string(1, c);
  }
  expect_three_by_three(read(text));
}

TEST(ReadHarwellBoeing, NeedsNoLastLineEnd) {
  std::string text = HarwellBoeingFile().text();
  text.pop_back();
  expect_three_by_three(read(text));
}

TEST(ReadHarwellBoeing, ReadsGzip) {
  const SymmetricMatrix a = read(test::gzip(HarwellBoeingFile().text()));

  expect_three_by_three(a);
  EXPECT_TRUE(a.notes.compressed);
}

TEST(ReadHarwellBoeing, ReadsNoEntries) {
  const SymmetricMatrix a = read("title\n 1 1 0 0\nRSA 2 2 0 0\n(16I5) (16I5)\n    1    1    1\n");

  EXPECT_THAT(a.lower.colptr, ElementsAre(0, 0, 0));
  EXPECT_TRUE(a.values.empty());
}

/// A file of a larger matrix, with three values in each line.
std::string file_of(const SymmetricMatrix& a) {
  const auto field = [](const std::string& text, std::size_t width) {
    return std::string(width - text.size(), ' ') + text;
  };
  std::string text = "model\n 1 1 1 1 0\nRSA " + std::to_string(a.n()) + " " +
                     std::to_string(a.n()) + " " + std::to_string(a.lower.view().nnz()) +
                     " 0\n(10I8) (10I8) (3F8.3)\n";
  const auto put = [&](std::size_t count, std::size_t a_line, const auto& word) {
    for (std::size_t k = 0; k < count; ++k) {
      text += field(word(k), 8);
      if (k % a_line == a_line - 1 || k + 1 == count) text += "\n";
    }
  };
  put(a.lower.colptr.size(), 10,
      [&](std::size_t k) { return std::to_string(a.lower.colptr[k] + 1); });
  put(a.lower.rowind.size(), 10,
      [&](std::size_t k) { return std::to_string(a.lower.rowind[k] + 1); });
  put(a.values.size(), 3, [&](std::size_t k) { return a.values[k] < 0 ? "-1.000" : "6.001"; });
  return text;
}

TEST(ReadHarwellBoeing, GivesTheSameForAnyBlocksAndThreads) {
  // The matrix has more entries than one run of the reader holds.
  const SymmetricMatrix expected = make_model_problem("grid2d:60");
  const std::string text = file_of(expected);
  for (std::size_t block_bytes : {1, 100, 1 << 18}) {
    for (int threads : {1, 3}) {
      const ReadOptions options = {.threads = threads, .block_bytes = block_bytes};
      EXPECT_TRUE(test::identical(parse_harwell_boeing(text, "a.rb", options), expected));
    }
  }
}

TEST(ReadHarwellBoeing, TellsItsProgress) {
  const test::TemporaryFolder folder;
  test::put_file(folder.file("a.rb"), file_of(make_model_problem("grid2d:60")));
  std::vector<double> fractions;
  const ReadOptions options = {
      .progress = [](void* context,
                     double f) { static_cast<std::vector<double>*>(context)->push_back(f); },
      .progress_context = &fractions,
      .block_bytes = 4096};
  read_harwell_boeing(folder.file("a.rb"), options);

  EXPECT_GT(fractions.size(), 10U);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1.0);
}

}  // namespace
}  // namespace clchol::solver
