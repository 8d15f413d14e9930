#include "numeric/memory_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

namespace clchol::numeric {
namespace {

using Place = MemoryPlan::Place;

TEST(MemoryPlan, PlacesWhatLivesAtOnceSideBySide) {
  MemoryPlan plan;
  const Index buffer = plan.add_buffer("updates", Tier::kDevice);

  const Place first = plan.add({.buffer = buffer, .bytes = 100, .first = 0, .last = 3});
  const Place second = plan.add({.buffer = buffer, .bytes = 8, .first = 3, .last = 4});

  EXPECT_EQ(first.begin, 0);
  EXPECT_EQ(second.begin, 128);  // The next sector.
  EXPECT_EQ(plan.bytes(buffer), 136);
}

TEST(MemoryPlan, PlacesInOneAnothersPlaceWhatNeverLivesAtOnce) {
  MemoryPlan plan;
  const Index buffer = plan.add_buffer("updates", Tier::kDevice);
  plan.add({.buffer = buffer, .bytes = 100, .first = 0, .last = 3});

  const Place later = plan.add({.buffer = buffer, .bytes = 150, .first = 4, .last = 4});

  EXPECT_EQ(later.begin, 0);
  EXPECT_EQ(plan.bytes(buffer), 150);
}

TEST(MemoryPlan, UsedBytesAreThoseOfOneStep) {
  MemoryPlan plan;
  const Index buffer = plan.add_buffer("updates", Tier::kDevice);
  plan.add({.buffer = buffer, .bytes = 100, .first = 0, .last = 3});
  plan.add({.buffer = buffer, .bytes = 8, .first = 3, .last = 4});

  EXPECT_EQ(plan.used(buffer, 2), 100);
  EXPECT_EQ(plan.used(buffer, 3), 108);
  EXPECT_EQ(plan.used(buffer, 5), 0);
}

// What has ended cannot be in the way of a later request.
TEST(MemoryPlan, PlacesTheSameWhenItForgetsWhatHasEnded) {
  MemoryPlan all, forgetful;
  const Index buffer = all.add_buffer("updates", Tier::kHost);
  ASSERT_EQ(forgetful.add_buffer("updates", Tier::kHost), buffer);
  for (Index step = 0; step < 60; ++step) {
    forgetful.forget_before(step);
    for (Index k = 0; k < 3; ++k) {
      const MemoryRequest request{.buffer = buffer,
                                  .bytes = 8 * (1 + (7 * step + 5 * k) % 11),
                                  .first = step + k % 2,
                                  .last = step + 1 + (3 * step + k) % 9};
      EXPECT_EQ(forgetful.add(request).begin, all.add(request).begin);
    }
    EXPECT_EQ(forgetful.used(buffer, step), all.used(buffer, step));
  }
  EXPECT_EQ(forgetful.bytes(buffer), all.bytes(buffer));
}

TEST(MemoryPlan, TakesTheLowestGapWithRoom) {
  MemoryPlan plan;
  const Index buffer = plan.add_buffer("updates", Tier::kDevice);
  plan.add({.buffer = buffer, .bytes = 64, .first = 0, .last = 9});
  plan.add({.buffer = buffer, .bytes = 64, .first = 0, .last = 0});  // [64, 128), free from 1 on.
  plan.add({.buffer = buffer, .bytes = 64, .first = 0, .last = 9});

  EXPECT_EQ(plan.add({.buffer = buffer, .bytes = 65, .first = 1, .last = 1}).begin, 192);
  EXPECT_EQ(plan.add({.buffer = buffer, .bytes = 64, .first = 1, .last = 1}).begin, 64);
  EXPECT_EQ(plan.bytes(buffer), 257);
}

TEST(MemoryPlan, LiesInAnotherBufferOnlyWhereThatHasRoomAsItIs) {
  MemoryPlan plan;
  const Index updates = plan.add_buffer("updates", Tier::kDevice);
  const Index room = plan.add_buffer("solves", Tier::kDevice);
  plan.add({.buffer = updates, .bytes = 100, .first = 0, .last = 3});
  const auto of_solve = [&](Offset bytes) {
    return plan.add({.buffer = room, .within = updates, .bytes = bytes, .first = 4, .last = 4});
  };

  EXPECT_EQ(of_solve(101).buffer, room);
  EXPECT_EQ(of_solve(60).buffer, updates);
  EXPECT_EQ(of_solve(60).buffer, room);  // 36 bytes are left behind the sector.
  EXPECT_EQ(of_solve(36).begin, 64);

  EXPECT_EQ(plan.bytes(updates), 100);
  EXPECT_EQ(plan.bytes(room), 128 + 60);
  EXPECT_EQ(plan.bytes(Tier::kDevice), 288);
}

TEST(MemoryPlan, CountsTiersApart) {
  MemoryPlan plan;
  const Index device = plan.add_buffer("panels", Tier::kDevice);
  const Index host = plan.add_buffer("staging", Tier::kHost, 1000, 40);
  plan.add({.buffer = device, .bytes = 7});
  plan.add({.buffer = host, .bytes = 33});

  EXPECT_EQ(plan.bytes(Tier::kDevice), 7);
  EXPECT_EQ(plan.bytes(Tier::kHost), 40);  // The bytes that the buffer has in any case.
}

TEST(MemoryPlan, NamesTheBufferThatWouldBeTooLarge) {
  MemoryPlan plan;
  const Index small = plan.add_buffer("update matrices", Tier::kDevice, 2000000000);
  plan.add({.buffer = small, .bytes = 2000000000});
  plan.check();
  plan.add({.buffer = small, .bytes = 1000000000});
  try {
    plan.check();
    FAIL() << "nothing is refused";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("update matrices need a buffer of 3 GB, the "
                                                 "device allows 2 GB"));
  }
}

/// Whether two requests never use the same bytes at the same time.
bool are_apart(const MemoryRequest& a, const Place& p, const MemoryRequest& b, const Place& q) {
  return p.buffer != q.buffer || a.last < b.first || b.last < a.first ||
         p.begin + p.bytes <= q.begin || q.begin + q.bytes <= p.begin;
}

TEST(MemoryPlan, NeverPutsTwoThatLiveAtOnceInOnePlace) {
  EXPECT_TRUE(rc::check([] {
    MemoryPlan plan;
    for (int k = 0; k < 3; ++k) plan.add_buffer("buffer", Tier::kDevice);
    const int count = *rc::gen::inRange(1, 40);
    std::vector<MemoryRequest> requests;
    std::vector<Place> places;
    std::vector<Offset> end(3, 0);
    for (int k = 0; k < count; ++k) {
      MemoryRequest request;
      request.buffer = *rc::gen::inRange<Index>(0, 3);
      request.within = *rc::gen::inRange<Index>(-1, 3);
      request.bytes = *rc::gen::inRange<Offset>(0, 300);
      request.first = *rc::gen::inRange<Index>(0, 6);
      request.last = request.first + *rc::gen::inRange<Index>(0, 4);
      const Place place = plan.add(request);

      RC_ASSERT(place.bytes == request.bytes);
      RC_ASSERT(place.begin % MemoryPlan::kAlignment == 0);
      RC_ASSERT(place.buffer == request.buffer || place.buffer == request.within);
      for (std::size_t other = 0; other < requests.size(); ++other) {
        RC_ASSERT(are_apart(request, place, requests[other], places[other]));
      }
      end[place.buffer] = std::max(end[place.buffer], place.begin + place.bytes);
      requests.push_back(request);
      places.push_back(place);
    }
    for (Index k = 0; k < 3; ++k) RC_ASSERT(plan.bytes(k) == end[k]);
  }));
}

}  // namespace
}  // namespace clchol::numeric
