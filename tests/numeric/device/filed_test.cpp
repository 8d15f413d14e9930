// Factors larger than the budgets of device and host memory: panels move to a scratch file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <thread>

#include "numeric/device/stream/file_rate.hpp"
#include "tests/numeric/device/streamed_support.hpp"
#include "tests/numeric/file/failing_file.hpp"

namespace clchol::numeric {
namespace {

using test::Analysed;
using test::FailingFile;

template <class T>
class FiledFactor : public StreamedFactor<T> {
 protected:
  /// Options with 60 % of the host memory that a streamed factor without a file needs.  No panel is
  /// dropped, so that the file holds many panels.  All lists stay on the device: they would take
  /// much of this host memory.
  DeviceShareOptions options(gpu::DeviceRuntime& runtime, FailingFile& file) {
    constexpr StreamParams kStream{.list_share = 1};
    calls_ = file.calls();
    const Offset device = this->tight_budget(runtime, this->problem(), this->kNoPart, kStream);
    const DeviceShare<T> without(runtime, this->problem().symbolic, this->problem().entries,
                                 {.threads = 2, .memory = device, .stream = kStream});
    return {.threads = 2,
            .memory = device,
            .host_memory = without.host_bytes() * 6 / 10,
            .scratch = {.directory = "memory", .calls = &calls_, .rate = 1.5e9},
            .stream = kStream};
  }
  /// An engine with the factor of problem(), whose panels are in the file.
  std::unique_ptr<DeviceEngine<T>> factored(FailingFile& file) {
    const auto own = runtime();
    const Analysed& p = this->problem();
    auto engine =
        std::make_unique<DeviceEngine<T>>(own, p.symbolic, p.entries, options(*own, file));
    EXPECT_EQ(engine->factorize(this->cast(p.a.values), {}).status, Status::kOk);
    return engine;
  }
  static std::shared_ptr<gpu::DeviceRuntime> runtime() {
    return runtime_of_rates(StreamedFactor<T>::rates(false, false));
  }

 private:
  FileCalls calls_;
};
TYPED_TEST_SUITE(FiledFactor, testing::Types<double>);

template <class T>
class FiledReals : public FiledFactor<T> {};
TYPED_TEST_SUITE(FiledReals, Reals);

TYPED_TEST(FiledReals, IsTheFactorInCore) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const std::vector<T> values = this->cast(p.a.values);
  const auto own = this->runtime();
  DeviceEngine<T> in_core(own, p.symbolic, p.entries, {.threads = 2});
  ASSERT_EQ(in_core.factorize(values, {}).status, Status::kOk);
  EXPECT_EQ(in_core.file_bytes(), 0);
  // For well-conditioned matrices differences are a few roundings of sums of up to n terms.
  const double bound = 64 * std::sqrt(p.symbolic.n) * std::numeric_limits<T>::epsilon();
  FailingFile file;
  const DeviceShareOptions options = this->options(*own, file);
  DeviceEngine<T> engine(own, p.symbolic, p.entries, options);
  EXPECT_LE(engine.host_bytes(), options.host_memory);
  EXPECT_LE(engine.bytes(), options.memory);
  // The second factorization has other values: the prepared data serves any values.
  for (const T scale : {T{4}, T{1}}) {
    std::vector<T> scaled = values;
    for (T& value : scaled) value *= scale;
    ASSERT_EQ(engine.factorize(scaled, {}).status, Status::kOk);
  }
  EXPECT_GT(engine.file_bytes(), 0);
  EXPECT_GE(file.size(), engine.file_bytes());
  for (const Index nrhs : {1, 3}) {
    const std::vector<T> x = this->solutions(p, engine, nrhs);
    this->expect_near(x, this->solutions(p, in_core, nrhs), bound);
    EXPECT_EQ(this->solutions(p, engine, nrhs), x);
  }
  EXPECT_EQ(engine.diagonal(), in_core.diagonal());
  EXPECT_EQ(this->panels(p, engine), this->panels(p, in_core));
}

// The forward and the backward half of a solve read each block of the file once.
TYPED_TEST(FiledFactor, IsReadOnceEachWay) {
  using T = TypeParam;
  FailingFile file;
  const auto made = this->factored(file);
  DeviceEngine<T>& engine = *made;
  const int written = file.calls(FailingFile::kWrite);
  EXPECT_GT(written, 3);
  EXPECT_EQ(file.calls(FailingFile::kRead), 0);
  this->solutions(this->problem(), engine, 1);
  EXPECT_EQ(file.calls(FailingFile::kRead), 2 * written);
}

// The first read after a factorization may be by another call than a solve.
TYPED_TEST(FiledFactor, IsReadWithoutASolve) {
  using T = TypeParam;
  FailingFile file;
  const auto made = this->factored(file);
  const std::vector<T> diagonal = made->diagonal();
  this->solutions(this->problem(), *made, 1);
  EXPECT_EQ(made->diagonal(), diagonal);
}

TYPED_TEST(FiledFactor, NeedsAFile) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  FailingFile file;
  const auto own = this->runtime();
  DeviceShareOptions options = this->options(*own, file);
  options.scratch = {};
  try {
    const DeviceShare<T> share(*own, p.symbolic, p.entries, options);
    FAIL() << "was not refused";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("not enough host memory"));
    EXPECT_THAT(error.what(), testing::HasSubstr("scratch directory"));
  }
  // Too little host memory for one slab beside the update matrices.
  options = this->options(*own, file);
  options.host_memory = 1;
  EXPECT_THROW(DeviceShare<T>(*own, p.symbolic, p.entries, options), OutOfMemory);
  for (const auto kind : {FailingFile::kOpen, FailingFile::kReserve}) {
    FailingFile full;
    full.fail(kind, 0, ENOSPC);
    options = this->options(*own, full);
    EXPECT_THROW(DeviceEngine<T>(own, p.symbolic, p.entries, options), FileError);
  }
}

