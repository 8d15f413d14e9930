#include "base/write_all.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <thread>

#include "tests/support/files.hpp"

namespace clchol {
namespace {

/// Both ends of a pipe.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~Pipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int in() const { return ends_[1]; }
  std::string read(std::size_t size) const {
    std::string text(size, '\0');
    std::size_t found = 0;
    while (found < size) {
      const ssize_t more = ::read(ends_[0], text.data() + found, size - found);
      if (more <= 0) break;
      found += static_cast<std::size_t>(more);
    }
    text.resize(found);
    return text;
  }

 private:
  std::array<int, 2> ends_{};
};

// Longer than the buffer of a pipe.
const std::string kLongText(1 << 20, 'x');

TEST(WriteAll, WaitsForASlowReader) {
  const std::atomic<bool> cancel = false;
  const Pipe pipe;
  std::string found;
  std::thread reader([&] { found = pipe.read(kLongText.size()); });

  EXPECT_EQ(write_all(pipe.in(), kLongText, &cancel), 0);

  reader.join();
  EXPECT_EQ(found, kLongText);
}

TEST(WriteAll, GivesUpAPipeThatNobodyReads) {
  const std::atomic<bool> cancel = true;
  const Pipe pipe;

  EXPECT_EQ(write_all(pipe.in(), kLongText, &cancel), ECANCELED);
}

TEST(WriteAll, WritesWhatAPipeTakesEvenWhenCancelled) {
  const std::atomic<bool> cancel = true;
  const Pipe pipe;

  EXPECT_EQ(write_all(pipe.in(), "short", &cancel), 0);

  EXPECT_EQ(pipe.read(5), "short");
}

TEST(WriteAll, TellsOfAPipeWhoseReaderIsGone) {
  const std::atomic<bool> cancel = false;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ::close(ends[0]);
  ::signal(SIGPIPE, SIG_IGN);

  EXPECT_EQ(write_all(ends[1], "x", &cancel), EPIPE);

  ::signal(SIGPIPE, SIG_DFL);
  ::close(ends[1]);
}

TEST(WriteAll, TellsOfADescriptorThatIsClosed) { EXPECT_EQ(write_all(-1, "x"), EBADF); }

// The signal SIGXFSZ would end the process.
TEST(WriteAll, TellsOfAFileBeyondTheLimitOfTheProcess) {
  const test::TemporaryFolder folder;
  const int file = ::open(folder.file("f").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit little = {1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);

  const int error = write_all(file, kLongText);

  ::setrlimit(RLIMIT_FSIZE, &before);
  ::close(file);
  EXPECT_EQ(error, EFBIG);
  sigset_t signals;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &signals);
  EXPECT_EQ(sigismember(&signals, SIGXFSZ), 0);
  sigpending(&signals);
  EXPECT_EQ(sigismember(&signals, SIGXFSZ), 0);
}

TEST(OpenPipe, GivesUpWhereNobodyReads) {
  const std::atomic<bool> cancel = true;
  const test::TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);

  EXPECT_EQ(open_pipe(path.c_str(), &cancel), -1);
  EXPECT_EQ(errno, ECANCELED);
}

TEST(OpenPipe, WaitsForAReader) {
  const std::atomic<bool> cancel = false;
  const test::TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread reader([&] {
    const int out = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    char c = 0;
    EXPECT_EQ(::read(out, &c, 1), 1);
    EXPECT_EQ(c, 'x');
    ::close(out);
  });

  const int file = open_pipe(path.c_str(), &cancel);
  EXPECT_EQ(::fcntl(file, F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(write_all(file, "x", &cancel), 0);

  reader.join();
  ::close(file);
}

}  // namespace
}  // namespace clchol
