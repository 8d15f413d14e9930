// Slabs are written to a file and read back unchanged, or an error names the call and the byte.
#include "numeric/file/slab_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/aligned_buffer.hpp"
#include "tests/numeric/file/failing_file.hpp"

namespace clchol::numeric {
namespace {

using test::FailingFile;
using testing::AllOf;
using testing::HasSubstr;

constexpr Offset kPage = ScratchFile::kAlignment;
constexpr Offset kBlock = SlabFile::kBlockBytes;

/// Bytes of each slab: sums and differences of pages and blocks.
const std::vector<Offset> kSlabs = {kPage, kBlock, kBlock + kPage, 3 * kBlock - kPage, 7 * kPage};

class Slabs {
 public:
  Slabs() {
    for (const Offset bytes : kSlabs) {
      // A buffer of a huge page or more begins at a page, as direct I/O needs it.
      memory_.emplace_back(std::max(bytes, Offset{1} << 21));
      char* const slab = memory_.back().data();
      for (Offset k = 0; k < bytes; ++k) slab[k] = static_cast<char>(31 * size() + k + k / 4099);
      expected_.emplace_back(slab, slab + bytes);
    }
  }
  char* operator[](Index s) const { return memory_[static_cast<std::size_t>(s)].data(); }
  Index size() const { return static_cast<Index>(memory_.size()); }

  void restore(Index s) const { std::ranges::copy(expected_[s], (*this)[s]); }
  void restore() const {
    for (Index s = 0; s < size(); ++s) restore(s);
  }
  void clear() const {
    for (Index s = 0; s < size(); ++s) std::memset((*this)[s], 0, expected_[s].size());
  }
  void check() const {
    for (Index s = 0; s < size(); ++s) {
      ASSERT_EQ(std::memcmp((*this)[s], expected_[s].data(), expected_[s].size()), 0) << s;
    }
  }

