// Fuzzes saved factors whose checksums fit: every input is either refused by InvalidArgument, or
// loaded and solved with.
//
// The checksums of the input are corrected at the offsets that its first page gives.  A loaded
// factor solves to some numbers without an access outside an array.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "clchol/clchol.hpp"
#include "solver/factor_file/format.hpp"
#include "solver/generate.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace {

namespace solver = clchol::solver;
namespace format = clchol::solver::factor_file;
using clchol::Offset;
using clchol::fuzz::is_one_printable_line;
using clchol::fuzz::require;

/// A file in memory, with a path under /proc/self/fd.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("factor", MFD_CLOEXEC)) { require(file_ >= 0); }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }
  void put(std::span<const char> bytes) const {
    require(::ftruncate(file_, 0) == 0);
    require(::pwrite(file_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }

 private:
  int file_;
};

void put_checksum(std::span<char> bytes, Offset begin, Offset end) {
  const std::uint64_t sum = format::checksum_of(bytes.data() + begin, end - begin);
  std::memcpy(bytes.data() + end, &sum, sizeof sum);
}

/// The input with correct checksums, as far as the numbers of its first page give their offsets.
std::vector<char> made_to_fit(const std::uint8_t* data, std::size_t size) {
  std::vector<char> bytes(size);
  std::memcpy(bytes.data(), data, size);
  const auto all = static_cast<Offset>(size);
  if (all < format::kPageBytes) return bytes;
  put_checksum(bytes, 0, offsetof(format::FirstPage, checksum));
  format::FirstPage page;
  std::memcpy(&page, bytes.data(), sizeof page);
  const format::Header& h = page.header;
  const auto is_size = [&](std::int64_t value) { return value >= 1 && value <= all; };
  if (!is_size(h.n) || !is_size(h.nsuper) || !is_size(h.entries) || !is_size(h.analysis_bytes) ||
      (h.entry_bytes != 4 && h.entry_bytes != 8) || (h.is_scaled | 1) != 1 ||
      h.tail_begin() + h.tail_bytes() != all) {
    return bytes;
  }
  constexpr Offset kSum = sizeof(std::uint64_t);
  const Offset sums = all - kSum - h.num_blocks() * kSum;
  for (Offset block = 0; block < h.num_blocks(); ++block) {
    const Offset begin = format::kPageBytes + block * format::kBlockBytes;
    const Offset end = std::min(begin + format::kBlockBytes, h.analysis_begin());
    const std::uint64_t sum = format::checksum_of(bytes.data() + begin, end - begin);
    std::memcpy(bytes.data() + sums + block * kSum, &sum, sizeof sum);
  }
  put_checksum(bytes, h.tail_begin(), all - kSum);
  put_checksum(bytes, h.analysis_begin(), h.tail_begin() - kSum);
  return bytes;
}

clchol::Options on_one_thread() {
  clchol::Options options;
  options.threads = 1;
  options.engine = clchol::EngineKind::kCpu;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const MemoryFile file;
  file.put(made_to_fit(data, size));
  clchol::SparseCholesky<double> loaded(on_one_thread());
  try {
    require(loaded.load_factor(file.path()) != clchol::Status::kInterrupted);
  } catch (const clchol::InvalidArgument& error) {
    require(is_one_printable_line(error.what()));
    return 0;
  }
  const std::vector<double> b(static_cast<std::size_t>(loaded.analysis_report().n), 1.0);
  std::vector<double> x(b.size());
  static_cast<void>(loaded.solve(std::span<const double>(b), std::span<double>(x)));
  return 0;
}
