#include "numeric/device/stream/panel_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/gpu_kernels/opencl_support.hpp"
#include "tests/numeric/file/failing_file.hpp"

namespace clchol::numeric {
namespace {

const std::vector<Offset> kSizes{1000, 3000, 20, 4000, 2500, 700};
// Entries of the memory beside each slab that is brought to the ring.
const std::vector<Offset> kBeside{10, 30, 0, 40, 25, 7};

/// A plan in which each group has one slab.  Slabs from `first_resident` on stay on the device,
/// those from `first_apart` on in buffers of their own.  Earlier slabs move to host memory as soon
/// as their group has ended; they take turns at two offsets of the arena.  The update of
/// "supernode" 0 is in host memory until group 4.
/// @param dropped  slab that is dropped instead of moved; kNone: no slab.
StreamPlan plan_of(Index first_resident, Index first_apart, Index dropped = kNone) {
  constexpr Offset kSlot = 4000, kUpdate = 8 * kSlot, kUpdateEntries = 160;
  StreamPlan plan;
  plan.first_resident = first_resident;
  plan.first_apart = first_apart;
  plan.arena = kUpdate + 2 * kUpdateEntries;
  plan.host_shared = kUpdateEntries + 8;
  plan.host_places.assign(kSizes.size(), kNone);
  const auto slabs = static_cast<Index>(kSizes.size());
  plan.waits.resize(kSizes.size());
  plan.transfer_ptr = {0};
  Index left = kNone;  // The update's transfer to the host.
  for (Index s = 0; s < slabs; ++s) {
    const bool is_far = s < first_resident, leaves = is_far && s != dropped;
    plan.solve_order.slabs.push_back(s);
    if (is_far) plan.dropped.push_back(s == dropped);
    if (s < first_apart) plan.panels.push_back((is_far ? s % 2 : s + 2) * kSlot);
    if (is_far && s >= 2 && s - 2 != dropped) plan.waits[s].push_back(plan.transfer_ptr[s - 2]);
    if (leaves) {
      plan.transfers.push_back({StreamTransfer::What::kPanels, true, s, plan.panels[s], 0,
                                kSizes[static_cast<std::size_t>(s)], s});
    }
    if (s == 0 || s == 2) {  // The update moves to the host, and back to another offset.
      plan.transfers.push_back({StreamTransfer::What::kUpdate, s == 0, 0,
                                kUpdate + (s == 0 ? 0 : kUpdateEntries), 8, kUpdateEntries, s});
      if (s == 2) plan.transfers.back().follows = {left};
      left = static_cast<Index>(plan.transfers.size()) - 1;
      if (s == 2) plan.waits[4].push_back(static_cast<Index>(plan.transfers.size()) - 1);
    }
    plan.transfer_ptr.push_back(static_cast<Index>(plan.transfers.size()));
  }
  return plan;
}

class PanelStoreTest : public gpu::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    to_host_.emplace(context());
    to_device_.emplace(context());
  }

  /// @param ring   entries of the ring; 0: enough for any two consecutive slabs.
  /// @param slots  slots through which the first four slabs move to a file; 0: there is no file.
  /// @param wide   the wide panels.
  PanelStore<double> store_of(Index first_resident, int threads = 2, Offset ring = 0,
                              Index dropped = kNone, Index slots = 0, WidePanels wide = {}) {
    const Index apart = std::min<Index>(6, first_resident + 1);
    StreamPlan plan = plan_of(first_resident, apart, dropped);
    if (slots > 0) {
      plan.first_on_host = std::min<Index>(4, first_resident);
      plan.num_file_slots = slots;
      plan.file_chunk = 512 * slots;
    }
    if (arena_.size() == 0) arena_ = gpu::DeviceBuffer<double>(context(), plan.arena);
    PanelStore<double> store(kSizes, plan, std::move(wide));
    store.allocate(context(), arena_, {&*to_host_, &*to_device_}, threads, {"memory", &calls_});
    ring_ = gpu::DeviceBuffer<double>(context(), ring > 0 ? ring : 8000);
    again_ = gpu::DeviceBuffer<double>(context(), 4040);
    store.set_ring(ring_, again_, kBeside);
    return store;
  }

