#include "gpu_kernels/runtime/binary_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/support/environment.hpp"
#include "tests/support/files.hpp"

namespace clchol::gpu {
namespace {

using test::file_content;
using test::put_file;
using test::TemporaryFolder;
using test::Variable;
using testing::Eq;
using testing::IsEmpty;
using testing::Optional;

constexpr const char* kKey = "device:source:options";
constexpr const char* kBinary = "compiled";

TEST(BinaryCache, LoadsWhatWasStored) {
  const TemporaryFolder folder;
  const BinaryCache cache(folder.path() / "made" / "when needed");

  EXPECT_EQ(cache.load(kKey), std::nullopt);
  EXPECT_TRUE(cache.store(kKey, kBinary));
  EXPECT_THAT(cache.load(kKey), Optional(Eq(kBinary)));
}

TEST(BinaryCache, EmptyBinaryIsAnEntry) {
  const TemporaryFolder folder;
  const BinaryCache cache(folder.path());
  ASSERT_TRUE(cache.store(kKey, ""));

  EXPECT_THAT(cache.load(kKey), Optional(Eq("")));
}

TEST(BinaryCache, WithoutAFolderNothingIsStored) {
  const BinaryCache cache("");

  EXPECT_FALSE(cache.store(kKey, kBinary));
  EXPECT_EQ(cache.load(kKey), std::nullopt);
}

TEST(BinaryCache, EveryTruncationIsAbsent) {
  const TemporaryFolder folder;
  const BinaryCache cache(folder.path());
  ASSERT_TRUE(cache.store(kKey, kBinary));
  const std::string whole = file_content(cache.file_of(kKey));

  for (std::size_t length = 0; length < whole.size(); ++length) {
    put_file(cache.file_of(kKey), whole.substr(0, length));
    EXPECT_EQ(cache.load(kKey), std::nullopt) << length;
  }
  put_file(cache.file_of(kKey), whole + "x");
  EXPECT_EQ(cache.load(kKey), std::nullopt);
}

TEST(BinaryCache, EveryFlippedBitIsAbsent) {
  const TemporaryFolder folder;
  const BinaryCache cache(folder.path());
  ASSERT_TRUE(cache.store(kKey, kBinary));
  std::string content = file_content(cache.file_of(kKey));

  for (std::size_t bit = 0; bit < 8 * content.size(); ++bit) {
    content[bit / 8] = static_cast<char>(content[bit / 8] ^ (1 << (bit % 8)));
    put_file(cache.file_of(kKey), content);
    EXPECT_EQ(cache.load(kKey), std::nullopt) << bit;
    content[bit / 8] = static_cast<char>(content[bit / 8] ^ (1 << (bit % 8)));
  }
}

TEST(BinaryCache, EntryOfAnotherKeyIsAbsent) {
  const TemporaryFolder folder;
  const BinaryCache cache(folder.path());
  ASSERT_TRUE(cache.store(kKey, kBinary));
  // As if two keys had the same hash: the file is found but belongs to the other key.
  for (const char* other : {"device:source:optionx", "device:source", "device:source:optionsc"}) {
    std::filesystem::copy_file(cache.file_of(kKey), cache.file_of(other));
    EXPECT_EQ(cache.load(other), std::nullopt) << other;
  }
}

TEST(BinaryCache, DamagedEntryIsReplaced) {
  const TemporaryFolder folder;
  const BinaryCache cache(folder.path());
  put_file(cache.file_of(kKey), "not an entry");

  EXPECT_TRUE(cache.store(kKey, kBinary));
  EXPECT_THAT(cache.load(kKey), Optional(Eq(kBinary)));
}

TEST(BinaryCache, FolderInTheEntrysPlaceIsAbsentAndLeftAlone) {
  const TemporaryFolder folder;
  const BinaryCache cache(folder.path());
  std::filesystem::create_directories(cache.file_of(kKey) / "something");

  EXPECT_EQ(cache.load(kKey), std::nullopt);
  EXPECT_FALSE(cache.store(kKey, kBinary));
  EXPECT_EQ(folder.names().size(), 1U);  // No temporary file is left.
}

TEST(BinaryCache, FolderThatCannotBeMadeIsNoError) {
  const TemporaryFolder folder;
  put_file(folder.file("file"), "");
  const BinaryCache cache(folder.path() / "file" / "below");

  EXPECT_EQ(cache.load(kKey), std::nullopt);
  EXPECT_FALSE(cache.store(kKey, kBinary));
}

TEST(BinaryCache, ReadOnlyFolderIsNoError) {
  if (::geteuid() == 0) GTEST_SKIP() << "an administrator may write everywhere";
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), S_IRUSR | S_IXUSR), 0);
  const BinaryCache cache(folder.path());

  EXPECT_FALSE(cache.store(kKey, kBinary));
  EXPECT_EQ(::chmod(folder.path().c_str(), S_IRWXU), 0);
}

TEST(BinaryCache, FullDiskLeavesNothingBehind) {
  const TemporaryFolder folder;
  const BinaryCache cache(folder.path());
  {
    const test::FileSizeLimit limit(16);
    EXPECT_FALSE(cache.store(kKey, kBinary));
  }

  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(BinaryCache, WritersAtOnceLeaveOneWholeEntry) {
  const TemporaryFolder folder;
  const BinaryCache cache(folder.path());
  const std::string binary(100'000, 'b');

  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t) {
    writers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        cache.store(kKey, binary);
        EXPECT_THAT(cache.load(kKey), Optional(Eq(binary)));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();

  EXPECT_EQ(folder.names().size(), 1U);
}

TEST(DefaultCacheFolder, OwnVariableComesFirst) {
  const Variable own("CLCHOL_CACHE", "/own"), xdg("XDG_CACHE_HOME", "/xdg"), home("HOME", "/home");
  EXPECT_EQ(default_cache_folder(), "/own");
}

TEST(DefaultCacheFolder, OwnVariableSetToNothingMeansNoCache) {
  const Variable own("CLCHOL_CACHE", ""), xdg("XDG_CACHE_HOME", "/xdg"), home("HOME", "/home");
  EXPECT_EQ(default_cache_folder(), "");
}

TEST(DefaultCacheFolder, ThenTheDesktopsThenTheHomes) {
  const Variable own("CLCHOL_CACHE", nullptr), home("HOME", "/home");
  {
    const Variable xdg("XDG_CACHE_HOME", "/xdg");
    EXPECT_EQ(default_cache_folder(), "/xdg/clchol");
  }
  {
    const Variable relative("XDG_CACHE_HOME", "xdg");  // The specification says to ignore it.
    EXPECT_EQ(default_cache_folder(), "/home/.cache/clchol");
  }
}

TEST(DefaultCacheFolder, WithoutAHomeThereIsNone) {
  const Variable own("CLCHOL_CACHE", nullptr), xdg("XDG_CACHE_HOME", nullptr);
  const Variable home("HOME", nullptr);
  EXPECT_EQ(default_cache_folder(), "");
}

}  // namespace
}  // namespace clchol::gpu
