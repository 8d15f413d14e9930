#include "gpu_kernels/runtime/binary_cache.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/checksum.hpp"
#include "base/write_all.hpp"

namespace clchol::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> kMagic = {'c', 'l', 'c', 'h', 'o', 'l', '-', 'p'};
constexpr std::uint32_t kFormat = 1;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t format = kFormat;
  std::uint32_t zero = 0;
  std::uint64_t key_size = 0;
  std::uint64_t binary_size = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(Header) == 40);

std::uint64_t checksum_of(std::string_view key, std::string_view binary) {
  Checksum sum;
  sum.update(key.data(), key.size());
  sum.update(binary.data(), binary.size());
  return sum.value();
}

Header header_of(std::string_view key, std::string_view binary) {
  Header header;
  header.key_size = key.size();
  header.binary_size = binary.size();
  header.checksum = checksum_of(key, binary);
  return header;
}

std::string hexadecimal(std::uint64_t number) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; number /= 16) text[i] = kDigits[number % 16];
  return text;
}

// A name in the same folder that no other writer uses.
fs::path temporary_name(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  return path.string() + "." + std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

const char* variable(const char* name) {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read, never set.
}

}  // namespace

fs::path BinaryCache::file_of(std::string_view key) const {
  return folder_ / (hexadecimal(checksum_of(key, {})) + ".bin");
}

std::optional<std::string> BinaryCache::load(std::string_view key) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream in(file_of(key), std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream read;  // A reading error ends the text early: the checksum finds it.
  read << in.rdbuf();
  const std::string content = read.str();
  if (content.size() < sizeof(Header) + key.size()) return std::nullopt;

  const std::string_view rest = std::string_view(content).substr(sizeof(Header));
  const std::string_view binary = rest.substr(key.size());
  const Header expected = header_of(key, binary);
  if (rest.substr(0, key.size()) != key ||
      std::memcmp(content.data(), &expected, sizeof expected) != 0) {
    return std::nullopt;
  }
  return std::string(binary);
}

bool BinaryCache::store(std::string_view key, std::string_view binary) const {
  if (folder_.empty()) return false;
  const Header header = header_of(key, binary);
  std::string content(sizeof header, '\0');
  std::memcpy(content.data(), &header, sizeof header);
  content.append(key).append(binary);
  return replace_file(file_of(key), content);
}

fs::path default_cache_folder() {
  if (const char* own = variable("CLCHOL_CACHE")) return own;
  if (const char* xdg = variable("XDG_CACHE_HOME"); xdg != nullptr && fs::path(xdg).is_absolute()) {
    return fs::path(xdg) / "clchol";
  }
  const char* home = variable("HOME");
  if (home == nullptr || *home == '\0') return {};
  return fs::path(home) / ".cache" / "clchol";
}

bool replace_file(const fs::path& path, std::string_view content) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);  // open() reports a failure.
  const fs::path temporary = temporary_name(path);
  const int file =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return false;
  bool done = write_all(file, content) == 0;
  done = ::close(file) == 0 && done;
  if (done) {
    fs::rename(temporary, path, error);
    done = !error;
  }
  if (!done) fs::remove(temporary, error);
  return done;
}

}  // namespace clchol::gpu
