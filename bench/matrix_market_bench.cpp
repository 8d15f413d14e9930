// Measures the Matrix Market reader beside plain read(2) and a plain reader by fscanf.
//
// usage: matrix_market_bench [file.mtx | file.mtx.gz] ...
//
// Each file (default: a generated grid) is copied as plain text and as gzip into a temporary
// folder.  The program prints one JSON line for each reader: the least seconds of kRounds
// interleaved rounds, MB/s of text (10^6 bytes), and the peak of resident memory above its level
// before reading, in bytes and as a multiple of the text's bytes.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/timer.hpp"
#include "solver/matrix_market.hpp"
#include "solver/matrix_market/source.hpp"

namespace {

using clchol::Index;
using clchol::Offset;
namespace fs = std::filesystem;
namespace solver = clchol::solver;

constexpr int kRounds = 5;
constexpr Index kGridSide = 90;  // Side of the generated 7-point grid: 729,000 rows.

/// A value of /proc/self/status in bytes; 0 where there is no such file.
Offset memory_status(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    Offset kilobytes = 0;
    if (word == key + ":" && status >> kilobytes) return 1024 * kilobytes;
  }
  return 0;
}

/// Resets the kernel's peak of resident memory to the memory that is resident now.
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

void read_plainly(const std::string& path) {
  std::vector<char> buffer(std::size_t{1} << 18);
  const int file = ::open(path.c_str(), O_RDONLY);
  ssize_t got = 1;
  while (file >= 0 && got > 0) got = ::read(file, buffer.data(), buffer.size());
  if (file < 0 || got < 0 || ::close(file) != 0) std::exit(1);
}

/// Reads as many programs do: triplets by fscanf, then compressed columns by counting.
void read_by_fscanf(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "r");
  std::vector<char> line(1 << 16);
  int n = 0, m = 0;
  long nnz = 0;
  while (file != nullptr && std::fgets(line.data(), static_cast<int>(line.size()), file)) {
    if (line[0] != '%') break;
  }
  if (file == nullptr || std::sscanf(line.data(), "%d %d %ld", &n, &m, &nnz) != 3) std::exit(1);
  std::vector<int> row(nnz), col(nnz), rowind(nnz);
  std::vector<double> value(nnz), values(nnz);
  std::vector<long> colptr(n + 1L, 0);
  for (long k = 0; k < nnz; ++k) {
    if (std::fscanf(file, "%d %d %lf", &row[k], &col[k], &value[k]) != 3) std::exit(1);
    ++colptr[col[k] - 1];
  }
  std::fclose(file);
  for (long j = 0, next = 0; j <= n; ++j) next += std::exchange(colptr[j], next);
  for (long k = 0; k < nnz; ++k) {
    const long p = colptr[col[k] - 1]++;
    rowind[p] = row[k] - 1;
    values[p] = value[k];
  }
}

struct Way {
  std::string name;
  std::string path;
  int threads;
  std::function<void()> read;
  double seconds = std::numeric_limits<double>::infinity();
  double cpu_seconds = std::numeric_limits<double>::infinity();
  Offset peak_bytes = 0;
};

void measure(Way& way) {
  // Memory that earlier readers left in the heap would hide the memory that this one allocates.
  ::malloc_trim(0);
  reset_peak();
  const Offset before = memory_status("VmRSS");
  const std::clock_t cpu_before = std::clock();
  const clchol::Timer timer;
  way.read();
  way.seconds = std::min(way.seconds, timer.seconds());
  const auto ticks = static_cast<double>(std::clock() - cpu_before);
  way.cpu_seconds = std::min(way.cpu_seconds, ticks / CLOCKS_PER_SEC);
  way.peak_bytes = std::max<Offset>(way.peak_bytes, memory_status("VmHWM") - before);
}

std::vector<Way> ways_to_read(const std::string& plain, const std::string& gzip) {
  std::vector<Way> ways;
  ways.push_back({"read", plain, 1, [=] { read_plainly(plain); }});
  ways.push_back({"fscanf", plain, 1, [=] { read_by_fscanf(plain); }});
  for (const std::string& path : {plain, gzip}) {
    for (int threads : {1, 2}) {
      ways.push_back({path == plain ? "clchol" : "clchol_gz", path, threads,
                      [=] { solver::read_symmetric_matrix(path, {.threads = threads}); }});
    }
  }
  return ways;
}

