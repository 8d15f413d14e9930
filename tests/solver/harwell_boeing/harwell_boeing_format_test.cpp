// Fortran formats: which columns hold the numbers of a line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "solver/harwell_boeing/format.hpp"

namespace clchol::solver {
namespace {

using ::testing::HasSubstr;

/// (begin, width, decimals, scale, is_real) of each field.
using Columns = std::vector<std::tuple<int, int, int, int, bool>>;

Columns columns_of(const std::string& text) {
  LineFormat format;
  const std::string error = examine_format(text, &format);
  EXPECT_EQ(error, "") << text;
  EXPECT_EQ(format.text, text);
  Columns columns;
  for (const FormatField& f : format.fields) {
    columns.emplace_back(f.begin, f.width, f.decimals, f.scale, f.is_real);
  }
  return columns;
}

std::string format_refusal(const std::string& text) {
  LineFormat format;
  return examine_format(text, &format);
}

TEST(LineFormat, Integers) {
  EXPECT_EQ(columns_of("(3I5)"),
            (Columns{{0, 5, 0, 0, false}, {5, 5, 0, 0, false}, {10, 5, 0, 0, false}}));
  EXPECT_EQ(columns_of("(I8)"), (Columns{{0, 8, 0, 0, false}}));
  EXPECT_EQ(columns_of("(2I8.8)"), (Columns{{0, 8, 0, 0, false}, {8, 8, 0, 0, false}}));
  EXPECT_EQ(columns_of("(16I5)").size(), 16U);
  EXPECT_EQ(columns_of("(10I8)").back(), (std::tuple{72, 8, 0, 0, false}));
}

TEST(LineFormat, Reals) {
  EXPECT_EQ(columns_of("(2E16.8)"), (Columns{{0, 16, 8, 0, true}, {16, 16, 8, 0, true}}));
  EXPECT_EQ(columns_of("(2D25.16)"), (Columns{{0, 25, 16, 0, true}, {25, 25, 16, 0, true}}));
  EXPECT_EQ(columns_of("(F20.0)"), (Columns{{0, 20, 0, 0, true}}));
  EXPECT_EQ(columns_of("(G12.4)"), (Columns{{0, 12, 4, 0, true}}));
  EXPECT_EQ(columns_of("(ES24.16E3)"), (Columns{{0, 24, 16, 0, true}}));
  EXPECT_EQ(columns_of("(EN24.16)"), (Columns{{0, 24, 16, 0, true}}));
  EXPECT_EQ(columns_of("(2E30.18E3)").back(), (std::tuple{30, 30, 18, 0, true}));
}

TEST(LineFormat, ScaleFactors) {
  const Columns expected = {{0, 16, 8, 1, true}, {16, 16, 8, 1, true}};
  EXPECT_EQ(columns_of("(1P,2E16.8)"), expected);
  EXPECT_EQ(columns_of("(1P2E16.8)"), expected);
  EXPECT_EQ(columns_of("(+1P,2E16.8)"), expected);
  EXPECT_EQ(columns_of("(-2PE16.8)"), (Columns{{0, 16, 8, -2, true}}));
  EXPECT_EQ(columns_of("(1P,E16.8,0P,F8.1)"), (Columns{{0, 16, 8, 1, true}, {16, 8, 1, 0, true}}));
}

TEST(LineFormat, SkippedColumnsAndGroups) {
  EXPECT_EQ(columns_of("(2(1X,F12.5))"), (Columns{{1, 12, 5, 0, true}, {14, 12, 5, 0, true}}));
  EXPECT_EQ(columns_of("(1P,2(3XE10.3))"), (Columns{{3, 10, 3, 1, true}, {16, 10, 3, 1, true}}));
  EXPECT_EQ(columns_of("(X,I3,2X,I4)"), (Columns{{1, 3, 0, 0, false}, {6, 4, 0, 0, false}}));
  EXPECT_EQ(columns_of("((2I3))"), (Columns{{0, 3, 0, 0, false}, {3, 3, 0, 0, false}}));
}

TEST(LineFormat, AnyCaseAndBlanks) {
  const Columns expected = {{0, 16, 8, 1, true}};
  EXPECT_EQ(columns_of("(1p,e16.8)"), expected);
  EXPECT_EQ(columns_of("( 1P , E 16 . 8 )"), expected);
}

TEST(LineFormat, SaysWhatIsWrong) {
  EXPECT_EQ(format_refusal("16I5"), "the format '16I5' lacks a '('");
  EXPECT_EQ(format_refusal("(16I5"), "the format '(16I5' lacks a ')'");
  EXPECT_EQ(format_refusal(""), "the format '' lacks a '('");
  EXPECT_EQ(format_refusal("()"), "the format '()' describes no number");
  EXPECT_EQ(format_refusal("(5X)"), "the format '(5X)' describes no number");
  EXPECT_EQ(format_refusal("(16I)"), "the format '(16I)' lacks the width of a number");
  EXPECT_EQ(format_refusal("(16I0)"), "the format '(16I0)' has a number of width 0");
  EXPECT_EQ(format_refusal("(0I5)"), "the format '(0I5)' repeats an item 0 times");
  EXPECT_EQ(format_refusal("(E16.)"), "the format '(E16.)' lacks the digits behind the point");
  EXPECT_EQ(format_refusal("(E16.8E)"), "the format '(E16.8E)' lacks the digits of the exponent");
  EXPECT_EQ(format_refusal("(P,E16.8)"), "the format '(P,E16.8)' lacks the scale before P");
  EXPECT_EQ(format_refusal("(2A8)"), "the format '(2A8)' has an item that is not known, 'A8)'");
  EXPECT_EQ(format_refusal("(*)"), "the format '(*)' has an item that is not known, '*)'");
  EXPECT_EQ(format_refusal("(2I5/2I5)"),
            "the format '(2I5/2I5)' has an item that is not known, '/2I5)'");
  EXPECT_EQ(format_refusal("(I5,2(I6))"), "the format '(I5,2(I6))' has a group among other items");
  EXPECT_EQ(format_refusal("(2(2(I6)))"), "the format '(2(2(I6)))' has groups within groups");
  EXPECT_EQ(format_refusal("(I5)I"), "the format '(I5)I' has text behind its end");
}

TEST(LineFormat, BoundsTheColumns) {
  EXPECT_EQ(columns_of("(2000I5)").size(), 2000U);
  EXPECT_EQ(format_refusal("(2001I5)"), "the format '(2001I5)' describes more than 10000 columns");
  for (const char* text : {"(99999999999999999999I5)", "(I99999999999999999999)", "(99999X,I5)",
                           "(101(100I1))", "(10000(10000I5))", "(10000(10000X))"}) {
    EXPECT_THAT(format_refusal(text), HasSubstr("describes more than 10000 columns")) << text;
  }
}

}  // namespace
}  // namespace clchol::solver