 private:
  std::vector<AlignedBuffer<char>> memory_;
  std::vector<std::vector<char>> expected_;
};

void write_all(SlabFile& file, const Slabs& slabs) {
  SlabTransfers transfers(file);
  for (Index s = 0; s < slabs.size(); ++s) transfers.write(s, slabs[s]);
  for (Index s = 0; s < slabs.size(); ++s) transfers.wait(s);
}
/// Reads all slabs, the last slab first.
void read_all(SlabFile& file, const Slabs& slabs) {
  SlabTransfers transfers(file);
  for (Index s = slabs.size(); s-- > 0;) transfers.read(s, slabs[s]);
  for (Index s = 0; s < slabs.size(); ++s) transfers.wait(s);
}
void write_and_read(SlabFile& file) {
  static const Slabs kMemory;  // Static: fresh pages take longer than the transfers.
  kMemory.restore();
  write_all(file, kMemory);
  kMemory.clear();
  read_all(file, kMemory);
  kMemory.check();
}

/// The message of the FileError that f throws; empty if f throws none.
template <class F>
std::string file_error(const F& f) {
  try {
    f();
  } catch (const FileError& error) {
    return error.what();
  }
  return {};
}

std::string directory() { return testing::TempDir(); }

TEST(SlabFile, BringsBackWhatWasWritten) {
  SlabFile file(directory(), kSlabs);
  EXPECT_EQ(file.file().bytes(), 5 * kBlock + 8 * kPage);
  write_and_read(file);
  write_and_read(file);  // Overwrites the file.
}

TEST(SlabFile, MovesSingleBlocks) {
  SlabFile file(directory(), kSlabs);
  const Slabs memory;
  constexpr Index kSlab = 3;
  ASSERT_EQ(file.num_blocks(kSlab), 3);
  {
    SlabTransfers transfers(file);
    for (const Index b : {2, 0, 1}) {
      transfers.write_blocks(kSlab, {b, b + 1}, memory[kSlab] + b * kBlock);
    }
    transfers.wait(kSlab);
    memory.clear();
    for (const Index b : {1, 0, 2}) {
      transfers.read_blocks(kSlab, {b, b + 1}, memory[kSlab] + b * kBlock);
    }
    for (const Index b : {0, 1, 2}) transfers.wait_blocks(kSlab, {b, b + 1});
  }
  const Slabs expected;
  EXPECT_EQ(std::memcmp(memory[kSlab], expected[kSlab], kSlabs[kSlab]), 0);
}

// ready() is called once for a slab and returns before the slab's first block moves.  An exception
// of ready() is the slab's failure.
TEST(SlabFile, WaitsUntilASlabIsReady) {
  SlabFile file(directory(), kSlabs);
  const Slabs memory;
  memory.clear();
  std::atomic<int> calls = 0;
  {
    SlabTransfers transfers(file);
    for (Index s = 0; s < memory.size(); ++s) {
      transfers.write(s, memory[s], [&, s] {
        ++calls;
        memory.restore(s);
      });
    }
    for (Index s = 0; s < memory.size(); ++s) transfers.wait(s);
  }
  EXPECT_EQ(calls, memory.size());
  memory.clear();
  read_all(file, memory);
  memory.check();
  SlabTransfers transfers(file);
  transfers.read(0, memory[0], [] { throw FileError("not ready"); });
  EXPECT_EQ(file_error([&] { transfers.wait(0); }), "not ready");
}

TEST(SlabFile, LeavesNoName) {
  const std::string path = directory() + "/clchol_slab_file_test";
  std::filesystem::remove_all(path);
  std::filesystem::create_directory(path);
  {
    SlabFile file(path, kSlabs);
    EXPECT_TRUE(std::filesystem::is_empty(path));
    write_and_read(file);
    EXPECT_TRUE(std::filesystem::is_empty(path));
  }
  std::filesystem::remove(path);
}

TEST(SlabFile, WorksWithoutDirectIo) {
  // The error of tmpfs before Linux 6.6.
  FileCalls calls = system_file_calls();
  calls.open = [](const char* path, bool direct) {
    errno = EINVAL;
    return direct ? -1 : system_file_calls().open(path, false);
  };
  SlabFile file(directory(), kSlabs, calls);
  EXPECT_FALSE(file.file().is_direct());
  write_and_read(file);
}

TEST(SlabFile, RefusesDirectoriesThatAreNone) {
  EXPECT_THAT(file_error([] { SlabFile("/nonexistent/scratch", kSlabs); }),
              AllOf(HasSubstr("'/nonexistent/scratch'"), HasSubstr("No such file or directory")));
  EXPECT_THAT(file_error([] { SlabFile("/proc/self/status", kSlabs); }),
              HasSubstr("Not a directory"));
  EXPECT_THAT(file_error([] { SlabFile("/proc", kSlabs); }),
              HasSubstr("cannot be made in '/proc'"));
}

TEST(SlabFile, NamesAFullDisk) {
  // More bytes than any disk has.
  EXPECT_THAT(file_error([] { SlabFile(directory(), std::vector<Offset>{Offset{1} << 55}); }),
              AllOf(HasSubstr("cannot be reserved"), HasSubstr("GB")));
}

/// Limits the bytes of files that this process writes, as a shell's ulimit -f does.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_ = {};
};

TEST(SlabFile, OutlivesTheLimitOnTheSizeOfFiles) {
  const FileSizeLimit limit(Offset{1} << 20);
  EXPECT_THAT(file_error([] { SlabFile(directory(), kSlabs); }), HasSubstr("File too large"));
}

class InjectedFailure : public testing::Test {
 protected:
  FailingFile disk_;
  FileCalls calls_ = disk_.calls();
};

TEST_F(InjectedFailure, OfOpeningOrReserving) {
  disk_.fail(FailingFile::kOpen, 0, EACCES);
  EXPECT_THAT(file_error([&] { SlabFile("/tmp", kSlabs, calls_); }),
              HasSubstr("Permission denied"));
  disk_.never_fail();
  disk_.fail(FailingFile::kReserve, 0, EDQUOT);
  EXPECT_THAT(file_error([&] { SlabFile("/tmp", kSlabs, calls_); }), HasSubstr("quota"));
}

TEST_F(InjectedFailure, OfAnyWriteOrRead) {
  for (const auto& [kind, error, words] :
       {std::tuple(FailingFile::kWrite, ENOSPC, "writing failed: No space left"),
        std::tuple(FailingFile::kRead, EIO, "reading failed: Input/output error")}) {
    int k = 0;
    for (;; ++k) {
      FailingFile disk;
      const FileCalls calls = disk.calls();
      disk.fail(kind, k, error);
      SlabFile file("/tmp", kSlabs, calls);
      const std::string message = file_error([&] { write_and_read(file); });
      if (message.empty()) break;
      EXPECT_THAT(message, AllOf(HasSubstr("'/tmp', at byte "), HasSubstr(words))) << k;
      // Once the disk works again, so does the file.
      disk.never_fail();
      EXPECT_EQ(file_error([&] { write_and_read(file); }), "");
    }
    EXPECT_EQ(k, 8);  // Number of blocks of the slabs; one call moves a block.
  }
}

TEST_F(InjectedFailure, ShortTransfersGoOn) {
  SlabFile file("/tmp", kSlabs, calls_);
  disk_.move_at_most(3 * kPage + 17);
  write_and_read(file);
  // Direct I/O cannot continue within a page.
  disk_.move_at_most(100);
  EXPECT_THAT(file_error([&] { write_and_read(file); }), HasSubstr("writing moved 100 of"));
}

TEST_F(InjectedFailure, AFlippedBitIsFoundInAnyBlock) {
  SlabFile file("/tmp", kSlabs, calls_);
  const Slabs slabs;
  write_all(file, slabs);
  for (const Offset byte :
       {Offset{0}, kPage, kPage + kBlock - 1, kPage + kBlock, disk_.size() - 1}) {
    disk_.flip(byte);
    EXPECT_THAT(file_error([&] { read_all(file, slabs); }),
                HasSubstr("what is read is not what was written"));
    disk_.flip(byte);
  }
  read_all(file, slabs);
  slabs.check();
}

TEST_F(InjectedFailure, ATruncatedFileIsFound) {
  SlabFile file("/tmp", kSlabs, calls_);
  const Slabs slabs;
  write_all(file, slabs);
  disk_.truncate(disk_.size() - kPage);
  EXPECT_THAT(file_error([&] { read_all(file, slabs); }), HasSubstr("reading moved"));
}

}  // namespace
}  // namespace clchol::numeric