// Each write and each read may fail: the call throws FileError, and later calls work as before.
TYPED_TEST(FiledFactor, EveryTransferMayFail) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const std::vector<T> values = this->cast(p.a.values);
  FailingFile file;
  const auto made = this->factored(file);
  DeviceEngine<T>& engine = *made;
  const std::vector<T> x = this->solutions(p, engine, 2), diagonal = engine.diagonal();
  const int blocks = file.calls(FailingFile::kWrite);
  // Slabs that the last solve used last are on the device, and are not read for the diagonal.
  this->solutions(p, engine, 2);
  const int before = file.calls(FailingFile::kRead);
  EXPECT_EQ(engine.diagonal(), diagonal);
  const int reads = file.calls(FailingFile::kRead) - before;
  EXPECT_GT(reads, 4);
  EXPECT_LT(reads, blocks);
  const auto expect_failure = [&](FailingFile::Kind kind, int k, int error,
                                  const std::function<void()>& use) {
    SCOPED_TRACE(testing::Message() << "call " << k << " of kind " << kind);
    file.fail(kind, file.calls(kind) + k, error);
    try {
      use();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const FileError& failure) {
      EXPECT_THAT(failure.what(), testing::HasSubstr("'memory', at byte"));
    }
    file.never_fail();
  };
  for (int k = 0; k < blocks; ++k) {
    expect_failure(FailingFile::kWrite, k, ENOSPC, [&] { engine.factorize(values, {}); });
    ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
    EXPECT_EQ(this->solutions(p, engine, 2), x);
    const int half = k % 2 == 0 ? 0 : blocks;
    expect_failure(FailingFile::kRead, half + k, EIO, [&] { this->solutions(p, engine, 2); });
    EXPECT_EQ(this->solutions(p, engine, 2), x);
    if (k % 4 != 0 || k >= reads) continue;
    expect_failure(FailingFile::kRead, k, EIO, [&] { engine.diagonal(); });
    EXPECT_EQ(engine.diagonal(), diagonal);
  }
}

TYPED_TEST(FiledFactor, DamageIsFound) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const std::vector<T> values = this->cast(p.a.values);
  FailingFile file;
  const auto made = this->factored(file);
  DeviceEngine<T>& engine = *made;
  for (Offset byte = 0; byte < file.size(); byte += 4096) {
    file.flip(byte);
    EXPECT_THROW(this->solutions(p, engine, 1), FileError) << byte;
    file.flip(byte);
  }
  file.truncate(file.size() - 1);
  EXPECT_THROW(this->solutions(p, engine, 1), FileError);
  ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
  this->solutions(p, engine, 1);
}