/// Copies the text of `path` to `plain`, inflated.
void copy_text(const std::string& path, const std::string& plain) {
  solver::TextSource source(solver::ByteStream::open(path));
  std::ofstream out(plain, std::ios::binary);
  std::vector<char> buffer(std::size_t{1} << 18);
  while (const std::size_t size = source.read(buffer.data(), buffer.size())) {
    out.write(buffer.data(), static_cast<std::streamsize>(size));
  }
  if (!out.flush()) std::exit(1);
}

solver::SymmetricMatrix grid() {
  const Index m = kGridSide;
  solver::SymmetricMatrix a;
  a.lower.n = m * m * m;
  a.lower.colptr.push_back(0);
  for (Index j = 0; j < a.lower.n; ++j) {
    const auto put = [&](Index i, double value) {
      a.lower.rowind.push_back(i);
      a.values.push_back(value);
    };
    put(j, 6.0 + 1.0 / (j + 1));
    if ((j + 1) % m != 0) put(j + 1, -1.0 - 1.0 / (j + 3));
    if (j / m % m != m - 1) put(j + m, -1.0);
    if (j / (m * m) != m - 1) put(j + m * m, -1.0);
    a.lower.colptr.push_back(static_cast<Offset>(a.values.size()));
  }
  return a;
}

void report(const std::string& matrix, const std::vector<Way>& ways, Offset text_bytes) {
  for (const Way& way : ways) {
    const auto text = static_cast<double>(text_bytes);
    std::printf(
        "{\"bench\":\"matrix_market\",\"matrix\":\"%s\",\"way\":\"%s\",\"threads\":%d,"
        "\"text_bytes\":%lld,\"seconds\":%.6f,\"mb_per_s\":%.1f,"
        "\"mb_per_cpu_s\":%.1f,\"peak_bytes\":%lld,"
        "\"peak_over_text\":%.2f}\n",
        matrix.c_str(), way.name.c_str(), way.threads, static_cast<long long>(text_bytes),
        way.seconds, text / way.seconds * 1e-6, text / way.cpu_seconds * 1e-6,
        static_cast<long long>(way.peak_bytes), static_cast<double>(way.peak_bytes) / text);
  }
}

void bench_file(const std::string& matrix, const std::string& path, const fs::path& folder) {
  const std::string plain = folder / "plain.mtx";
  const std::string gzip = folder / "gzip.mtx.gz";
  copy_text(path, plain);
  const solver::SymmetricMatrix a = solver::read_symmetric_matrix(plain);
  const clchol::Timer timer;
  solver::write_symmetric_matrix(gzip, a.lower.view(), a.values);
  const double gzip_seconds = timer.seconds();
  const std::string written = folder / "written.mtx";
  double write_seconds = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    const clchol::Timer write_timer;
    solver::write_symmetric_matrix(written, a.lower.view(), a.values);
    write_seconds = std::min(write_seconds, write_timer.seconds());
  }
  std::vector<Way> ways = ways_to_read(plain, gzip);
  for (int round = 0; round < kRounds; ++round) {
    for (Way& way : ways) measure(way);
  }
  report(matrix, ways, static_cast<Offset>(fs::file_size(plain)));
  const auto text = static_cast<double>(fs::file_size(written));
  std::printf(
      "{\"bench\":\"matrix_market\",\"matrix\":\"%s\",\"way\":\"write\",\"text_bytes\":%.0f,"
      "\"mb_per_s\":%.1f,\"gz_mb_per_s\":%.1f}\n",
      matrix.c_str(), text, text / write_seconds * 1e-6, text / gzip_seconds * 1e-6);
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path folder = fs::temp_directory_path() / ("mtx_bench-" + std::to_string(::getpid()));
  fs::create_directory(folder);
  for (int k = 1; k < argc; ++k) bench_file(fs::path(argv[k]).filename(), argv[k], folder);
  if (argc == 1) {
    const std::string path = folder / "grid.mtx";
    const solver::SymmetricMatrix a = grid();
    solver::write_symmetric_matrix(path, a.lower.view(), a.values);
    bench_file("grid3d_" + std::to_string(kGridSide), path, folder);
  }
  fs::remove_all(folder);
}
