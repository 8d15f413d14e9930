// Devices, contexts, queues, buffers and events, on a real device (PoCL).
#include "gpu_kernels/runtime/queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "gpu_kernels/devices/device_choice.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<double> counting(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

class DeviceTest : public OpenClTest {};

TEST_F(DeviceTest, IsWhatTheListSays) {
  const DeviceList list = list_devices();
  const DeviceDescription& listed = device_at(list, device().description.flat_index);

  EXPECT_EQ(device().name(), listed.name);
  EXPECT_EQ(device().description.max_allocation_bytes, listed.max_allocation_bytes);
}

TEST_F(DeviceTest, KnowsLimitsThatKernelsNeed) {
  EXPECT_GE(device().max_work_item_sizes[0], 1U);
  EXPECT_GT(device().base_alignment_bytes, 0U);
  EXPECT_TRUE(device().has_extension("cl_khr_global_int32_base_atomics"));
  EXPECT_FALSE(device().has_extension("cl_khr"));
}

TEST_F(DeviceTest, CallersHandleGivesTheSameDevice) {
  const Device same = device_of(device().id);

  EXPECT_EQ(same.name(), device().name());
  EXPECT_EQ(same.platform, device().platform);
  EXPECT_EQ(same.description.flat_index, kNone);
}

TEST_F(DeviceTest, DeviceThatIsGoneIsAnError) {
  DeviceDescription listed = device().description;
  listed.index = 99;

  EXPECT_THAT(message_of<DeviceError>([&] { open_device(listed); }),
              HasSubstr("not there any more"));
}

TEST_F(DeviceTest, DeviceThatDidNotAnswerIsAnError) {
  DeviceDescription listed = device().description;
  listed.error = "clGetDeviceInfo failed: no answer";

  EXPECT_EQ(message_of<DeviceError>([&] { open_device(listed); }), listed.error);
}

class ContextTest : public OpenClTest {};

TEST_F(ContextTest, CallersContextIsRetainedAndReleased) {
  const auto references = [this] {
    cl_uint count = 0;
    check(clGetContextInfo(context().get(), CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count,
                           nullptr),
          "clGetContextInfo");
    return count;
  };
  const cl_uint before = references();
  {
    const Context shared(device(), context().get());
    EXPECT_EQ(shared.get(), context().get());
    EXPECT_EQ(references(), before + 1);
  }
  EXPECT_EQ(references(), before);
}

TEST_F(ContextTest, ContextOfAnotherDeviceIsRefused) {
  Device other = device();
  other.id = nullptr;

  EXPECT_THAT(message_of<InvalidArgument>([&] { Context(other, context().get()); }),
              HasSubstr("not one of its 1"));
}

class QueueTest : public OpenClTest {};

TEST_F(QueueTest, CallersQueueIsTaken) {
  Queue shared(context(), queue().get(), "callers");

  EXPECT_EQ(shared.get(), queue().get());
  EXPECT_TRUE(shared.profiling());
}

TEST_F(QueueTest, CallersOutOfOrderQueueIsRefused) {
  cl_int code = CL_SUCCESS;
  const Handle<cl_command_queue> out_of_order(clCreateCommandQueue(
      context().get(), device().id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code));
  if (code != CL_SUCCESS) GTEST_SKIP() << "the device has no out-of-order queues";

  EXPECT_THAT(message_of<InvalidArgument>([&] { Queue(context(), out_of_order.get()); }),
              HasSubstr("out of order"));
}

TEST_F(QueueTest, QueueOfAnotherContextIsRefused) {
  const Context other(device());

  EXPECT_THAT(message_of<InvalidArgument>([&] { Queue(other, queue().get()); }),
              HasSubstr("another context"));
}

TEST_F(QueueTest, EventsKnowTheirTimes) {
  const DeviceBuffer<double> buffer(context(), 1000);
  const Event event = fill<double>(queue(), buffer, 1.0);
  event.wait();

  const EventTimes times = event.times();

  EXPECT_LE(times.queued, times.submit);
  EXPECT_LE(times.submit, times.start);
  EXPECT_LE(times.start, times.end);
  EXPECT_GT(times.end, 0U);
}

TEST_F(QueueTest, TimesWithoutProfilingAreAnError) {
  Queue plain(context());
  const DeviceBuffer<double> buffer(context(), 10);
  const Event event = fill<double>(plain, buffer, 1.0);
  event.wait();

  EXPECT_THAT(message_of<DeviceError>([&] { event.times(); }),
              HasSubstr("CL_PROFILING_INFO_NOT_AVAILABLE"));
}