// Short transfers, a cancelled factorization, then eight threads that solve at the same time.
TYPED_TEST(FiledFactor, ThreadsSolveAsOneAlone) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const std::vector<T> values = this->cast(p.a.values);
  FailingFile file;
  file.move_at_most(10000);
  const auto own = this->runtime();
  DeviceEngine<T> engine(own, p.symbolic, p.entries, this->options(*own, file));
  const std::atomic<bool> cancel = true;
  EXPECT_EQ(engine.factorize(values, {.cancel = &cancel}).status, Status::kInterrupted);
  ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
  const std::vector<T> x = this->solutions(p, engine, 2);
  std::vector<std::vector<T>> beside(8);
  std::vector<std::thread> threads;
  for (std::vector<T>& own_x : beside) {
    threads.emplace_back([&] { own_x = this->solutions(p, engine, 2); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<T>& other : beside) EXPECT_EQ(other, x);
}

// A solve that is cancelled during any read makes no further reads than those already ahead.
TYPED_TEST(FiledFactor, SolvesMayBeCancelled) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  FailingFile file;
  const auto own = this->runtime();
  DeviceShareOptions options = this->options(*own, file);
  FileCalls calls = *options.scratch.calls;
  std::atomic<bool> cancel = false;
  std::atomic<int> left = -1;  // Reads until the solve is cancelled.
  const auto read = calls.read;
  calls.read = [&](int descriptor, void* to, std::size_t bytes, off_t at) {
    if (left-- == 0) cancel = true;
    return read(descriptor, to, bytes, at);
  };
  options.scratch.calls = &calls;
  DeviceEngine<T> engine(own, p.symbolic, p.entries, options);
  ASSERT_EQ(engine.factorize(this->cast(p.a.values), {}).status, Status::kOk);
  const std::vector<T> x = this->solutions(p, engine, 1);
  const int whole = file.calls(FailingFile::kRead);
  for (int k = 0; k < whole; k += 3) {
    left = k;
    const int before = file.calls(FailingFile::kRead);
    test::Rows<T> y(p.symbolic.n, 1);
    engine.solve(y.view(), true, true, {.cancel = &cancel});
    EXPECT_TRUE(cancel);
    EXPECT_TRUE(k > 0 || file.calls(FailingFile::kRead) - before < whole);
    cancel = false;
    left = -1;
    EXPECT_EQ(this->solutions(p, engine, 1), x);
  }
}

TEST(FileRate, IsMeasuredOnceAndKept) {
  const std::string folder = testing::TempDir() + "/clchol_file_rate_test";
  std::filesystem::remove_all(folder);
  const gpu::BinaryCache cache(folder), none("");
  FailingFile file;
  const FileCalls calls = file.calls();
  const double rate = file_rate(testing::TempDir(), calls, cache);
  EXPECT_GT(rate, 0);
  const int written = file.calls(FailingFile::kWrite);
  EXPECT_GT(written, 0);
  EXPECT_EQ(file_rate(testing::TempDir() + "/.", calls, cache), rate);
  EXPECT_EQ(file.calls(FailingFile::kWrite), written);
  EXPECT_GT(file_rate(testing::TempDir(), calls, none), 0);
  EXPECT_EQ(file.calls(FailingFile::kWrite), 2 * written);
  file.fail(FailingFile::kOpen, 0, ENOENT);
  EXPECT_EQ(file_rate("/nowhere", calls, cache), 0);
  EXPECT_EQ(file_rate(testing::TempDir(), calls, cache), rate);
  std::filesystem::remove_all(folder);
}

TYPED_TEST(FiledFactor, FailedPivotIsNamed) {
  using T = TypeParam;
  const Analysed& p = this->problem();
  const std::vector<T> values = this->cast(p.a.values);
  FailingFile file;
  const auto own = this->runtime();
  DeviceEngine<T> engine(own, p.symbolic, p.entries, this->options(*own, file));
  std::vector<T> bad = values;
  for (T& value : bad) value = -value;
  EXPECT_EQ(engine.factorize(bad, {}).status, Status::kNotPositiveDefinite);
  ASSERT_EQ(engine.factorize(values, {}).status, Status::kOk);
  this->solutions(p, engine, 1);
}

}  // namespace
}  // namespace clchol::numeric
