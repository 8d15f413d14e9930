#include "numeric/device/stream/arena.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace clchol::numeric {
namespace {

bool any(const Arena::Use&) { return true; }

TEST(Arena, TakesTheLowestOrTheHighestPlace) {
  Arena arena(100);
  EXPECT_EQ(arena.take(10, Arena::From::kBottom, any)->begin, 0);
  EXPECT_EQ(arena.take(10, Arena::From::kTop, any)->begin, 90);
  EXPECT_EQ(arena.take(30, Arena::From::kBottom, any)->begin, 10);
  arena.give_back(0, 10, {});
  EXPECT_EQ(arena.take(11, Arena::From::kBottom, any)->begin, 40);
  EXPECT_EQ(arena.take(10, Arena::From::kBottom, any)->begin, 0);
  EXPECT_FALSE(arena.take(40, Arena::From::kBottom, any));
  EXPECT_EQ(arena.take(39, Arena::From::kTop, any)->begin, 51);
  EXPECT_EQ(arena.most(), 100);
  EXPECT_EQ(arena.take(0, Arena::From::kBottom, any)->begin, 0);
}

TEST(Arena, NamesWhoUsedAPlaceLast) {
  Arena arena(30);
  for (int k = 0; k < 3; ++k) static_cast<void>(arena.take(10, Arena::From::kBottom, any));
  arena.give_back(0, 10, {.group = 4, .transfer = 7});
  arena.give_back(10, 10, {.group = 6, .transfer = kNone});
  arena.give_back(20, 10, {.group = 5, .transfer = 2});

  const auto without_transfer = [](const Arena::Use& use) { return use.transfer == kNone; };
  EXPECT_FALSE(arena.take(11, Arena::From::kBottom, without_transfer));
  EXPECT_EQ(arena.take(4, Arena::From::kTop, without_transfer)->begin, 16);
  const auto place = arena.take(12, Arena::From::kBottom, any);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->begin, 0);
  EXPECT_EQ(place->group, 6);
  EXPECT_EQ(place->transfers, std::vector<Index>{7});
}

// Compared with a table of the owner of each entry of the arena.
TEST(Arena, PlacesNeverOverlap) {
  constexpr Offset kSize = 200;
  std::mt19937 random(1);
  Arena arena(kSize);
  std::vector<int> owner(kSize, 0);
  struct Taken {
    Offset begin, size;
    int id;
  };
  std::vector<Taken> taken;
  for (int id = 1; id < 3000; ++id) {
    if (random() % 2 == 0 && !taken.empty()) {
      const std::size_t k = random() % taken.size();
      for (Offset e = taken[k].begin; e < taken[k].begin + taken[k].size; ++e) owner[e] = 0;
      // The last use is often the same, so that neighbouring ranges are joined.
      const Index group = static_cast<Index>(random() % 2);
      arena.give_back(taken[k].begin, taken[k].size, {group, kNone});
      taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(k));
      continue;
    }
    const Offset size = 1 + static_cast<Offset>(random() % 40);
    const auto from = random() % 2 == 0 ? Arena::From::kBottom : Arena::From::kTop;
    const auto place = arena.take(size, from, any);
    Offset longest = 0, run = 0;
    for (const int o : owner) {
      run = o == 0 ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    ASSERT_EQ(place.has_value(), longest >= size);
    if (!place) continue;
    for (Offset e = place->begin; e < place->begin + size; ++e) {
      ASSERT_EQ(owner[e], 0);
      owner[e] = id;
    }
    taken.push_back({place->begin, size, id});
  }
}

}  // namespace
}  // namespace clchol::numeric
