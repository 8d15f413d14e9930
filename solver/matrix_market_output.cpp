#include "solver/matrix_market_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <new>
#include <utility>

#include "solver/matrix_market_error.hpp"

namespace clchol::solver {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib: largest window, gzip wrapper.
constexpr int kMemoryLevel = 9;       // zlib: most memory (256 KiB), best speed.
constexpr int kMostAttempts = 1000;   // Names tried for the temporary file.

bool ends_with_gz(const std::string& path) {
  return path.size() >= 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
}

/// What a symbolic link points to in the end; the path itself where it is none or dangles.
std::string followed(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : path;
}

}  // namespace

/// zlib's deflate into a gzip stream without name and time: the same input gives the same bytes.
class Deflater {
 public:
  Deflater() {
    const int code = deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow,
                                  kMemoryLevel, Z_DEFAULT_STRATEGY);
    if (code != Z_OK) throw std::bad_alloc();
  }
  ~Deflater() { deflateEnd(&zlib); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  z_stream zlib = {};
  std::array<char, 1 << 16> buffer;
};

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  if (ends_with_gz(path)) deflater_ = std::make_unique<Deflater>();
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) refuse_system(path_, "write the file", errno);
    open_temporary(0666, false);
    return;
  }
  if (S_ISDIR(info.st_mode)) refuse(path_, 0, "cannot write the file: it is a directory");
  if (S_ISREG(info.st_mode)) {
    target_ = followed(path);
    open_temporary(info.st_mode & 07777, true);
    return;
  }
  file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file_ < 0) refuse_system(path_, "write the file", errno);
}

OutputFile::~OutputFile() {
  // Reached with an open file only when something has failed and been reported.
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
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
  // open() applies the umask, which must not narrow the mode of a file that exists already.
  if (::fchmod(file_, mode) != 0) {
    const int error = errno;
    ::close(std::exchange(file_, -1));
    ::unlink(std::exchange(temporary_, {}).c_str());
    refuse_system(path_, "set the mode of the new file", error);
  }
}

void OutputFile::append(std::string_view text) {
  if (deflater_) {
    deflate(text, false);
  } else {
    write_raw(text);
  }
}

void OutputFile::deflate(std::string_view text, bool last) {
  z_stream& zlib = deflater_->zlib;
  int code = Z_OK;
  do {
    const std::size_t step = std::min<std::size_t>(text.size(), std::size_t{1} << 30);
    // zlib does not write through next_in; its interface lacks the const.
    zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    zlib.avail_in = static_cast<uInt>(step);
    text.remove_prefix(step);
    const bool finish = last && text.empty();
    do {
      zlib.next_out = reinterpret_cast<Bytef*>(deflater_->buffer.data());
      zlib.avail_out = static_cast<uInt>(deflater_->buffer.size());
      code = ::deflate(&zlib, finish ? Z_FINISH : Z_NO_FLUSH);
      write_raw({deflater_->buffer.data(), deflater_->buffer.size() - zlib.avail_out});
    } while (zlib.avail_out == 0);
  } while (!text.empty());
  if (last && code != Z_STREAM_END) refuse(path_, 0, "cannot compress: zlib failed");
}

void OutputFile::write_raw(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse_system(path_, "write the file", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  if (deflater_) deflate({}, true);
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
