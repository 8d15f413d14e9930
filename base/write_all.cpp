#include "base/write_all.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/file_size_signal.hpp"

namespace clchol {
namespace {

constexpr int kPeriod = 20;  // Milliseconds between two checks of the cancel flag.

/// Measures the time since the cancel flag was set.
class Patience {
 public:
  explicit Patience(const std::atomic<bool>* cancel) : cancel_(cancel) {}

  /// Whether more than kPipePatience has passed since the flag was set.  To be called every
  /// kPeriod.
  bool is_over() {
    if (cancel_ == nullptr || !cancel_->load(std::memory_order_relaxed)) return false;
    waited_ += kPeriod;
    return waited_ > kPipePatience;
  }

 private:
  const std::atomic<bool>* cancel_;
  int waited_ = 0;  // Milliseconds since the flag was set.
};

/// Waits until the file accepts bytes, or until write() would return an error.  Returns false when
/// the waiting was cancelled.
bool wait_until_writable(int file, const std::atomic<bool>* cancel) {
  Patience patience(cancel);
  for (;;) {
    pollfd waiting = {file, POLLOUT, 0};
    const int ready = ::poll(&waiting, 1, kPeriod);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
    if (patience.is_over()) return false;
  }
}

bool is_regular(int file) {
  struct stat info = {};
  return ::fstat(file, &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

int write_all(int file, std::string_view bytes, const std::atomic<bool>* cancel) {
  const bool may_block = cancel != nullptr && !is_regular(file);
  // A pipe that poll() reports as writable accepts PIPE_BUF bytes without blocking.
  const std::size_t most = may_block ? PIPE_BUF : bytes.size();
  const FileSizeSignal signal;
  while (!bytes.empty()) {
    if (may_block && !wait_until_writable(file, cancel)) return ECANCELED;
    const ssize_t written = ::write(file, bytes.data(), std::min(most, bytes.size()));
    const int error = errno;
    if (written < 0 && error == EFBIG) signal.take();
    if (written < 0 && error != EINTR) return error;
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return 0;
}

int open_pipe(const char* path, const std::atomic<bool>* cancel) {
  if (cancel == nullptr) return ::open(path, O_WRONLY | O_CLOEXEC);
  Patience patience(cancel);
  for (;;) {
    const int file = ::open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0) {
      const int flags = ::fcntl(file, F_GETFL);
      ::fcntl(file, F_SETFL, flags & ~O_NONBLOCK);
      return file;
    }
    if (errno != ENXIO) return -1;  // ENXIO: the pipe has no reader yet.
    ::poll(nullptr, 0, kPeriod);
    if (!patience.is_over()) continue;
    errno = ECANCELED;
    return -1;
  }
}

}  // namespace clchol
