#include "numeric/device/panel_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <random>

#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::numeric {
namespace {

const std::vector<Offset> kSizes{1000, 3000, 20, 4000, 2500, 700};

class PanelStoreTest : public gpu::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    copies_.emplace(context());
  }

  PanelStore<double> store_of(Index first_resident, int threads = 2) {
    PanelStore<double> store(kSizes, panel_places(kSizes, first_resident));
    store.allocate(context(), &*copies_, threads);
    return store;
  }

  /// As a factorization does: every slab is written once, in order.
  void write(PanelStore<double>& store, double value) {
    store.begin_factorization();
    for (Index s = 0; s < store.num_slabs(); ++s) {
      const PanelLease<double> lease = store.acquire(s, PanelAccess::kWrite);
      queue().wait_for(lease.ready);
      gpu::fill<double>(queue(), lease.panels, value + s);
      store.release(lease, queue());
    }
  }
  /// What kernels read of a slab.
  std::vector<double> lent(PanelStore<double>& store, Index slab) {
    const PanelLease<double> lease = store.acquire(slab, PanelAccess::kRead);
    EXPECT_LT(lease.place, store.num_places());
    queue().wait_for(lease.ready);
    const gpu::DeviceBuffer<double> copy(context(), lease.panels.size);
    gpu::copy<double>(queue(), lease.panels, copy);
    store.release(lease, queue());
    return on_host(copy);
  }
  static std::vector<double> expected(Index slab, double value) {
    return std::vector<double>(static_cast<std::size_t>(kSizes[static_cast<std::size_t>(slab)]),
                               value + slab);
  }

 private:
  std::optional<gpu::Queue> copies_;
};

TEST(PanelPlaces, TheLastSlabsStay) {
  const PanelPlaces all = panel_places(kSizes, 0);
  EXPECT_EQ(device_entries(kSizes, all), 11220);
  EXPECT_EQ(host_entries(kSizes, all), 0);
  EXPECT_EQ(all.place_of_resident(5), 5);

  const PanelPlaces half = panel_places(kSizes, 3);
  EXPECT_EQ(device_entries(kSizes, half), 2 * 3000 + 4000 + 2500 + 700);
  EXPECT_EQ(host_entries(kSizes, half), 4020);
  EXPECT_EQ(half.place_of_resident(3), 2);

  const PanelPlaces none = panel_places(kSizes, 6);
  EXPECT_EQ(device_entries(kSizes, none), 2 * 4000);
  EXPECT_EQ(host_entries(kSizes, none), 11220);
}

// Whatever is read, and in whatever order, is what was written last.
TEST_F(PanelStoreTest, LeasesHaveWhatWasWritten) {
  std::mt19937 random(1);
  for (Index first_resident = 0; first_resident <= 6; ++first_resident) {
    SCOPED_TRACE(first_resident);
    PanelStore<double> store = store_of(first_resident, 1 + first_resident % 2);
    for (const double value : {10.0, 20.0, 30.0}) {
      write(store, value);
      for (int k = 0; k < 30; ++k) {
        const auto slab = static_cast<Index>(random() % kSizes.size());
        EXPECT_EQ(lent(store, slab), expected(slab, value));
      }
      const auto slab = static_cast<Index>(random() % kSizes.size());
      EXPECT_EQ(store.read(slab, queue()), expected(slab, value));
    }
  }
}

TEST_F(PanelStoreTest, IsReadAtOnceAfterItWasWritten) {
  PanelStore<double> store = store_of(6);
  for (const double value : {1.0, 2.0}) {
    write(store, value);
    for (Index s = 0; s < store.num_slabs(); ++s) {
      EXPECT_EQ(store.read(s, queue()), expected(s, value));
    }
  }
}

TEST_F(PanelStoreTest, MayGoBeforeItIsUsed) {
  for (int round = 0; round < 20; ++round) static_cast<void>(store_of(6));
}

std::atomic<int> refusals = 0;  // That are left.

cl_mem CL_API_CALL refused_at_first(cl_context context, cl_mem_flags flags, std::size_t size,
                                    void* host, cl_int* code) {
  const bool is_pinned = (flags & CL_MEM_USE_HOST_PTR) != 0;
  if (!is_pinned || --refusals < 0) return clCreateBuffer(context, flags, size, host, code);
  if (code != nullptr) *code = CL_OUT_OF_HOST_MEMORY;
  return nullptr;
}

// Memory that cannot be pinned is told where it is needed, and asked for again.
TEST_F(PanelStoreTest, FailureToPinIsThrown) {
  gpu::ContextCalls calls;
  calls.create_buffer = &refused_at_first;
  const gpu::Context own(device(), calls);
  gpu::Queue user(own), copies(own);
  for (const int threads : {1, 2}) {
    refusals = 4;  // Of three slabs, and of the first one once more.
    PanelStore<double> store(kSizes, panel_places(kSizes, 3));
    store.allocate(own, &copies, threads);
    const auto write = [&](Index slab) {
      const PanelLease<double> lease = store.acquire(slab, PanelAccess::kWrite);
      user.wait_for(lease.ready);
      gpu::fill<double>(user, lease.panels, 3.0);
      store.release(lease, user);
    };
    EXPECT_THROW(write(2), DeviceError);
    EXPECT_EQ(refusals.load(), 0);
    for (Index s = 0; s < store.num_slabs(); ++s) write(s);
    EXPECT_THAT(store.read(0, user), testing::Each(3.0));
  }
}

// Transfers that are under way end before the memory that they write is gone.
TEST_F(PanelStoreTest, MayGoWhileSlabsAreUnderWay) {
  for (int round = 0; round < 20; ++round) {
    PanelStore<double> store = store_of(6);
    write(store, 1);
  }
  queue().finish();
}

// As many slabs as slots: none is brought twice.
TEST_F(PanelStoreTest, SlabsThatAreThereAreNotBroughtAgain) {
  PanelStore<double> store = store_of(6);
  write(store, 1);
  const auto place_of = [&](Index slab) {
    const PanelLease<double> lease = store.acquire(slab, PanelAccess::kRead);
    store.release(lease, queue());
    return lease.place;
  };
  const Index last = place_of(5), before = place_of(4);
  EXPECT_NE(last, before);
  EXPECT_EQ(place_of(5), last);
  EXPECT_EQ(place_of(4), before);
  static_cast<void>(place_of(0));
  EXPECT_EQ(lent(store, 4), expected(4, 1));
  EXPECT_EQ(lent(store, 5), expected(5, 1));
}

}  // namespace
}  // namespace clchol::numeric
