#include "ordering/elimination/hash_lists.hpp"

#include <gtest/gtest.h>

namespace clchol::ordering {
namespace {

constexpr auto kAny = [](Index) { return true; };

TEST(HashLists, FindTheLatestOfAHash) {
  HashLists lists;
  lists.reset(4);

  lists.insert(17, 3);
  lists.insert(17, 5);

  EXPECT_EQ(lists.find(17, kAny), 5);
}

TEST(HashLists, PassOverWhatIsNotEqual) {
  HashLists lists;
  lists.reset(4);
  lists.insert(17, 3);
  lists.insert(17, 5);

  EXPECT_EQ(lists.find(17, [](Index i) { return i == 3; }), 3);
  EXPECT_EQ(lists.find(17, [](Index) { return false; }), kNone);
}

TEST(HashLists, TellApartHashesThatShareABucket) {
  HashLists lists;
  lists.reset(1);  // At most four buckets, which 64 hashes must share.
  lists.insert(0, 9);

  for (std::uint32_t hash = 1; hash < 64; ++hash) EXPECT_EQ(lists.find(hash, kAny), kNone);
}

TEST(HashLists, AreEmptyAfterReset) {
  HashLists lists;
  lists.reset(2);
  lists.insert(17, 3);

  lists.reset(2);

  EXPECT_EQ(lists.find(17, kAny), kNone);
}

TEST(HashLists, FindNothingInAnEmptyTable) {
  HashLists lists;
  lists.reset(0);

  EXPECT_EQ(lists.find(1, kAny), kNone);
}

}  // namespace
}  // namespace clchol::ordering
