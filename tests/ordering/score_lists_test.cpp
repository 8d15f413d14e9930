#include "ordering/elimination/score_lists.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <vector>

namespace clchol::ordering {
namespace {

TEST(ScoreLists, GiveTheLeastScoreFirst) {
  std::vector<QuotientNode> nodes(3);
  ScoreLists lists(nodes, 10);

  lists.insert(0, 7);
  lists.insert(1, 2);
  lists.insert(2, 5);

  EXPECT_EQ(lists.pop_least(), 1);
  EXPECT_EQ(lists.pop_least(), 2);
  EXPECT_EQ(lists.pop_least(), 0);
}

TEST(ScoreLists, GiveTheLatestOfEqualScoresFirst) {
  std::vector<QuotientNode> nodes(3);
  ScoreLists lists(nodes, 10);

  for (Index i = 0; i < 3; ++i) lists.insert(i, 4);

  EXPECT_EQ(lists.pop_least(), 2);
  EXPECT_EQ(lists.pop_least(), 1);
}

TEST(ScoreLists, GiveNothingAboveTheLimit) {
  std::vector<QuotientNode> nodes(2);
  ScoreLists lists(nodes, 10);
  lists.insert(0, 7);
  lists.insert(1, 5);

  EXPECT_EQ(lists.pop_least(4), kNone);
  EXPECT_EQ(lists.pop_least(5), 1);
  EXPECT_EQ(lists.pop_least(6), kNone);
  EXPECT_EQ(lists.pop_least(), 0);
  EXPECT_EQ(lists.pop_least(), kNone);
}

TEST(ScoreLists, AreEmptyInTheEnd) {
  std::vector<QuotientNode> nodes(1);
  ScoreLists lists(nodes, 1);
  lists.insert(0, 0);

  lists.pop_least();

  EXPECT_EQ(lists.pop_least(), kNone);
}

TEST(ScoreLists, FindScoresBelowTheLastOne) {
  std::vector<QuotientNode> nodes(2);
  ScoreLists lists(nodes, 10);
  lists.insert(0, 8);
  lists.pop_least();

  lists.insert(1, 3);

  EXPECT_EQ(lists.pop_least(), 1);
}

TEST(ScoreLists, RemoveFromFrontMiddleAndBack) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& scores) {
    const Index n = static_cast<Index>(scores.size());
    std::vector<QuotientNode> nodes(n);
    ScoreLists lists(nodes, 256);
    std::multimap<Index, Index> left;
    for (Index i = 0; i < n; ++i) lists.insert(i, scores[i]);
    for (Index i = 0; i < n; ++i) {
      if (*rc::gen::arbitrary<bool>()) {
        lists.remove(i);
      } else {
        left.emplace(scores[i], i);
      }
    }
    for (const auto& [score, unused] : left) RC_ASSERT(scores[lists.pop_least()] == score);
    RC_ASSERT(lists.pop_least() == kNone);
  }));
}

}  // namespace
}  // namespace clchol::ordering
