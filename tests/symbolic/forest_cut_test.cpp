#include "symbolic/forest_cut.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <random>
#include <stdexcept>

#include "symbolic/etree.hpp"

namespace clchol::symbolic {
namespace {

PostorderedForest random_forest(Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Index> parent(n);
  for (Index j = 0; j < n; ++j) {
    const Index above = j + 1 + static_cast<Index>(random() % 20);
    parent[j] = above < n ? above : kNone;
  }
  return postorder(parent).forest;
}

ForestCut cut_of(const PostorderedForest& forest, Offset least_work) {
  return cut_forest(forest.first, least_work, [](Index begin, Index end) { return end - begin; });
}

TEST(ForestCut, IsOneSubtreeATreeWhereThereIsLittleWork) {
  const PostorderedForest forest{{2, 2, kNone, kNone}, {0, 1, 0, 3}};

  const ForestCut cut = cut_of(forest, 3);

  EXPECT_EQ(cut.begin, (std::vector<Index>{0, 3}));
  EXPECT_EQ(cut.end, (std::vector<Index>{3, 4}));
  EXPECT_EQ(cut.task_ptr, (std::vector<Index>{0, 1, 2}));
  EXPECT_TRUE(cut.above.empty());
}

TEST(ForestCut, LeavesNodesWhoseSubtreesAreTooLarge) {
  const PostorderedForest forest{{2, 2, kNone, kNone}, {0, 1, 0, 3}};

  const ForestCut cut = cut_of(forest, 1);

  EXPECT_EQ(cut.begin, (std::vector<Index>{0, 1, 3}));
  EXPECT_EQ(cut.above, (std::vector<Index>{2}));
}

TEST(ForestCut, OfNothingIsNothing) {
  const ForestCut cut = cut_of({}, 1);

  EXPECT_EQ(cut.num_subtrees(), 0);
  EXPECT_EQ(cut.num_tasks(), 0);
}

TEST(ForestCut, AscendsOverEveryNodeAfterThoseBelowIt) {
  for (unsigned seed = 1; seed < 20; ++seed) {
    const Index n = 700;
    const PostorderedForest forest = random_forest(n, seed);
    for (Offset least_work : {1, 5, 50, 1000}) {
      const ForestCut cut = cut_of(forest, least_work);
      std::vector<Index> seen;
      cut.ascend(
          [&](Index t) {
            for (Index j = cut.begin[t]; j < cut.end[t]; ++j) seen.push_back(j);
            EXPECT_EQ(forest.first[cut.root(t)], cut.begin[t]);
            EXPECT_LE(cut.end[t] - cut.begin[t], std::max<Offset>(n / 64, least_work));
          },
          [&](Index j) { seen.push_back(j); });
      std::vector<Index> all(n);
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(seen, all);
    }
  }
}

TEST(ForestCut, GivesEverySubtreeToOneMember) {
  const PostorderedForest forest = random_forest(2000, 3);
  const ForestCut cut = cut_of(forest, 1);
  ASSERT_GT(cut.num_tasks(), 10);
  for (int threads : {1, 4}) {
    std::vector<std::atomic<int>> calls(cut.num_subtrees());
    std::atomic<bool> in_team{true};
    for_each_subtree(cut, threads, [&](Index t, int member) {
      ++calls[t];
      if (member < 0 || member >= threads) in_team = false;
    });
    EXPECT_TRUE(in_team);
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(ForestCut, HandsAFailureOnAndGivesItsMemberNothingMore) {
  const ForestCut cut = cut_of(random_forest(2000, 3), 1);
  for (int threads : {1, 4}) {
    std::vector<char> has_failed(threads, 0);
    std::atomic<int> calls_after{0};
    EXPECT_THROW(for_each_subtree(cut, threads,
                                  [&](Index, int member) {
                                    if (has_failed[member]) ++calls_after;
                                    has_failed[member] = 1;
                                    throw std::runtime_error("no");
                                  }),
                 std::runtime_error);
    EXPECT_EQ(calls_after, 0);
  }
}

}  // namespace
}  // namespace clchol::symbolic
