#include "solver/matrix_market/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "solver/matrix_market/error.hpp"

namespace clchol::solver {
namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 17;  // Compressed bytes per read.
// zlib's code for the largest window and a gzip wrapper.
constexpr int kGzipWindow = 15 + 16;

/// @return the name of the compressed format of the data; null if gzip or not compressed.
const char* other_compression(std::string_view head) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, const char*> kMagic[] = {{"BZh"sv, "bzip2"},
                                                                 {"\xFD"
                                                                  "7zXZ"sv,
                                                                  "xz"},
                                                                 {"\x28\xB5\x2F\xFD"sv, "zstd"},
                                                                 {"PK\x03\x04"sv, "zip"},
                                                                 {"7z\xBC\xAF"sv, "7z"},
                                                                 {"\x1F\x9D"sv, "compress (.Z)"}};
  for (const auto& [magic, format] : kMagic) {
    if (head.substr(0, magic.size()) == magic) return format;
  }
  return nullptr;
}

}  // namespace

ByteStream::ByteStream(int file, std::string_view memory, std::string name, Offset total)
    : file_(file), memory_(memory), name_(std::move(name)), total_(total) {}

ByteStream::ByteStream(ByteStream&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      memory_(other.memory_),
      name_(std::move(other.name_)),
      ahead_(std::move(other.ahead_)),
      consumed_(other.consumed_),
      total_(other.total_) {}

ByteStream::~ByteStream() {
  if (file_ >= 0) ::close(file_);  // An error does not matter, because the file is read-only.
}

ByteStream ByteStream::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse_system(path, "open the file", errno);
  ByteStream stream(file, {}, path, 0);
  struct stat info = {};
  if (::fstat(file, &info) != 0) refuse_system(path, "examine the file", errno);
  if (S_ISDIR(info.st_mode)) refuse(path, 0, "is a directory, expected a file");
  if (S_ISREG(info.st_mode)) {
    stream.total_ = info.st_size;
    // The call is a hint: if it fails, only speed suffers.
    static_cast<void>(::posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL));
  }
  return stream;
}

ByteStream ByteStream::from_memory(std::string_view content, std::string name) {
  return {-1, content, std::move(name), static_cast<Offset>(content.size())};
}

std::string_view ByteStream::peek() {
  if (ahead_.empty()) {
    ahead_.resize(kPeekBytes);
    ahead_.resize(read_raw(ahead_.data(), kPeekBytes));
  }
  return ahead_;
}

std::size_t ByteStream::read(char* out, std::size_t capacity) {
  const std::size_t from_ahead = std::min(capacity, ahead_.size());
  std::copy_n(ahead_.data(), from_ahead, out);
  ahead_.erase(0, from_ahead);
  const std::size_t size = from_ahead + read_raw(out + from_ahead, capacity - from_ahead);
  consumed_ += static_cast<Offset>(size);
  return size;
}

