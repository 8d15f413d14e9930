#include "tests/gpu_kernels/emulated/ptx_emulator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace clchol::emulated {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// The message of the error that stops the run; "none" without an error.
std::string failure(const Launch& launch, const std::function<void()>& kernel) {
  try {
    run(launch, kernel);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

int item() { return static_cast<int>(get_local_id(0)); }
int group() { return static_cast<int>(get_group_id(0)); }

// ---- Matrix products ----------------------------------------------------------------------------

// A row-major matrix of small integers: products are exact in any order.
using Matrix = std::vector<double>;

Matrix integers(int size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> uniform(-9, 9);
  Matrix values(static_cast<std::size_t>(size));
  for (double& value : values) value = uniform(random);
  return values;
}

double& at(Matrix& m, int columns, int i, int j) {
  return m[static_cast<std::size_t>(i * columns + j)];
}

struct MmaShape {
  int m, k;
  void (*mma)(double*, const double*, const double*);
};

class Mma : public testing::TestWithParam<MmaShape> {};

// Fragments are those of the tables in the ISA manual, entry by entry.
TEST_P(Mma, IsTheProductOfItsFragments) {
  const auto [m, k, mma] = GetParam();
  Matrix A = integers(m * k, 1), B = integers(k * 8, 2), C = integers(m * 8, 3);
  Matrix expected = C;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < 8; ++j) {
      for (int p = 0; p < k; ++p) at(expected, 8, i, j) += at(A, k, i, p) * at(B, 8, p, j);
    }
  }

  run({.items = 32}, [&, m = m, k = k, mma = mma] {
    const int group_id = item() >> 2, thread_in_group = item() % 4;
    std::array<double, 8> a{};
    std::array<double, 4> b{}, c{};
    for (int i = 0; i < m * k / 32; ++i) {
      const int row = m == 16 && i % 2 == 1 ? group_id + 8 : group_id;
      const int column = m == 16 ? thread_in_group + i / 2 * 4 : thread_in_group;
      a[static_cast<std::size_t>(i)] = at(A, k, row, column);
    }
    for (int i = 0; i < k / 4; ++i) {
      b[static_cast<std::size_t>(i)] = at(B, 8, thread_in_group + 4 * i, group_id);
    }
    for (int i = 0; i < m / 4; ++i) {
      const int row = i < 2 ? group_id : group_id + 8;
      c[static_cast<std::size_t>(i)] = at(C, 8, row, thread_in_group * 2 + (i & 1));
    }
    mma(c.data(), a.data(), b.data());
    warp_barrier();
    for (int i = 0; i < m / 4; ++i) {
      const int row = i < 2 ? group_id : group_id + 8;
      at(C, 8, row, thread_in_group * 2 + (i & 1)) = c[static_cast<std::size_t>(i)];
    }
  });

  EXPECT_EQ(C, expected);
}
INSTANTIATE_TEST_SUITE_P(Shapes, Mma,
                         testing::Values(MmaShape{8, 4, mma_m8n8k4}, MmaShape{16, 4, mma_m16n8k4},
                                         MmaShape{16, 8, mma_m16n8k8},
                                         MmaShape{16, 16, mma_m16n8k16}),
                         [](const auto& info) {
                           return "M" + std::to_string(info.param.m) + "K" +
                                  std::to_string(info.param.k);
                         });

// ---- Warps --------------------------------------------------------------------------------------

TEST(PtxEmulator, LanesSeeTheirOwnWarp) {
  std::vector<double> shuffled(64);
  std::vector<int> least(64);

  run({.items = 64, .seed = 5}, [&] {
    const auto i = static_cast<std::size_t>(item());
    shuffled[i] = shuffle(item(), (item() + 1) % 32);
    least[i] = warp_min(100 - item());
  });

  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(shuffled[i], static_cast<double>(i / 32 * 32 + (i + 1) % 32));
    EXPECT_EQ(least[i], i < 32 ? 69 : 37);
  }
}

// ---- Barriers -----------------------------------------------------------------------------------

// In every round each work-item reads the value that the work-item before it wrote.
void pass_around(std::vector<int>& values, const std::function<void()>& wait) {
  const std::size_t n = values.size(), i = get_local_id(0) % n;
  for (int round = 0; round < 5; ++round) {
    const int before = values[(i + n - 1) % n];
    wait();
    values[i] = before + 1;
    wait();
  }
}

TEST(PtxEmulator, BarriersOrderWhatTheyShould) {
  for (const unsigned seed : {0U, 1U, 2U}) {
    std::vector<int> values(128);

    run({.items = 128, .seed = seed},
        [&] { pass_around(values, [] { barrier(CLK_LOCAL_MEM_FENCE); }); });

    EXPECT_THAT(values, Each(5));
  }
}