TEST_F(QueueTest, LogHoldsWhatRanInOrder) {
  EventLog log;
  queue().set_log(&log);
  const DeviceBuffer<double> a(context(), 10), b(context(), 10);
  fill<double>(queue(), a, 1.0);
  copy<double>(queue(), a, b);
  on_host(b);
  queue().set_log(nullptr);
  on_host(a);

  const std::vector<LoggedEvent> logged = log.take();

  ASSERT_EQ(logged.size(), 3U);
  EXPECT_EQ(logged[0].name, "fill");
  EXPECT_EQ(logged[1].name, "copy");
  EXPECT_EQ(logged[2].name, "download");
  EXPECT_EQ(logged[2].queue, "test");
  for (const LoggedEvent& transfer : logged) EXPECT_EQ(transfer.bytes, 80U) << transfer.name;
  EXPECT_GE(logged[2].times.start, logged[1].times.end);
  EXPECT_TRUE(log.take().empty());
}

TEST_F(QueueTest, LogWithoutProfilingIsRefused) {
  Queue plain(context(), QueueOptions{.name = "plain"});
  EventLog log;

  EXPECT_THAT(message_of<InvalidArgument>([&] { plain.set_log(&log); }), HasSubstr("'plain'"));
}

TEST_F(QueueTest, OneQueueWaitsForAnother) {
  Queue second(context());
  const DeviceBuffer<double> buffer(context(), 100'000);
  const Event filled = fill<double>(queue(), buffer, 3.0);
  queue().flush();

  second.wait_for(filled);
  std::vector<double> values(100'000);
  download<double>(second, buffer, values);

  EXPECT_THAT(values, Each(3.0));
}

TEST_F(QueueTest, MarkerIsCompleteAfterWhatCameBefore) {
  const DeviceBuffer<double> buffer(context(), 1000);
  const Event filled = fill<double>(queue(), buffer, 1.0);
  const Event marker = queue().marker();
  marker.wait();

  EXPECT_LE(filled.times().end, marker.times().end);
}

class DeviceBufferTest : public OpenClTest {};

TEST_F(DeviceBufferTest, HoldsWhatWasUploaded) {
  const std::vector<double> values = counting(1000);

  EXPECT_EQ(on_host(on_device(values)), values);
}

// On NVIDIA's driver, a fill of 2^31 bytes does not end.
TEST_F(DeviceBufferTest, FillsSetAtMostAGigabyteEach) {
  using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;
  static Ranges ranges;  // Offset and size of each fill.
  ranges.clear();
  const Context recorded(
      device(),
      {.enqueue_fill = [](cl_command_queue, cl_mem, const void*, std::size_t, std::size_t offset,
                          std::size_t size, cl_uint, const cl_event*, cl_event*) {
        ranges.emplace_back(offset, size);
        return CL_SUCCESS;
      }});
  Queue recorder(recorded);
  const std::vector<std::byte> pattern(8);
  constexpr std::size_t kMost = std::size_t{1} << 30;

  recorder.fill({nullptr, 16, kMost}, pattern);
  recorder.fill({nullptr, 8, 2 * kMost + 24}, pattern);

  EXPECT_EQ(ranges, (Ranges{{16, kMost}, {8, kMost}, {8 + kMost, kMost}, {8 + 2 * kMost, 24}}));
}

TEST_F(DeviceBufferTest, CopiesFewerThanItsSize) {
  const DeviceBuffer<double> buffer(context(), 5);
  fill<double>(queue(), buffer, 0.0);

  upload<double>(queue(), counting(2), buffer);
  upload<double>(queue(), counting(1), buffer.part(4, 1));

  EXPECT_THAT(on_host(buffer), ElementsAre(1, 2, 0, 0, 1));
}

TEST_F(DeviceBufferTest, PartOfAPartCountsFromItsBegin) {
  const DeviceBuffer<double> buffer = on_device(counting(10));

  EXPECT_THAT(on_host<double>(DeviceView<const double>(buffer.part(3, 5).part(1, 2))),
              ElementsAre(5, 6));
}

TEST_F(DeviceBufferTest, NothingMovesForNothing) {
  const DeviceBuffer<double> empty(context(), 0);
  const std::vector<double> none;

  EXPECT_EQ(empty.get(), nullptr);
  EXPECT_TRUE(upload_async<double>(queue(), none, empty).empty());
  EXPECT_TRUE(fill<double>(queue(), empty, 1.0).empty());
  EXPECT_TRUE(copy<double>(queue(), empty, empty).empty());
  EXPECT_EQ(on_host(empty), none);
}

TEST_F(DeviceBufferTest, RangesPastTheEndAreRefused) {
  const DeviceBuffer<double> buffer(context(), 5);
  constexpr Offset kMost = std::numeric_limits<Offset>::max();

  EXPECT_THROW(buffer.part(3, 3), InvalidArgument);
  EXPECT_THROW(buffer.part(-1, 1), InvalidArgument);
  EXPECT_THROW(buffer.part(1, -1), InvalidArgument);
  EXPECT_THROW(buffer.part(1, kMost), InvalidArgument);
  EXPECT_THROW(upload<double>(queue(), counting(6), buffer), InvalidArgument);
}

TEST_F(DeviceBufferTest, ImpossibleSizesAreRefused) {
  EXPECT_THROW(DeviceBuffer<double>(context(), -1), InvalidArgument);
  EXPECT_THROW(DeviceBuffer<double>(context(), std::numeric_limits<Offset>::max()),
               InvalidArgument);
}

TEST_F(DeviceBufferTest, BufferAboveTheDevicesLimitIsRefusedByItsSize) {
  const std::uint64_t most = device().description.max_allocation_bytes;

  const std::string text = message_of<DeviceError>(
      [&] { DeviceBuffer<char>(context(), static_cast<Offset>(most) + 1); });

  EXPECT_THAT(text, HasSubstr(std::to_string(most + 1) + " bytes is refused"));
  EXPECT_THAT(text, HasSubstr("[device: " + device().name() + "]"));
}

cl_mem CL_API_CALL no_memory(cl_context, cl_mem_flags, std::size_t, void*, cl_int* code) {
  *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return nullptr;
}

TEST_F(DeviceBufferTest, FailedAllocationNamesCallCodeAndDevice) {
  ContextCalls calls;
  calls.create_buffer = &no_memory;
  const Context full(device(), calls);

  EXPECT_EQ(message_of<DeviceError>([&] { DeviceBuffer<double>(full, 10); }),
            "clCreateBuffer failed: CL_MEM_OBJECT_ALLOCATION_FAILURE (-4) [device: " +
                device().name() + "]");
}

TEST_F(DeviceBufferTest, CallersBufferIsTakenWithItsSize) {
  const DeviceBuffer<double> owner = on_device(counting(7));

  const auto shared = DeviceBuffer<double>::retained(context(), owner.get());
  const auto as_other_type = DeviceBuffer<Index>::retained(context(), owner.get());

  EXPECT_EQ(on_host(shared), counting(7));
  EXPECT_EQ(as_other_type.size(), 14);
}

TEST_F(DeviceBufferTest, CallersBufferOutlivesItsFirstOwner) {
  DeviceBuffer<double> owner = on_device(counting(7));
  const auto shared = DeviceBuffer<double>::retained(context(), owner.get());

  owner = DeviceBuffer<double>();

  EXPECT_EQ(on_host(shared), counting(7));
}

TEST_F(DeviceBufferTest, BufferOfAnotherContextIsRefused) {
  const Context other(device());
  const DeviceBuffer<double> foreign(other, 5);

  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { DeviceBuffer<double>::retained(context(), foreign.get()); }),
              HasSubstr("another context"));
}

