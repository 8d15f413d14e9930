#include "solver/matrix_market/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/write_all.hpp"
#include "solver/matrix_market/error.hpp"

namespace clchol::solver {
namespace {

constexpr int kMostAttempts = 1000;  // Maximum number of names tried for the temporary file.

bool ends_with_gz(const std::string& path) {
  return path.size() >= 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
}

/// @return `path` with symbolic links resolved; `path` itself if it cannot be resolved.
std::string followed(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : path;
}

}  // namespace

OutputFile::OutputFile(const std::string& path, int threads, const std::atomic<bool>* cancel)
    : path_(path), target_(path), cancel_(cancel) {
  open_target();
  if (!ends_with_gz(path)) return;
  try {
    gzip_ = std::make_unique<GzipEncoder>(threads, [this](std::string_view b) { write_raw(b); });
  } catch (...) {
    abandon();  // The destructor does not run when the constructor throws.
    throw;
  }
}

void OutputFile::open_target() {
  struct stat info = {};
  if (::stat(path_.c_str(), &info) != 0) {
    if (errno != ENOENT) refuse_system(path_, "write the file", errno);
    open_temporary(0666, false);
    return;
  }
  if (S_ISDIR(info.st_mode)) refuse(path_, 0, "cannot write the file: it is a directory");
  if (S_ISREG(info.st_mode)) {
    target_ = followed(path_);
    open_temporary(info.st_mode & 07777, true);
    return;
  }
  file_ = S_ISFIFO(info.st_mode) ? open_pipe(path_.c_str(), cancel_)
                                 : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file_ < 0) refuse_system(path_, "write the file", errno);
}

OutputFile::~OutputFile() { abandon(); }

void OutputFile::abandon() noexcept {
  // A file that is still open here has failed already, and the failure has been reported.
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void OutputFile::open_temporary(unsigned mode, bool replaces) {
  for (int attempt = 0; file_ < 0 && attempt < kMostAttempts; ++attempt) {
    std::string name =
        target_ + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    file_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file_ >= 0) {
      temporary_ = std::move(name);
    } else if (errno != EEXIST) {
      break;
    }
  }
  if (file_ < 0) refuse_system(path_, "create a file in the folder", errno);
  if (!replaces) return;
  // open() applies the umask, which must not restrict the mode of the file that is replaced.
  if (::fchmod(file_, mode) != 0) {
    const int error = errno;
    abandon();
    refuse_system(path_, "set the mode of the new file", error);
  }
}

void OutputFile::append(std::string_view text) {
  if (gzip_) {
    gzip_->append(text);
  } else {
    write_raw(text);
  }
}

void OutputFile::write_raw(std::string_view bytes) {
  const int error = write_all(file_, bytes, cancel_);
  if (error != 0) refuse_system(path_, "write the file", error);
}

void OutputFile::commit() {
  if (gzip_) gzip_->finish();
  if (!temporary_.empty() && ::fsync(file_) != 0) {
    refuse_system(path_, "flush the file to the disk", errno);
  }
  if (::close(std::exchange(file_, -1)) != 0) refuse_system(path_, "close the file", errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    refuse_system(path_, "rename the finished file", errno);
  }
  temporary_.clear();
}

}  // namespace clchol::solver