TEST(PtxEmulator, NamedBarriersHoldTheirWorkItemsAlone) {
  std::vector<int> first(32), second(64);

  run({.items = 96, .seed = 3}, [&] {
    if (item() < 32) {
      pass_around(first, [] { named_barrier(1, 32); });
    } else {
      pass_around(second, [] { named_barrier(2, 64); });
    }
  });

  EXPECT_THAT(first, Each(5));
  EXPECT_THAT(second, Each(5));
}

TEST(PtxEmulator, WhoArrivesAtABarrierGoesOn) {
  std::vector<int> order;

  // If arriving waited, each warp would wait for the other.
  run({.items = 64}, [&] {
    if (item() < 32) {
      named_arrive(1, 64);
      named_barrier(2, 64);
      if (item() == 0) order.push_back(2);
    } else {
      named_barrier(1, 64);
      if (item() == 32) order.push_back(1);
      named_arrive(2, 64);
    }
  });

  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST(PtxEmulator, BarrierThatAWorkItemMissesIsAnError) {
  EXPECT_THAT(failure({.items = 64},
                      [] {
                        if (item() != 40) barrier(CLK_LOCAL_MEM_FENCE);
                      }),
              HasSubstr("a barrier that not all of its work-items reach"));
}

// ---- Local memory and copies --------------------------------------------------------------------

TEST(PtxEmulator, LocalMemoryIsTheGroupsOwnAndBeginsUndefined) {
  std::vector<double> before(3), after(3);

  run({.work_groups = 3, .items = 32, .alive = 3}, [&] {
    LOCAL_ARRAY(double, room, 4);
    const auto g = static_cast<std::size_t>(group());
    if (item() == 0) before[g] = room[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item() == 7) room[1] = group();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item() == 31) after[g] = room[1];
  });

  EXPECT_THAT(before, Each(testing::IsNan()));
  EXPECT_THAT(after, testing::ElementsAre(0, 1, 2));
}

// The values at the two targets of asynchronous copies that work-item 0 reads: after starting the
// copies, when at most one copy may be pending, and when no copy may be pending.
std::array<std::array<double, 2>, 3> seen_copies(Copies copies) {
  alignas(16) const std::array<double, 4> from{1, 2, 3, 4};
  std::array<std::array<double, 2>, 3> seen{};
  run({.items = 32, .copies = copies}, [&] {
    LOCAL_ARRAY(double, room, 4);
    if (item() != 0) return;
    for (int i = 0; i < 2; ++i) {
      copy_async_16(local_address(room + 2 * i), from.data() + 2 * i, 1);
      copy_commit();
    }
    seen[0] = {room[1], room[3]};
    COPY_WAIT(1);
    seen[1] = {room[1], room[3]};
    COPY_WAIT(0);
    seen[2] = {room[1], room[3]};
  });
  return seen;
}

TEST(PtxEmulator, LateCopiesHappenWhenTheyAreWaitedFor) {
  const auto seen = seen_copies(Copies::kLate);

  EXPECT_THAT(seen[0], Each(testing::IsNan()));
  EXPECT_EQ(seen[1][0], 2);
  EXPECT_TRUE(std::isnan(seen[1][1]));
  EXPECT_THAT(seen[2], testing::ElementsAre(2, 4));
}

TEST(PtxEmulator, CopiesAtOnceHappenWhenTheyAreStarted) {
  for (const auto& both : seen_copies(Copies::kAtOnce)) {
    EXPECT_THAT(both, testing::ElementsAre(2, 4));
  }
}

TEST(PtxEmulator, CopyOfWhatLiesOutsideIsZero) {
  std::array<double, 3> seen{};

  run({.items = 32}, [&] {
    LOCAL_ARRAY(double, room, 4);
    if (item() != 0) return;
    copy_async_16(local_address(room), nullptr, 0);
    copy_async_8(local_address(room + 2), nullptr, 0);
    copy_commit();
    COPY_WAIT(0);
    seen = {room[0], room[1], room[2]};
  });

  EXPECT_THAT(seen, Each(0.0));
}

