#include "ordering/permutation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace clchol::ordering {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

TEST(MakePermutation, InvertsItsArgument) {
  const Permutation p = make_permutation({2, 0, 1});

  EXPECT_THAT(p.perm, ElementsAre(2, 0, 1));
  EXPECT_THAT(p.iperm, ElementsAre(1, 2, 0));
}

TEST(MakePermutation, NamesAnEntryOutOfRange) {
  EXPECT_THAT(
      [] {
        make_permutation({0, 3, 1});
      },
      Throws<InvalidArgument>(
          Property(&InvalidArgument::what, HasSubstr("entry 1 is 3, outside [0, 3)"))));
}

TEST(MakePermutation, NamesARowThatStandsTwice) {
  EXPECT_THAT(
      [] {
        make_permutation({1, 0, 1});
      },
      Throws<InvalidArgument>(Property(&InvalidArgument::what, HasSubstr("both 0 and 2"))));
}

TEST(Identity, LeavesEveryRowInPlace) {
  const Permutation p = identity(3);

  EXPECT_THAT(p.perm, ElementsAre(0, 1, 2));
  EXPECT_THAT(p.iperm, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace clchol::ordering
