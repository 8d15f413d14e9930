#include "numeric/file/scratch_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/file_size_signal.hpp"
#include "base/number_text.hpp"

namespace clchol::numeric {
namespace {

/// Most bytes of one system call.  Linux transfers at most 2 GiB per call.
constexpr Offset kMostBytes = Offset{1} << 30;

/// The system's message for an error number.
std::string system_words(int error) { return std::generic_category().message(error); }

/// Opens a file with a name and removes the name at once, for file systems without unnamed files.
int open_and_unlink(const std::string& directory, int flags) {
  std::string path = directory + "/clchol-XXXXXX";
  const int file = ::mkostemp(path.data(), flags);
  if (file >= 0) ::unlink(path.c_str());
  return file;
}

int open_file(const char* directory, bool direct) {
  const int flags = O_CLOEXEC | (direct ? O_DIRECT : 0);
  const int file = ::open(directory, O_TMPFILE | O_RDWR | O_EXCL | flags, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
  return open_and_unlink(directory, flags);
}

int reserve_space(int file, off_t bytes) {
  if (::fallocate(file, 0, 0, bytes) == 0) return 0;
  // A file system that cannot reserve space reports a full disk when it writes.
  return errno == EOPNOTSUPP ? ::ftruncate(file, bytes) : -1;
}

}  // namespace

const FileCalls& system_file_calls() {
  static const FileCalls kCalls{open_file, reserve_space, ::pwrite, ::pread};
  return kCalls;
}

ScratchFile::ScratchFile(std::string directory, Offset bytes, const FileCalls& calls)
    : directory_(std::move(directory)), bytes_(bytes), calls_(calls) {
  file_ = calls_.open(directory_.c_str(), true);
  if (file_ < 0 && errno == EINVAL) {  // Some file systems, such as tmpfs, have no direct I/O.
    is_direct_ = false;
    file_ = calls_.open(directory_.c_str(), false);
  }
  if (file_ < 0) {
    throw FileError("scratch file: cannot be made in '" + directory_ + "': " + system_words(errno));
  }
  const FileSizeSignal signal;
  if (bytes_ > 0 && calls_.reserve(file_, bytes_) != 0) {
    const int error = errno;
    if (error == EFBIG) signal.take();
    ::close(file_);
    throw FileError("scratch file in '" + directory_ + "': " + gigabytes_text(bytes_) +
                    " cannot be reserved: " + system_words(error));
  }
}

ScratchFile::~ScratchFile() { ::close(file_); }

void ScratchFile::fail(const std::string& what, Offset at) const {
  throw FileError("scratch file in '" + directory_ + "', at byte " + std::to_string(at) + ": " +
                  what);
}

template <class Transfer>
void ScratchFile::transfer_all(const char* what, Offset bytes, Offset at,
                               const Transfer& transfer) const {
  for (Offset done = 0; done < bytes;) {
    const Offset count = std::min(bytes - done, kMostBytes);
    const ssize_t moved = transfer(done, static_cast<std::size_t>(count));
    if (moved < 0) {
      if (errno == EINTR) continue;
      fail(std::string(what) + " failed: " + system_words(errno), at + done);
    }
    // Direct I/O can continue only at a multiple of the alignment.
    const Offset whole = moved == count || !is_direct_ ? moved : moved / kAlignment * kAlignment;
    if (whole == 0) {
      fail(std::string(what) + " moved " + std::to_string(moved) + " of " + std::to_string(count) +
               " bytes",
           at + done);
    }
    done += whole;
  }
}

void ScratchFile::write(const void* from, Offset bytes, Offset at) const {
  const FileSizeSignal signal;
  transfer_all("writing", bytes, at, [&](Offset done, std::size_t count) {
    const ssize_t moved =
        calls_.write(file_, static_cast<const char*>(from) + done, count, at + done);
    if (moved < 0 && errno == EFBIG) {
      signal.take();
      errno = EFBIG;
    }
    return moved;
  });
}

void ScratchFile::read(void* to, Offset bytes, Offset at) const {
  transfer_all("reading", bytes, at, [&](Offset done, std::size_t count) {
    return calls_.read(file_, static_cast<char*>(to) + done, count, at + done);
  });
}

}  // namespace clchol::numeric
