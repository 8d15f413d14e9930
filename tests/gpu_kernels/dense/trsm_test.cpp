#include "gpu_kernels/dense/trsm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "gpu_kernels/dense/trinv.hpp"
#include "gpu_kernels/reference/trsm.hpp"
#include "tests/gpu_kernels/dense/dense_support.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::HasSubstr;

constexpr Index kTriangleBlock = 16;
constexpr GemmParams kTriangleTiles{.tile_m = 8,
                                    .tile_n = kTriangleBlock,
                                    .tile_k = 4,
                                    .item_m = 2,
                                    .item_n = 2,
                                    .warp_m = 2,
                                    .warp_n = 2,
                                    .vector = 2,
                                    .fragments = 1,
                                    .buffers = 2};

// Well-conditioned triangles: unit diagonals, and entries of order 1 / order below them.
template <class T>
struct Triangles {
  std::vector<LowerTriangle> list;
  TestBuffer<T> l{7};
  Offset num_inverses = 0;

  void append(Index order, Index block, Index padding) {
    const Place place = l.append(order, order, padding, true);
    for (Index j = 0; j < order; ++j) {
      for (Index i = j; i < order; ++i) l.at(place, i, j) /= static_cast<T>(order);
      l.at(place, j, j) += T{2};
    }
    num_inverses += padding;
    list.push_back({.triangle = place.at,
                    .ld = place.ld,
                    .inverses = num_inverses,
                    .order = order,
                    .reserved = 0});
    num_inverses += inverses_size(order, block);
  }
  // NaN for all inverses and the gaps between them.
  std::vector<T> empty_inverses() const {
    return std::vector<T>(static_cast<std::size_t>(num_inverses),
                          std::numeric_limits<T>::quiet_NaN());
  }
  TriangleList lists(Index block) const {
    TriangleList result(block);
    for (const LowerTriangle& triangle : list) result.append(triangle);
    return result;
  }
  TriangleBatch batch(Queue& queue, Index block) const {
    const TriangleList all = lists(block);
    return {queue, all.triangles(), all.blocks()};
  }
};

template <class T>
Triangles<T> triangles_around(Index block) {
  Triangles<T> triangles;
  Index padding = 0;
  for (const Index order : sizes_around(block)) triangles.append(order, block, padding++);
  for (const Index order : {8, 9, 16, 17, 33}) triangles.append(order, block, padding++);
  triangles.append(0, block, 0);
  return triangles;
}

// Bound of the error of sums of `order` terms of order 1, with fma or without.
template <class T>
double tolerance(Index order) {
  return 8 * (order + 2.0) * std::numeric_limits<T>::epsilon();
}

template <class T>
class TrsmTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (sizeof(T) == 8 && !device().description.fp64) GTEST_SKIP() << "the device has no fp64";
  }
  std::vector<T> inverses(Triangles<T>& triangles, Index block) {
    Trinv<T> trinv(programs(), block);
    const auto l = this->on_device(triangles.l.values());
    const auto result = this->on_device(triangles.empty_inverses());
    check_extent<T>(triangles.lists(block).extent(), l, result);
    trinv.run(queue(), triangles.batch(queue(), block), l, result);
    return this->on_host(result);
  }
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(TrsmTest, Reals);

TYPED_TEST(TrsmTest, TrinvAgreesWithTheTwin) {
  using T = TypeParam;
  for (const Index block : {8, 16, 32, 64, 128}) {
    SCOPED_TRACE(block);
    const auto local = static_cast<std::uint64_t>(block) * block * sizeof(T);
    if (local > this->device().description.local_memory_bytes) continue;
    Triangles<T> triangles = triangles_around<T>(block);
    std::vector<T> expected = triangles.empty_inverses();
    for (const LowerTriangle& triangle : triangles.list) {
      reference::trinv<T>(triangle, block, triangles.l.values(), expected);
    }

    const std::vector<T> actual = this->inverses(triangles, block);

    expect_near(actual, expected, tolerance<T>(block));
    EXPECT_TRUE(same_bits(this->inverses(triangles, block), actual));
  }
}

TYPED_TEST(TrsmTest, SolvesAgreeWithTheTwin) {
  using T = TypeParam;
  Triangles<T> triangles = triangles_around<T>(kTriangleBlock);
  TestBuffer<T> x(8);
  std::vector<RightSolve> solves;
  for (Index t = 0; t < static_cast<Index>(triangles.list.size()); ++t) {
    for (const Index m : sizes_around(kTriangleTiles.tile_m)) {
      const Index order = triangles.list[static_cast<std::size_t>(t)].order;
      const Place place = x.append(m, order, (t + m) % 3);
      solves.push_back({.x = place.at, .ldx = place.ld, .m = m, .triangle = t});
    }
  }
  std::vector<T> expected = x.values();
  for (const RightSolve& solve : solves) {
    reference::trsm<T>(solve, triangles.list[static_cast<std::size_t>(solve.triangle)],
                       triangles.l.values(), expected);
  }
  Trsm<T> trsm(this->programs(), kTriangleTiles);
  SolveList list(trsm.rows());
  for (const RightSolve& solve : solves) list.append(solve);
  const SolveBatch batch(this->queue(), list.solves(), list.tiles());
  const auto l = this->on_device(triangles.l.values());
  const auto w = this->on_device(this->inverses(triangles, kTriangleBlock));
  const auto run = [&] {
    const auto on_device = this->on_device(x.values());
    check_extent<T>(extent_of(triangles.lists(kTriangleBlock), list), {l, w, on_device});
    trsm.run(this->queue(), triangles.batch(this->queue(), kTriangleBlock), batch,
             {l, w, on_device});
    return this->on_host(on_device);
  };

  const std::vector<T> actual = run();

  expect_near(actual, expected, tolerance<T>(2 * kTriangleBlock + 3));
  EXPECT_TRUE(same_bits(run(), actual));
}