// Two warps copy their parts and all work-items wait for both copies, repeatedly into the same
// memory.
void copy_in_bulk(const std::vector<double>& from, std::vector<double>& to) {
  LOCAL_ARRAY(double, room, 8);
  LOCAL_ARRAY(BulkBarrier, barriers, 2);
  BulkBarrier *const arrived = barriers, *const used = barriers + 1;
  if (item() == 0) {
    bulk_init(arrived, 2);
    bulk_init(used, 64);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int round = 0; round < 3; ++round) {
    bulk_wait(used, round % 2 == 0 ? 1 : 0);
    if (elected() != 0) {
      const int part = item() / 32 * 4;
      bulk_expect(arrived, 4 * static_cast<int>(sizeof(double)));
      bulk_copy(local_address(room + part), from.data() + 8 * round + part,
                4 * static_cast<int>(sizeof(double)), arrived);
    }
    bulk_wait(arrived, round % 2);
    if (item() < 8) to[static_cast<std::size_t>(8 * round + item())] = room[item()];
    bulk_arrive(used);
  }
}

TEST(PtxEmulator, BulkCopiesAreThereWhenTheirBarrierOpens) {
  std::vector<double> from(24);
  std::iota(from.begin(), from.end(), 1.0);
  for (const Copies copies : {Copies::kAtOnce, Copies::kLate}) {
    for (const unsigned seed : {0U, 3U}) {
      std::vector<double> to(24, -1);
      run({.work_groups = 1, .items = 64, .copies = copies, .seed = seed},
          [&] { copy_in_bulk(from, to); });
      EXPECT_EQ(to, from);
    }
  }
}

TEST(PtxEmulator, WrongBulkCopiesAreErrors) {
  alignas(16) static std::array<double, 4> values{};
  const auto wrong = [](int from, int bytes) {
    return failure({.items = 32}, [=] {
      LOCAL_ARRAY(double, room, 4);
      LOCAL_ARRAY(BulkBarrier, arrived, 1);
      if (item() != 0) return;
      bulk_init(arrived, 1);
      bulk_expect(arrived, bytes);
      bulk_copy(local_address(room), values.data() + from, bytes, arrived);
    });
  };
  EXPECT_EQ(wrong(2, 16), "none");
  EXPECT_THAT(wrong(1, 16), HasSubstr("misaligned"));
  EXPECT_THAT(wrong(0, 8), HasSubstr("odd bytes"));
  EXPECT_THAT(failure({.items = 32},
                      [] {
                        LOCAL_ARRAY(BulkBarrier, arrived, 1);
                        bulk_expect(arrived, 0);
                      }),
              HasSubstr("nobody made"));
}

TEST(PtxEmulator, MisalignedCopyIsAnError) {
  alignas(16) const std::array<double, 4> from{};
  const auto copy = [&](int to, int begin) {
    return failure({.items = 32}, [&] {
      LOCAL_ARRAY(double, room, 4);
      copy_async_16(local_address(room + to), from.data() + begin, 1);
    });
  };

  EXPECT_EQ(copy(0, 2), "none");
  EXPECT_THAT(copy(1, 0), HasSubstr("to a misaligned address"));
  EXPECT_THAT(copy(0, 1), HasSubstr("from a misaligned address"));
}

// ---- Several work-groups ------------------------------------------------------------------------

// Work-groups wait for their turns: the k-th turn is that of work-group order[k].
std::string run_in_order(int alive, const std::vector<int>& order) {
  int turn = 0;
  std::vector<int> done;
  const int groups = static_cast<int>(order.size());
  std::string error = failure({.work_groups = groups, .items = 32, .alive = alive}, [&] {
    if (item() == 0) {
      while (order[static_cast<std::size_t>(load_acquire(&turn))] != group()) pause_briefly();
      done.push_back(group());
      if (turn + 1 < groups) store_release(&turn, turn + 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  });
  return error == "none" && done != order ? "order" : error;
}

TEST(PtxEmulator, GroupsThatAreAliveWaitForEachOther) {
  EXPECT_EQ(run_in_order(1, {0, 1, 2, 3}), "none");
  EXPECT_EQ(run_in_order(2, {1, 0, 2, 3}), "none");
  EXPECT_EQ(run_in_order(4, {3, 2, 1, 0}), "none");
}

TEST(PtxEmulator, WaitForAGroupThatCannotStartIsAnError) {
  EXPECT_THAT(run_in_order(2, {2, 0, 1, 3}), HasSubstr("a wait that nobody ends"));
}

TEST(PtxEmulator, TicketsAreDrawnOnce) {
  int tickets = 0;
  std::vector<int> drawn(40);

  run({.work_groups = 5, .items = 32, .alive = 3, .seed = 9}, [&] {
    LOCAL_ARRAY(int, ticket, 1);
    for (;;) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item() == 0) ticket[0] = atomic_inc(&tickets);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (ticket[0] >= 40) return;
      if (item() == 5) ++drawn[static_cast<std::size_t>(ticket[0])];
    }
  });

  EXPECT_THAT(drawn, Each(1));
}

}  // namespace
}  // namespace clchol::emulated