  /// Writes every slab once, in order, as a factorization does.
  void write(PanelStore<double>& store, double value) {
    const gpu::DeviceView<double> update = arena_.part(8 * 4000, 160);
    const gpu::DeviceView<double> brought = arena_.part(8 * 4000 + 160, 160);
    value_ = value;
    store.begin_factorization(queue());
    for (Index s = 0; s < store.num_slabs(); ++s) {
      store.begin_group(s, queue());
      gpu::fill<double>(queue(), store.written(s), value + s);
      gpu::fill<double>(queue(), s == 0 ? update : arena_.part(8 * 4000, 8), -value);
      if (s == 4) {
        const gpu::DeviceBuffer<double> copy(context(), brought.size);
        gpu::copy<double>(queue(), brought, copy);
        EXPECT_THAT(on_host(copy), testing::Each(-value));
      }
      store.end_group(s, queue());
    }
    store.end_factorization(queue());
  }
  /// The entries of a slab that kernels would read.
  std::vector<double> lent(PanelStore<double>& store, Index slab) {
    const PanelLease<double> lease = store.acquire(slab);
    queue().wait_for(lease.ready);
    EXPECT_EQ(lease.is_empty, lease.is_new && store.is_dropped(slab));
    if (lease.is_empty) gpu::fill<double>(queue(), lease.panels, value_ + slab);
    const gpu::DeviceBuffer<double> copy(context(), lease.panels.size);
    gpu::copy<double>(queue(), lease.panels, copy);
    if (!store.is_resident(slab)) {
      EXPECT_EQ(lease.beside.size, kBeside[static_cast<std::size_t>(slab)]);
      // Values made beside a slab are kept until another slab takes its place.
      const auto made = static_cast<double>(slab) / 2;
      if (lease.is_new) {
        gpu::fill<double>(queue(), lease.beside, made);
      } else if (lease.beside.size > 0) {
        const gpu::DeviceBuffer<double> beside(context(), lease.beside.size);
        gpu::copy<double>(queue(), lease.beside, beside);
        EXPECT_THAT(on_host(beside), testing::Each(made));
      }
    }
    store.release(lease, queue());
    return on_host(copy);
  }
  static std::vector<double> expected(Index slab, double value) {
    return std::vector<double>(static_cast<std::size_t>(kSizes[static_cast<std::size_t>(slab)]),
                               value + slab);
  }

  gpu::DeviceBuffer<double> arena_, ring_;

 private:
  test::FailingFile file_;
  const FileCalls calls_ = file_.calls();
  std::optional<gpu::Queue> to_host_, to_device_;
  gpu::DeviceBuffer<double> again_;
  double value_ = 0;  // The value of the last write().
};

// Leases show the values that were written last, in any order of reading.  A ring with room for a
// single slab works too, and so does a file.
TEST_F(PanelStoreTest, LeasesHaveWhatWasWritten) {
  struct Way {
    Offset ring;
    Index dropped, slots;
  };
  std::mt19937 random(1);
  for (Index first_resident = 0; first_resident <= 6; ++first_resident) {
    for (const auto& [ring, dropped, slots] :
         {Way{0, kNone, 0}, {4040, kNone, 0}, {0, 1, 0}, {4040, 0, 0}, {0, kNone, 2}, {0, 1, 1}}) {
      SCOPED_TRACE(testing::Message() << first_resident << ", " << slots << " slots");
      PanelStore<double> store =
          store_of(first_resident, 1 + first_resident % 2, ring, dropped, slots);
      for (const double value : {10.0, 20.0, 30.0}) {
        write(store, value);
        // The announced order may be right, wrong or incomplete.
        store.will_acquire({0, 1, 3, 2, 5});
        for (int k = 0; k < 30; ++k) {
          const auto slab = static_cast<Index>(random() % kSizes.size());
          EXPECT_EQ(lent(store, slab), expected(slab, value));
        }
        const auto slab = static_cast<Index>(random() % kSizes.size());
        if (store.is_dropped(slab)) continue;
        EXPECT_EQ(store.read(slab, queue()), expected(slab, value));
      }
    }
  }
}