TYPED_TEST(TrsmTest, BadBlocksAreRefused) {
  for (const Index block : {0, -8, 4, 24, 136, 256}) {
    EXPECT_THAT(message_of<InvalidArgument>([&] { Trinv<TypeParam>(this->programs(), block); }),
                HasSubstr("block = " + std::to_string(block)));
  }
}

TEST(TriangleList, BadSizesAreRefusedByName) {
  const auto triangle = [](const LowerTriangle& bad) {
    return message_of<InvalidArgument>([&] { TriangleList(8).append(bad); });
  };
  const auto solve = [](const RightSolve& bad) {
    return message_of<InvalidArgument>([&] { SolveList(8).append(bad); });
  };
  EXPECT_THAT(triangle({0, 4, 0, -1, 0}), HasSubstr("order >= 0, but order = -1"));
  EXPECT_THAT(triangle({0, 4, 0, 5, 0}), HasSubstr("ld >= order, but ld = 4"));
  EXPECT_THAT(triangle({-2, 4, 0, 4, 0}), HasSubstr("triangle = -2"));
  EXPECT_THAT(triangle({0, 4, -3, 4, 0}), HasSubstr("inverses = -3"));
  EXPECT_THAT(solve({0, 4, -1, 0}), HasSubstr("m >= 0, but m = -1"));
  EXPECT_THAT(solve({0, 4, 5, 0}), HasSubstr("ldx >= m, but ldx = 4"));
  EXPECT_THAT(solve({-1, 4, 4, 0}), HasSubstr("x = -1"));
}

TYPED_TEST(TrsmTest, ViewsThatAreTooSmallAreRefused) {
  using T = TypeParam;
  // L has order 7, begins at entry 3 and has ld 20; its 2 inverses begin at 5; X is 4 x 7, ld 6.
  TriangleList triangles(4);
  triangles.append({.triangle = 3, .ld = 20, .inverses = 5, .order = 7, .reserved = 0});
  SolveList solves(8);
  solves.append({.x = 2, .ldx = 6, .m = 4, .triangle = 0});
  const TrsmExtent extent = extent_of(triangles, solves);
  EXPECT_EQ(extent.triangles.l, 3 + 6 * 20 + 7);
  EXPECT_EQ(extent.triangles.inverses, 5 + 2 * 16);
  EXPECT_EQ(extent.x, 2 + 6 * 6 + 4);

  const DeviceBuffer<T> buffer(this->context(), extent.triangles.l);
  const auto refusal = [&](Offset l, Offset inverses, Offset x) {
    return message_of<InvalidArgument>([&] {
      check_extent<T>(extent, {buffer.part(0, l), buffer.part(0, inverses), buffer.part(0, x)});
    });
  };
  EXPECT_EQ(refusal(130, 37, 42), "none");
  EXPECT_THAT(refusal(129, 37, 42), HasSubstr("L has 129 entries, at least 130 are used"));
  EXPECT_THAT(refusal(130, 36, 42), HasSubstr("inverses has 36 entries, at least 37"));
  EXPECT_THAT(refusal(130, 37, 41), HasSubstr("X has 41 entries, at least 42"));
  const auto trinv_refusal = message_of<InvalidArgument>(
      [&] { check_extent<T>(extent.triangles, buffer.part(0, 129), buffer.part(0, 37)); });
  EXPECT_THAT(trinv_refusal, HasSubstr("L has 129 entries, at least 130"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { extent_of(TriangleList(4), solves); }),
              HasSubstr("a solve is with triangle 0 of 0"));
}

TEST(TrsmReference, SmallCasesByHand) {
  const std::vector<double> l{2, 4, 0, 5};  // L = [2; 4 5].
  const LowerTriangle triangle{0, 2, 0, 2, 0};
  std::vector<double> w(9), x{2, 14};
  reference::trinv<double>(triangle, 3, l, w);
  EXPECT_THAT(w,
              testing::ElementsAre(0.5, testing::DoubleNear(-0.4, 1e-16), 0, 0, 0.2, 0, 0, 0, 1));
  reference::trsm<double>({0, 1, 1, 0}, triangle, l, x);
  EXPECT_THAT(x, testing::ElementsAre(1, 2));
}

}  // namespace
}  // namespace clchol::gpu
