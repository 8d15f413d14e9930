#include "numeric/device/stream/list_ring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::numeric {
namespace {

class ListRingTest : public gpu::OpenClTest {
 protected:
  /// Bytes of a group's lists: no two groups have equal ones.
  static std::vector<std::byte> lists_of(Index group, Offset size) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      bytes[k] = static_cast<std::byte>(static_cast<std::size_t>(group) * 31 + k * k % 251);
    }
    return bytes;
  }

  void fill(ListRing& ring, const std::vector<Offset>& sizes) {
    ring.allocate(copies_.emplace(context()), 2);
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      const auto group = static_cast<Index>(g);
      std::ranges::copy(lists_of(group, sizes[g]), ring.lists(group).begin());
    }
  }
  /// A pass over groups, whose "kernels" copy their lists to memory of their own.
  /// @param skips  Every skips-th group of the pass is left out.  0: no group.
  void expect_pass(ListRing& ring, const std::vector<Offset>& sizes,
                   const std::vector<Index>& groups, std::size_t skips = 0) {
    std::vector<gpu::DeviceBuffer<std::byte>> read(groups.size());
    ring.begin(groups, queue());
    const auto is_read = [&](std::size_t k) {
      return sizes[static_cast<std::size_t>(groups[k])] > 0 && (skips == 0 || k % skips != 0);
    };
    for (std::size_t k = 0; k < groups.size(); ++k) {
      if (!is_read(k)) continue;
      const Index g = groups[k];
      EXPECT_TRUE(ring.is_ahead(g));
      read[k] = {context(), sizes[static_cast<std::size_t>(g)]};
      const gpu::DeviceView<std::byte> lists = ring.acquire(g, queue());
      EXPECT_FALSE(ring.is_ahead(g));
      EXPECT_EQ(lists.offset % gpu::kRoomAlignment, 0);
      EXPECT_LE(lists.offset + lists.size, ring.device_bytes());
      gpu::copy<std::byte>(queue(), lists, read[k]);
      ring.release(g, queue());
    }
    for (std::size_t k = 0; k < groups.size(); ++k) {
      if (!is_read(k)) continue;
      const Index g = groups[k];
      ASSERT_EQ(on_host(read[k]), lists_of(g, sizes[static_cast<std::size_t>(g)])) << g;
    }
  }
  /// The groups [first, end).
  static std::vector<Index> range(Index first, Index end) {
    std::vector<Index> groups(static_cast<std::size_t>(end - first));
    std::iota(groups.begin(), groups.end(), first);
    return groups;
  }

 private:
  std::optional<gpu::Queue> copies_;
};

TEST_F(ListRingTest, EachGroupReadsItsLists) {
  std::mt19937 random(7);
  std::uniform_int_distribution<Offset> small(0, 900), large(5000, 20000);
  for (const Offset capacity : {0, 1000, 30000, 10000000}) {
    std::vector<Offset> sizes;
    for (int g = 0; g < 60; ++g) sizes.push_back(g % 11 == 5 ? large(random) : small(random));
    sizes[20] = sizes[21] = sizes.front() = sizes.back() = 0;
    ListRing ring(sizes, capacity);
    fill(ring, sizes);
    expect_pass(ring, sizes, range(0, 60));
    expect_pass(ring, sizes, range(0, 60));
    // Passes over parts, as when dropped slabs are factored again: in any order.
    for (const Index first : {40, 10, 30, 0, 55}) {
      expect_pass(ring, sizes, range(first, first + 5));
      EXPECT_FALSE(ring.is_ahead((first + 20) % 60));
    }
    std::vector<Index> groups = range(0, 60);
    for (const std::size_t skips : {0, 1, 2, 3}) {
      std::ranges::shuffle(groups, random);
      expect_pass(ring, sizes, groups, skips);
    }
  }
}

// The lists of the next group are uploaded while kernels read those of the group before: in a ring
// of the least size, too, where the lists take turns at its ends.
TEST_F(ListRingTest, ListsOfConsecutiveGroupsLieApart) {
  std::mt19937 random(11);
  for (const Offset least : {1, 500, 900}) {
    std::uniform_int_distribution<Offset> size(least, 1000);
    std::vector<Offset> sizes(40);
    std::ranges::generate(sizes, [&] { return size(random); });
    ListRing ring(sizes, 0);
    fill(ring, sizes);
    ring.begin(range(0, 40), queue());
    gpu::DeviceView<std::byte> before;
    for (Index g = 0; g < 40; ++g) {
      const gpu::DeviceView<std::byte> lists = ring.acquire(g, queue());
      ring.release(g, queue());
      const bool lies_apart =
          lists.offset >= before.offset + before.size || before.offset >= lists.offset + lists.size;
      EXPECT_TRUE(g == 0 || lies_apart) << g;
      before = lists;
    }
  }
}

TEST_F(ListRingTest, CapacityAndBytes) {
  const ListRing two({100, 700, 300}, 0);  // Room for the largest lists twice: 960 bytes each.
  EXPECT_EQ(two.device_bytes(), 320 + 960 + 320);  // All lists take less.
  EXPECT_EQ(two.host_bytes(), 320 + 960 + 320);
  const ListRing more({320, 640, 320, 640, 320, 640}, 0);
  EXPECT_EQ(more.device_bytes(), 2 * 640);
  EXPECT_EQ(more.host_bytes(), 3 * 960);
  EXPECT_EQ(ListRing({320, 640, 320, 640, 320, 640}, 1500).device_bytes(), 1600);
}

// A pass that an error has ended leaves nothing behind that the next one waits for.
TEST_F(ListRingTest, APassMayEndEarly) {
  const std::vector<Offset> sizes(20, 4000);
  ListRing ring(sizes, 9000);
  fill(ring, sizes);
  for (const Index stop : {0, 3, 7}) {
    ring.begin(range(0, 20), queue());
    for (Index g = 0; g <= stop; ++g) {
      ring.acquire(g, queue());
      if (g < stop) ring.release(g, queue());
    }
    expect_pass(ring, sizes, range(0, 20));
  }
}

cl_mem CL_API_CALL never_pinned_lists(cl_context context, cl_mem_flags flags, std::size_t size,
                                      void* host, cl_int* code) {
  if ((flags & CL_MEM_USE_HOST_PTR) == 0) return clCreateBuffer(context, flags, size, host, code);
  if (code != nullptr) *code = CL_OUT_OF_HOST_MEMORY;
  return nullptr;
}

TEST_F(ListRingTest, PinningMayBeRefused) {
  gpu::ContextCalls calls;
  calls.create_buffer = &never_pinned_lists;
  const gpu::Context own(device(), calls);
  gpu::Queue user(own), copies(own);
  ListRing ring({400, 800, 400}, 0);
  ring.allocate(copies, 1);
  for (Index g = 0; g < 3; ++g) std::ranges::fill(ring.lists(g), static_cast<std::byte>(g + 1));
  ring.begin({0, 1, 2}, user);
  for (Index g = 0; g < 3; ++g) {
    const gpu::DeviceView<std::byte> lists = ring.acquire(g, user);
    std::vector<std::byte> read(static_cast<std::size_t>(lists.size));
    gpu::download<std::byte>(user, lists, read);
    EXPECT_THAT(read, testing::Each(static_cast<std::byte>(g + 1)));
    ring.release(g, user);
  }
}

}  // namespace
}  // namespace clchol::numeric
