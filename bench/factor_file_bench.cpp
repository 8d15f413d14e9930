// Loading a saved factor beside reading its file.
//
//   clchol_factor_file_bench [--reps R] [--threads N] [--folder DIR] [MATRIX...]
//
// A MATRIX is a model problem (solver/generate.hpp) or a matrix file (default: grid3d:64).  The
// program prints one JSON line for each matrix: bytes of the file, and medians of R repetitions, in
// turns, in seconds.  The file is dropped from the system's cache before each reading.
//
//   factor_s     a factorization, for comparison
//   save_s       save_factor() and a flush of the file to the disk
//   read_s       the file's bytes, read by as many threads as load_factor() has and in blocks of
//   its
//                size, each thread into one block of memory of its own
//   load_s       load_factor() without the matrix: with checksums, analysis, plan and fresh memory
//   rate_share   read_s / load_s: the share of the file's rate that loading reaches
//   cached_s     load_factor() with the file in the system's cache
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/object_pool.hpp"
#include "base/team.hpp"
#include "base/timer.hpp"
#include "bench/median.hpp"
#include "clchol/clchol.hpp"
#include "solver/analysis.hpp"
#include "solver/factor_file/format.hpp"
#include "solver/load_matrix.hpp"

namespace {

namespace fs = std::filesystem;
namespace solver = clchol::solver;
using clchol::Index;
using clchol::Offset;
using clchol::Timer;
using clchol::solver::factor_file::kBlockBytes;

struct Settings {
  int reps = 5;
  int threads = 0;
  std::string folder = fs::temp_directory_path();
  std::vector<std::string> matrices;
};

/// A file, open for reading.
class File {
 public:
  explicit File(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) throw std::runtime_error("cannot open " + path);
  }
  ~File() { ::close(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void drop_from_cache() const {
    if (::fdatasync(file_) != 0 || ::posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED) != 0) {
      throw std::runtime_error("cannot drop the file from the cache");
    }
  }
  /// Reads the whole file by a team of threads.
  void read(Offset bytes, int threads) const {
    const auto blocks = static_cast<Index>((bytes + kBlockBytes - 1) / kBlockBytes);
    clchol::ObjectPool<clchol::AlignedBuffer<char>> buffers;
    clchol::parallel_blocks(blocks, 1, threads, [&](Offset first, Offset last) {
      const auto block = buffers.take();
      block->reserve_discard(kBlockBytes);
      for (Offset k = first; k < last; ++k) {
        const Offset at = k * kBlockBytes, size = std::min(kBlockBytes, bytes - at);
        if (::pread(file_, block->data(), static_cast<std::size_t>(size), at) != size) {
          throw std::runtime_error("cannot read the file");
        }
      }
    });
  }

 private:
  int file_;
};

template <class Work>
void time(std::vector<double>& seconds, const Work& work) {
  const Timer timer;
  work();
  seconds.push_back(timer.seconds());
}

/// Seconds of load_factor() alone, without the release of its memory.
double load(const std::string& path, const clchol::Options& options) {
  clchol::SparseCholesky<double> solver(options);
  const Timer timer;
  if (solver.load_factor(path) == clchol::Status::kInterrupted) {
    throw std::runtime_error("the factor was not loaded");
  }
  return timer.seconds();
}

void run_matrix(const std::string& name, const Settings& settings, const std::string& path) {
  const solver::SymmetricMatrix a = solver::load_matrix(name);
  clchol::Options options;
  options.threads = settings.threads;
  options.engine = clchol::EngineKind::kCpu;
  std::vector<double> factor, save, read, loaded, cached;
  {
    clchol::SparseCholesky<double> solver(options);
    if (solver.factorize(clchol::SparseView<double, Offset, Index>{
            a.n(), a.lower.colptr, a.lower.rowind, a.values}) != clchol::Status::kOk) {
      throw std::runtime_error(name + ": " + solver.factor_report().message);
    }
    factor.push_back(solver.factor_report().factor_s);
    for (int r = 0; r < settings.reps; ++r) {
      time(save, [&] { static_cast<void>(solver.save_factor(path)); });
    }
  }
  const auto bytes = static_cast<Offset>(fs::file_size(path));
  const File file(path);
  const int threads = solver::num_threads(options);
  for (int r = 0; r < settings.reps; ++r) {
    file.drop_from_cache();
    time(read, [&] { file.read(bytes, threads); });
    file.drop_from_cache();
    loaded.push_back(load(path, options));
    cached.push_back(load(path, options));
  }
  const double read_s = clchol::median(read), load_s = clchol::median(loaded);
  std::printf(
      "{\"matrix\":\"%s\",\"threads\":%d,\"bytes\":%lld,\"factor_s\":%.4g,\"save_s\":%.4g,"
      "\"read_s\":%.4g,\"load_s\":%.4g,\"rate_share\":%.3f,\"cached_s\":%.4g}\n",
      fs::path(name).filename().c_str(), threads, static_cast<long long>(bytes),
      clchol::median(factor), clchol::median(save), read_s, load_s, read_s / load_s,
      clchol::median(cached));
  std::fflush(stdout);
}

Settings parse(int argc, char** argv) {
  Settings settings;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--reps") == 0 && k + 1 < argc) {
      settings.reps = std::atoi(argv[++k]);
    } else if (std::strcmp(argv[k], "--threads") == 0 && k + 1 < argc) {
      settings.threads = std::atoi(argv[++k]);
    } else if (std::strcmp(argv[k], "--folder") == 0 && k + 1 < argc) {
      settings.folder = argv[++k];
    } else {
      settings.matrices.emplace_back(argv[k]);
    }
  }
  if (settings.matrices.empty()) settings.matrices.emplace_back("grid3d:64");
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Settings settings = parse(argc, argv);
    std::string folder = settings.folder + "/clchol-bench-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("cannot create " + folder);
    int status = 0;
    try {
      for (const std::string& name : settings.matrices) run_matrix(name, settings, folder + "/f");
    } catch (const std::exception& error) {
      std::fprintf(stderr, "clchol_factor_file_bench: %s\n", error.what());
      status = 1;
    }
    fs::remove_all(folder);
    return status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clchol_factor_file_bench: %s\n", error.what());
    return 1;
  }
}