// In slab 3 there are 100 entries, a wide panel of 35 columns of 100 rows, and 400 entries.
TEST_F(PanelStoreTest, LeavesOutWhatIsAboveTheDiagonalsOfWidePanels) {
  constexpr Index kSlab = 3, kBlock = 10, kColumns = 35;
  constexpr Offset kRows = 100;
  WidePanels wide{.block = kBlock, .slabs = std::vector<std::vector<WidePanel>>(kSizes.size())};
  wide.slabs[kSlab] = {{.begin = 100, .ld = kRows, .ncol = kColumns}};
  const auto is_moved = [](Offset k) {
    const Offset row = (k - 100) % kRows, column = (k - 100) / kRows;
    return k < 100 || column >= kColumns || row >= column / kBlock * kBlock;
  };
  PanelStore<double> store = store_of(6, 2, 0, kNone, 0, wide);
  write(store, 10.0);
  constexpr double kPoison = -1e300;
  gpu::fill<double>(queue(), arena_, kPoison);
  gpu::fill<double>(queue(), ring_, kPoison);
  queue().finish();

  const std::vector<double> host = store.read(kSlab, queue()), device = lent(store, kSlab);

  for (Offset k = 0; k < std::ssize(host); ++k) {
    ASSERT_EQ(host[static_cast<std::size_t>(k)], is_moved(k) ? 10.0 + kSlab : 0.0) << k;
    ASSERT_EQ(device[static_cast<std::size_t>(k)], is_moved(k) ? 10.0 + kSlab : kPoison) << k;
  }
  EXPECT_EQ(lent(store, kSlab + 1), expected(kSlab + 1, 10.0));
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

cl_mem CL_API_CALL never_pinned(cl_context context, cl_mem_flags flags, std::size_t size,
                                void* host, cl_int* code) {
  const bool is_pinned = (flags & CL_MEM_USE_HOST_PTR) != 0;
  if (!is_pinned) return clCreateBuffer(context, flags, size, host, code);
  if (code != nullptr) *code = CL_OUT_OF_HOST_MEMORY;
  return nullptr;
}

// If the driver refuses to pin memory, the store uses it unpinned and reports that.
TEST_F(PanelStoreTest, PinningMayBeRefused) {
  for (const bool is_refused : {false, true}) {
    gpu::ContextCalls calls;
    if (is_refused) calls.create_buffer = &never_pinned;
    const gpu::Context own(device(), calls);
    gpu::Queue user(own), to_host(own), to_device(own);
    for (const int threads : {1, 2}) {
      const StreamPlan plan = plan_of(3, 6);
      const gpu::DeviceBuffer<double> arena(own, plan.arena);
      PanelStore<double> store(kSizes, plan);
      store.allocate(own, arena, {&to_host, &to_device}, threads);
      store.begin_factorization(user);
      for (Index s = 0; s < store.num_slabs(); ++s) {
        store.begin_group(s, user);
        gpu::fill<double>(user, store.written(s), 3.0);
        store.end_group(s, user);
      }
      store.end_factorization(user);
      EXPECT_THAT(store.read(0, user), testing::Each(3.0));
      const char* const expected = is_refused ? "CL_OUT_OF_HOST_MEMORY" : "";
      EXPECT_THAT(store.pin_refusal(), testing::HasSubstr(expected));
      EXPECT_EQ(store.pin_refusal().empty(), !is_refused);
    }
  }
}

// Bytes of each OpenCL buffer over host memory, in the order in which the buffers were made.
std::vector<std::size_t> pinned_bytes;

cl_mem CL_API_CALL recorded_pins(cl_context context, cl_mem_flags flags, std::size_t size,
                                 void* host, cl_int* code) {
  if ((flags & CL_MEM_USE_HOST_PTR) != 0) pinned_bytes.push_back(size);
  return clCreateBuffer(context, flags, size, host, code);
}

// The first factorization waits least: update matrices leave after the first group, so their memory
// is pinned before that of the other slabs.
TEST_F(PanelStoreTest, MemoryIsPinnedInTheOrderOfItsFirstUse) {
  gpu::ContextCalls calls;
  calls.create_buffer = &recorded_pins;
  const gpu::Context own(device(), calls);
  gpu::Queue to_host(own), to_device(own);
  const StreamPlan plan = plan_of(4, 6, 1);  // Slab 1 is dropped.
  const gpu::DeviceBuffer<double> arena(own, plan.arena);
  for (const int threads : {1, 2}) {
    pinned_bytes.clear();
    {
      PanelStore<double> store(kSizes, plan);
      store.allocate(own, arena, {&to_host, &to_device}, threads);
      EXPECT_EQ(store.pin_refusal(), "");
      static_cast<void>(store.read(3, to_host));  // Waits until the last slab is pinned.
    }
    const auto bytes = [](Offset entries) { return static_cast<std::size_t>(entries) * 8; };
    EXPECT_THAT(pinned_bytes, testing::ElementsAre(bytes(kSizes[0]), bytes(plan.host_shared),
                                                   bytes(kSizes[2]), bytes(kSizes[3])))
        << threads;
  }
}

// Transfers under way end before the memory that they write is released.
TEST_F(PanelStoreTest, MayGoWhileSlabsAreUnderWay) {
  for (int round = 0; round < 20; ++round) {
    PanelStore<double> store = store_of(6);
    write(store, 1);
  }
  queue().finish();
}

// The last two slabs are still in the ring and are not uploaded again.
TEST_F(PanelStoreTest, SlabsThatAreThereAreNotBroughtAgain) {
  PanelStore<double> store = store_of(6);
  write(store, 1);
  const auto comes = [&](Index slab) {
    const PanelLease<double> lease = store.acquire(slab);
    store.release(lease, queue());
    return lease.is_new;
  };
  EXPECT_TRUE(comes(4));
  EXPECT_TRUE(comes(5));
  EXPECT_FALSE(comes(5));
  EXPECT_FALSE(comes(4));
  EXPECT_TRUE(comes(0));
  EXPECT_FALSE(comes(5));
  EXPECT_TRUE(comes(4));
  write(store, 2);
  EXPECT_TRUE(comes(5));
}

}  // namespace
}  // namespace clchol::numeric