std::size_t ByteStream::read_raw(char* out, std::size_t capacity) {
  if (file_ < 0) {
    const std::size_t size = std::min(capacity, memory_.size());
    std::copy_n(memory_.data(), size, out);
    memory_.remove_prefix(size);
    return size;
  }
  std::size_t size = 0;
  while (size < capacity) {
    const ssize_t got = ::read(file_, out + size, capacity - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_system(name_, "read the file", errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return size;
}

/// Inflates the members of a gzip stream with zlib.
class Inflater {
 public:
  Inflater() {
    if (inflateInit2(&zlib_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&zlib_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  std::size_t read(ByteStream& stream, char* out, std::size_t capacity) {
    zlib_.next_out = reinterpret_cast<Bytef*>(out);
    std::size_t size = 0;
    while (size < capacity && refill(stream)) {
      zlib_.avail_out = static_cast<uInt>(std::min<std::size_t>(capacity - size, kLargestStep));
      const uInt asked = zlib_.avail_out;
      const int code = inflate(&zlib_, Z_NO_FLUSH);
      size += asked - zlib_.avail_out;
      if (code == Z_MEM_ERROR) throw std::bad_alloc();
      has_more_ = code == Z_OK && zlib_.avail_out == 0;
      // zlib held no more text back; refill() fetches input.
      if (code == Z_BUF_ERROR && zlib_.avail_in == 0) continue;
      if (code != Z_OK && code != Z_STREAM_END) {
        refuse(stream.name(), 0,
               "corrupt gzip data near byte " +
                   std::to_string(stream.consumed() - Offset{zlib_.avail_in}) + " of the file (" +
                   (zlib_.msg != nullptr ? zlib_.msg : "unknown error") + ")");
      }
      inside_member_ = code != Z_STREAM_END;
    }
    return size;
  }

 private:
  // Maximum bytes per call of inflate(); fits zlib's unsigned int.
  static constexpr std::size_t kLargestStep = std::size_t{1} << 30;

  /// Makes sure that inflate() has input of a member or text that it held back.
  /// @return false at the end of the stream.
  bool refill(ByteStream& stream) {
    if (inside_member_ && (zlib_.avail_in > 0 || has_more_)) return true;
    if (zlib_.avail_in == 0 && !fetch(stream)) {
      if (inside_member_) {
        refuse(stream.name(), 0,
               "truncated gzip data: the file ends after " + std::to_string(stream.consumed()) +
                   " bytes, inside a compressed stream");
      }
      return false;
    }
    return inside_member_ || next_member(stream);
  }

  bool fetch(ByteStream& stream) {
    const std::size_t size = stream.read(input_.get(), kInputBytes);
    zlib_.next_in = reinterpret_cast<Bytef*>(input_.get());
    zlib_.avail_in = static_cast<uInt>(size);
    return size > 0;
  }

  /// Skips zero padding and begins the next member.
  /// @return false if no member follows.
  bool next_member(ByteStream& stream) {
    do {
      while (zlib_.avail_in > 0 && *zlib_.next_in == 0) {
        ++zlib_.next_in;
        --zlib_.avail_in;
      }
    } while (zlib_.avail_in == 0 && fetch(stream));
    if (zlib_.avail_in == 0) return false;
    if (*zlib_.next_in != 0x1F) {
      refuse(stream.name(), 0,
             "corrupt gzip data: byte " +
                 std::to_string(stream.consumed() - Offset{zlib_.avail_in}) +
                 " of the file stands behind the end of the compressed stream");
    }
    inflateReset(&zlib_);
    return inside_member_ = true;
  }

  z_stream zlib_ = {};
  bool has_more_ = false;      // zlib may hold text back, as the output buffer was full.
  bool inside_member_ = true;  // True at first: the caller has seen the first magic number.
  std::unique_ptr<char[]> input_ = std::make_unique_for_overwrite<char[]>(kInputBytes);
};

TextSource::TextSource(ByteStream stream) : stream_(std::move(stream)) {
  const std::string_view head = stream_.peek();
  if (const char* format = other_compression(head)) {
    refuse(
        name(), 0,
        std::string("is compressed by ") + format + "; only gzip (.gz) is read: unpack it first");
  }
  if (head.substr(0, 2) == "\x1F\x8B") inflater_ = std::make_unique<Inflater>();
}

TextSource::TextSource(TextSource&& other) noexcept = default;

TextSource::~TextSource() = default;

std::string_view TextSource::peek() {
  if (ahead_.empty()) {
    ahead_.resize(kPeekBytes);
    ahead_.resize(read_raw(ahead_.data(), kPeekBytes));
  }
  return ahead_;
}

std::size_t TextSource::read(char* out, std::size_t capacity) {
  const std::size_t from_ahead = std::min(capacity, ahead_.size());
  std::copy_n(ahead_.data(), from_ahead, out);
  ahead_.erase(0, from_ahead);
  const std::size_t size = from_ahead + read_raw(out + from_ahead, capacity - from_ahead);
  text_bytes_ += static_cast<Offset>(size);
  return size;
}

std::size_t TextSource::read_raw(char* out, std::size_t capacity) {
  return inflater_ ? inflater_->read(stream_, out, capacity) : stream_.read(out, capacity);
}

double TextSource::fraction() const {
  const auto total = static_cast<double>(stream_.total());
  // The quotient may exceed 1 if the file grows while it is read.
  return total > 0 ? std::min(1.0, static_cast<double>(stream_.consumed()) / total) : 0.0;
}

}  // namespace clchol::solver
