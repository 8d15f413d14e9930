#include "gpu_kernels/runtime/program_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <regex>
#include <thread>

#include "gpu_kernels/devices/embedded_text.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"
#include "tests/support/files.hpp"

namespace clchol::gpu {
namespace {

using test::file_content;
using test::put_file;
using test::TemporaryFolder;
using testing::Each;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kSource =
    "__kernel void set(__global int* x) { x[get_global_id(0)] = VALUE; }\n";

class ProgramCacheTest : public OpenClTest {
 protected:
  /// The only file of the folder.
  static std::filesystem::path entry_of(const TemporaryFolder& folder) {
    EXPECT_EQ(folder.names().size(), 1U);
    return folder.path() / folder.names().front();
  }

  /// Expects that the program writes the value of its option.
  void expect_value(const Program& program, Index value) {
    const DeviceBuffer<Index> x(context(), 4);
    launch(queue(), program.kernel("set"), work_groups_of(4, 1), x);
    EXPECT_THAT(on_host(x), Each(value));
  }
};

TEST_F(ProgramCacheTest, BuildsOnceAndRemembers) {
  const Program& first = programs().program({"set.cl", kSource, "-DVALUE=3"});
  const Program& second = programs().program({"set.cl", kSource, "-DVALUE=3"});

  EXPECT_EQ(&first, &second);
  EXPECT_EQ(programs().counts().from_source, 1);
  EXPECT_EQ(programs().counts().from_memory, 1);
  EXPECT_GT(programs().counts().build_seconds, 0);
  expect_value(first, 3);
}

TEST_F(ProgramCacheTest, OptionsMakeAnotherProgram) {
  const Program& three = programs().program({"set.cl", kSource, "-DVALUE=3"});
  const Program& four = programs().program({"set.cl", kSource, "-DVALUE=4"});

  expect_value(three, 3);
  expect_value(four, 4);
}

TEST_F(ProgramCacheTest, LoadsFromDiskWhatAnotherCacheBuilt) {
  const TemporaryFolder folder;
  ProgramCache writer(context(), folder.path());
  writer.program({"set.cl", kSource, "-DVALUE=5"});

  ProgramCache reader(context(), folder.path());
  expect_value(reader.program({"set.cl", kSource, "-DVALUE=5"}), 5);

  EXPECT_EQ(reader.counts().from_disk, 1);
  EXPECT_EQ(reader.counts().from_source, 0);
}

TEST_F(ProgramCacheTest, DamagedEntryIsBuiltAgainAndReplaced) {
  const TemporaryFolder folder;
  ProgramCache(context(), folder.path()).program({"set.cl", kSource, "-DVALUE=6"});
  const std::filesystem::path entry = entry_of(folder);
  const std::string whole = file_content(entry);
  put_file(entry, whole.substr(0, whole.size() / 2));

  ProgramCache cache(context(), folder.path());
  expect_value(cache.program({"set.cl", kSource, "-DVALUE=6"}), 6);

  EXPECT_EQ(cache.counts().from_source, 1);
  EXPECT_EQ(file_content(entry).size(), whole.size());
}

TEST_F(ProgramCacheTest, BinaryThatTheDriverRefusesIsBuiltAgainAndReplaced) {
  const TemporaryFolder folder;
  ProgramCache(context(), folder.path()).program({"set.cl", kSource, "-DVALUE=7"});
  const std::string whole = file_content(entry_of(folder));
  // A valid entry with the right key, at byte 40, but with no program behind the key.
  std::uint64_t key_size = 0;
  std::memcpy(&key_size, whole.data() + 16, sizeof key_size);
  BinaryCache(folder.path()).store(whole.substr(40, key_size), "no program");

  ProgramCache cache(context(), folder.path());
  expect_value(cache.program({"set.cl", kSource, "-DVALUE=7"}), 7);

  EXPECT_EQ(cache.counts().from_source, 1);
  EXPECT_EQ(file_content(entry_of(folder)).size(), whole.size());
}

TEST_F(ProgramCacheTest, UnusableFolderIsNoError) {
  const TemporaryFolder folder;
  put_file(folder.file("file"), "");

  ProgramCache cache(context(), folder.path() / "file" / "below");

  expect_value(cache.program({"set.cl", kSource, "-DVALUE=8"}), 8);
}

TEST_F(ProgramCacheTest, BuildErrorHasProgramOptionsDeviceAndLog) {
  const std::string text = message_of<BuildError>([&] {
    programs().program({"broken.cl", "__kernel void k() { undeclared = 1; }", "-DSOME=1"});
  });

  EXPECT_THAT(text, StartsWith("clBuildProgram failed: CL_BUILD_PROGRAM_FAILURE (-11) [device: " +
                               device().name() + "] [program: broken.cl] [options: -DSOME=1]\n"));
  EXPECT_THAT(text, HasSubstr("undeclared"));
}

TEST_F(ProgramCacheTest, LongBuildLogsAreCut) {
  std::string source = "__kernel void k() {\n";
  for (int i = 0; i < 200; ++i) source += "undeclared_" + std::to_string(i) + " = 1;\n";

  const std::string text = message_of<BuildError>([&] {
    programs().program({"broken.cl", source + "}", ""});
  });

  EXPECT_LT(text.size(), 5000U);
}

cl_int CL_API_CALL compiler_out_of_memory(cl_program, cl_uint, const cl_device_id*, const char*,
                                          void(CL_CALLBACK*)(cl_program, void*), void*) {
  return CL_OUT_OF_HOST_MEMORY;
}

TEST_F(ProgramCacheTest, FailedBuildIsTriedAgain) {
  ContextCalls calls;
  calls.build_program = &compiler_out_of_memory;
  const Context failing(device(), calls);
  ProgramCache cache(failing, "");
  const auto build = [&] { cache.program({"set.cl", kSource, "-DVALUE=1"}); };

  EXPECT_THAT(message_of<BuildError>(build), HasSubstr("CL_OUT_OF_HOST_MEMORY (-6)"));
  EXPECT_THAT(message_of<BuildError>(build), HasSubstr("CL_OUT_OF_HOST_MEMORY (-6)"));
  EXPECT_EQ(cache.counts().from_memory, 0);
}

TEST_F(ProgramCacheTest, ThreadsThatAskForOneProgramGetTheSame) {
  std::vector<const Program*> got(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < got.size(); ++t) {
    threads.emplace_back([&, t] {
      got[t] = &programs().program({"set.cl", kSource, "-DVALUE=9"});
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_THAT(got, Each(got[0]));
  EXPECT_EQ(programs().counts().from_source, 1);
  EXPECT_EQ(programs().counts().from_memory, 3);
}

TEST_F(ProgramCacheTest, UnknownKernelFileIsRefused) {
  EXPECT_THAT(message_of<InvalidArgument>([&] { programs().program("abacus.cl", ""); }),
              HasSubstr("'abacus.cl'"));
}

TEST_F(ProgramCacheTest, UnknownKernelNamesCallKernelAndDevice) {
  const Program& program = programs().program({"set.cl", kSource, "-DVALUE=1"});

  EXPECT_EQ(message_of<DeviceError>([&] { program.kernel("unset"); }),
            "clCreateKernel(unset) failed: CL_INVALID_KERNEL_NAME (-46) [device: " +
                device().name() + "]");
}

TEST(EmbeddedKernels, IncludesAreWrittenOutOnce) {
  for (const EmbeddedText& file : kernel_sources()) {
    SCOPED_TRACE(file.name);
    EXPECT_EQ(file.text.find("#include"), std::string_view::npos);
    // Only probe.cl does not include common.cl.
    const std::size_t common = file.text.find("typedef REAL real;");
    EXPECT_EQ(common == std::string_view::npos, file.name == "probe.cl");
    if (common == std::string_view::npos) continue;
    EXPECT_EQ(file.text.find("typedef REAL real;", common + 1), std::string_view::npos);
  }
}

// The text with lines that hold a comment alone left empty.
std::string without_lines_of_comments(const std::string& text) {
  return std::regex_replace(text, std::regex("(^|\\n) *//[^\\n]*"), "$1");
}

/// The path of the file with this name in the folders of kernels.
std::string path_of(std::string_view name) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(CLCHOL_KERNEL_DIR)) {
    if (entry.path().filename() == name) return entry.path().string();
  }
  return {};
}

TEST(EmbeddedKernels, AreTheFilesTextsWithoutLinesOfComments) {
  for (const EmbeddedText& file : kernel_sources()) {
    SCOPED_TRACE(file.name);
    const std::string text = without_lines_of_comments(file_content(path_of(file.name)));
    ASSERT_FALSE(text.empty());
    // The text after the last #include is unchanged at the end.
    const std::size_t include = text.rfind("#include");
    const std::string tail =
        include == std::string::npos ? text : text.substr(text.find('\n', include));
    ASSERT_GE(file.text.size(), tail.size());
    EXPECT_EQ(file.text.substr(file.text.size() - tail.size()), tail);
  }
}

}  // namespace
}  // namespace clchol::gpu
