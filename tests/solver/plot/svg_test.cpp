#include "solver/cli/plot/svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solver/cli/plot/base64.hpp"
#include "solver/cli/plot/colours.hpp"

namespace clchol::cli {
namespace {

using testing::HasSubstr;

TEST(Base64, TestVectorsOfItsStandard) {  // RFC 4648, section 10.
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe"), "//4=");
}

TEST(Svg, NumbersAreShort) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(-0.001), "0");
  EXPECT_EQ(short_number(100), "100");
  EXPECT_EQ(short_number(0.5), "0.5");
  EXPECT_EQ(short_number(-3.256), "-3.26");
}

TEST(Svg, MarkupIsEscaped) { EXPECT_EQ(escaped("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;"); }

TEST(Svg, WhatXmlHasNoPlaceForBecomesBlank) {
  EXPECT_EQ(escaped("a\nb\x01\x7f"), "a b  ");
  EXPECT_EQ(escaped("\xff\xc3"), "  ");
  EXPECT_EQ(escaped("\xc0\x80"), "  ");            // An overlong code.
  EXPECT_EQ(escaped("\xed\xa0\x80"), "   ");       // A surrogate.
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "    ");  // Beyond U+10FFFF.
  EXPECT_EQ(escaped("\xef\xbf\xbf"), "   ");       // U+FFFF.
}

TEST(Svg, OtherCharactersStay) {
  EXPECT_EQ(escaped("\u00d7 \u20ac \U0001f600"), "\u00d7 \u20ac \U0001f600");
}

TEST(Svg, TextIsCutByWholeCharacters) {
  EXPECT_EQ(fitted("short", 10, 1000), "short");
  EXPECT_EQ(fitted("\u00d7\u00d7\u00d7\u00d7", 10, 12), "\u00d7\u2026");
  EXPECT_EQ(fitted("long", 10, 1), "");
}

TEST(Svg, ElementsAppearInTheirOrder) {
  Svg svg("A <title>");
  svg.rect({1, 2, 3, 4}, "#ffffff", {"#000000", 0.5});
  svg.line({0, 0}, {1, 1}, {"#111111", 1});
  svg.text({5, 6}, "a&b", {.size = 9, .anchor = Anchor::kEnd, .bold = true, .upward = true});

  const std::string document = svg.document(50);

  EXPECT_THAT(document, HasSubstr("<title>A &lt;title&gt;</title>"));
  EXPECT_THAT(document, HasSubstr(R"(viewBox="0 0 480 50")"));
  EXPECT_THAT(document, HasSubstr(R"(<rect x="1" y="2" width="3" height="4" fill="#ffffff" )"
                                  R"(stroke="#000000" stroke-width="0.5"/>)"
                                  "\n<line "));
  EXPECT_THAT(document, HasSubstr(R"(text-anchor="end" font-weight="bold" )"
                                  R"x(transform="rotate(-90 5 6)">a&amp;b</text>)x"));
}

TEST(Colours, ScalesEndAtTheirColours) {
  constexpr ColourScale kScale{{0, 100, 200}, {100, 0, 250}};
  EXPECT_EQ(hex_of(kScale.at(0)), "#0064c8");
  EXPECT_EQ(hex_of(kScale.at(0.5)), "#3232e1");
  EXPECT_EQ(hex_of(kScale.at(1)), "#6400fa");
  EXPECT_EQ(kScale.at(2), kScale.at(1));
}

TEST(Colours, TextIsReadOnBothEnds) {
  EXPECT_STREQ(text_colour_on({255, 255, 255}), kInk);
  EXPECT_STREQ(text_colour_on({0, 0, 60}), "#ffffff");
}

}  // namespace
}  // namespace clchol::cli
