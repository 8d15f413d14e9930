#include "numeric/device/stream/file_rate.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/timer.hpp"
#include "numeric/file/slab_file.hpp"

namespace clchol::numeric {
namespace {

constexpr Index kSlabs = 16;
constexpr Offset kBytes = SlabFile::kBlockBytes;

std::string key_of(const std::string& directory) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(directory, error);
  return "clchol: bytes a second of files in " + (error ? directory : path.string());
}

double measured_rate(const std::string& directory, const FileCalls& calls) {
  SlabFile file(directory, std::vector<Offset>(kSlabs, kBytes), calls);
  const AlignedBuffer<char> memory(kSlabs * kBytes);
  std::memset(memory.data(), 1, static_cast<std::size_t>(memory.size()));
  const auto move_all = [&](const auto& move) {
    SlabTransfers transfers(file);
    const Timer timer;
    for (Index s = 0; s < kSlabs; ++s) move(transfers, s, memory.data() + s * kBytes);
    for (Index s = 0; s < kSlabs; ++s) transfers.wait(s);
    return timer.seconds();
  };
  const double write_s =
      move_all([](SlabTransfers& to, Index s, char* slab) { to.write(s, slab); });
  const double read_s =
      move_all([](SlabTransfers& from, Index s, char* slab) { from.read(s, slab); });
  return static_cast<double>(memory.size()) / std::max(write_s, read_s);
}

}  // namespace

double file_rate(const std::string& directory, const FileCalls& calls,
                 const gpu::BinaryCache& cache) {
  const std::string key = key_of(directory);
  double rate = 0;
  if (const std::optional<std::string> kept = cache.load(key);
      kept && kept->size() == sizeof rate) {
    std::memcpy(&rate, kept->data(), sizeof rate);
    return rate;
  }
  try {
    rate = measured_rate(directory, calls);
  } catch (const FileError&) {
    return 0;  // The caller that makes the factor's file reports the reason.
  }
  cache.store(key, std::string(reinterpret_cast<const char*>(&rate), sizeof rate));
  return rate;
}

}  // namespace clchol::numeric