TEST_F(DeviceBufferTest, MovedFromIsEmpty) {
  DeviceBuffer<double> first = on_device(counting(3));
  const DeviceBuffer<double> second = std::move(first);

  EXPECT_EQ(on_host(second), counting(3));
  EXPECT_EQ(first.size(), 0);  // NOLINT(bugprone-use-after-move): that is the claim.
}

class PinnedBufferTest : public OpenClTest {};

TEST_F(PinnedBufferTest, TransfersAsynchronouslyBothWays) {
  PinnedBuffer<double> source(queue(), 1000), target(queue(), 1000);
  const std::vector<double> values = counting(1000);
  std::copy(values.begin(), values.end(), source.data());
  const DeviceBuffer<double> buffer(context(), 1000);

  upload_async<double>(queue(), source.span(), buffer);
  download_async<double>(queue(), buffer, target.span()).wait();

  EXPECT_EQ(std::vector<double>(target.data(), target.data() + 1000), values);
}

// A 3 x 2 matrix whose columns are 4 elements apart: elements between the columns stay as they are.
TEST_F(PinnedBufferTest, TransfersMatricesAsynchronouslyBothWays) {
  constexpr MatrixShape kShape{.rows = 3, .columns = 2, .ld = 4};
  PinnedBuffer<double> source(queue(), 9), target(queue(), 9);
  for (std::size_t k = 0; k < 9; ++k) source.data()[k] = 1.0 + static_cast<double>(k);
  std::fill_n(target.data(), 9, 0.0);
  const DeviceBuffer<double> buffer(context(), 10);
  fill<double>(queue(), buffer, -1.0);

  upload_matrix_async<double>(queue(), source.span().subspan(1), buffer.part(2, 8), kShape);
  download_matrix_async<double>(queue(), buffer.part(2, 8), target.span(), kShape).wait();

  EXPECT_THAT(on_host(buffer), ElementsAre(-1, -1, 2, 3, 4, -1, 6, 7, 8, -1));
  EXPECT_THAT(target.span(), ElementsAre(2, 3, 4, 0, 6, 7, 8, 0, 0));
  // One column is contiguous.
  constexpr MatrixShape kColumn{.rows = 3, .columns = 1, .ld = 100};
  download_matrix_async<double>(queue(), buffer.part(6, 3), target.span(), kColumn).wait();
  EXPECT_THAT(target.span().first(4), ElementsAre(6, 7, 8, 0));
  EXPECT_TRUE(upload_matrix_async<double>(queue(), source.span(), buffer,
                                          {.rows = 0, .columns = 2, .ld = 4})
                  .empty());
  EXPECT_THROW(upload_matrix_async<double>(queue(), source.span(), buffer.part(4, 6), kShape),
               InvalidArgument);
  EXPECT_THROW(download_matrix_async<double>(queue(), buffer, target.span().subspan(3), kShape),
               InvalidArgument);
}

