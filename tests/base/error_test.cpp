#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/types.hpp"

namespace clchol {
namespace {

constexpr Status kAll[] = {Status::kOk, Status::kNotPositiveDefinite, Status::kAccuracyNotReached,
                           Status::kSingular, Status::kInterrupted};

TEST(Status, HasAWordEach) {
  std::set<std::string> words;
  for (Status s : kAll) words.insert(to_string(s));

  EXPECT_THAT(words, testing::ElementsAre("accuracy_not_reached", "interrupted",
                                          "not_positive_definite", "ok", "singular"));
}

TEST(Status, OutOfRangeIsUnknown) { EXPECT_STREQ(to_string(static_cast<Status>(99)), "unknown"); }

TEST(Errors, CarryTheirMessage) {
  EXPECT_STREQ(InvalidArgument("a").what(), "a");
  EXPECT_STREQ(OutOfMemory("b").what(), "b");
  EXPECT_STREQ(DeviceError("c").what(), "c");
  EXPECT_STREQ(FileError("d").what(), "d");
}

TEST(Errors, AreTheStandardLibrarysToo) {
  EXPECT_THROW(throw InvalidArgument("a"), std::invalid_argument);
  EXPECT_THROW(throw OutOfMemory("b"), std::runtime_error);
  EXPECT_THROW(throw DeviceError("c"), std::runtime_error);
  EXPECT_THROW(throw FileError("d"), std::runtime_error);
}

TEST(DenseView, CountsColumnsByItsLeadingDimension) {
  double data[12] = {};
  const DenseView<double> view{data, 3, 2, 5};

  view(2, 1) = 7;

  EXPECT_EQ(data[2 + 5], 7);
  EXPECT_EQ(view.column(1), data + 5);
}

TEST(DenseView, OfMutableEntriesIsOneOfConstantOnes) {
  double data[4] = {1, 2, 3, 4};
  const DenseView<double> view{data, 2, 2, 2};

  const DenseView<const double> constant = view;

  EXPECT_EQ(constant(1, 1), 4);
}

}  // namespace
}  // namespace clchol