// On NVIDIA's driver, the first number of an origin counts modulo 2^32, so it must stay small.
TEST_F(PinnedBufferTest, OffsetsOfMatricesCountWholeColumns) {
  static std::vector<std::size_t> origins;
  origins.clear();
  const ContextCalls calls{
      .enqueue_write_rectangle =
          [](cl_command_queue, cl_mem, cl_bool, const std::size_t* to, const std::size_t*,
             const std::size_t*, std::size_t, std::size_t, std::size_t, std::size_t, const void*,
             cl_uint, const cl_event*, cl_event*) {
            origins.insert(origins.end(), to, to + 3);
            return CL_SUCCESS;
          },
      .enqueue_read_rectangle =
          [](cl_command_queue, cl_mem, cl_bool, const std::size_t* from, const std::size_t*,
             const std::size_t*, std::size_t, std::size_t, std::size_t, std::size_t, void*, cl_uint,
             const cl_event*, cl_event*) {
            origins.insert(origins.end(), from, from + 3);
            return CL_SUCCESS;
          }};
  const Context recorded(device(), calls);
  Queue recorder(recorded);
  const DeviceBuffer<double> buffer(recorded, 30);
  std::vector<double> values(5, 0.0);
  constexpr MatrixShape kShape{.rows = 2, .columns = 2, .ld = 3};

  upload_matrix_async<double>(recorder, values, buffer.part(20, 5), kShape);
  download_matrix_async<double>(recorder, buffer.part(6, 5), std::span(values), kShape);

  EXPECT_THAT(origins, ElementsAre(2 * sizeof(double), 6, 0, 0, 2, 0));
}

TEST_F(PinnedBufferTest, MovesWithItsMapping) {
  PinnedBuffer<double> first(queue(), 10);
  first.data()[9] = 5;
  double* const data = first.data();

  const PinnedBuffer<double> second = std::move(first);

  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(second.span().back(), 5);
}

TEST_F(PinnedBufferTest, EmptyBufferHasNoMemory) {
  const PinnedBuffer<double> empty(queue(), 0);

  EXPECT_EQ(empty.data(), nullptr);
  EXPECT_TRUE(empty.span().empty());
}

}  // namespace
}  // namespace clchol::gpu
