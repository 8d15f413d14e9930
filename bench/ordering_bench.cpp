// Orderings against SuiteSparse AMD: fill, flops and time, one JSON line a matrix.
//
//   clchol_ordering_bench [--repeat k] [--no-compress] [--score-degree] [--dense x] file.mtx[.gz]
//   ...
//
// Both sides are handed the same lower triangle in memory.  Ours builds the graph, compresses,
// orders and expands (compute_ordering); theirs forms A + A' and orders (amd_order with its default
// controls).  The two alternate in one process and the least time of each counts.  nnz(L) and flops
// (sum of the column counts and of their squares) of both permutations come from CHOLMOD's
// symbolic analysis.  Seconds are processor seconds of the one thread that both use, which other
// programs on the machine disturb less than the clock on the wall.  The last line holds the
// geometric means, over all matrices and over those above kLargeFlops.
#include <amd.h>
#include <cholmod.h>
#include <time.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/csc.hpp"
#include "ordering/ordering.hpp"

namespace {

using clchol::CscPattern;
using clchol::Index;
using clchol::Offset;

constexpr double kLargeFlops = 1e6;
constexpr int kDefaultRepeat = 3;

// Lines of a plain or gzipped file.
class LineReader {
 public:
  explicit LineReader(const std::string& path) : file_(gzopen(path.c_str(), "rb")) {
    if (file_ == nullptr) throw std::runtime_error("cannot open " + path);
    gzbuffer(file_, 1 << 18);
  }
  ~LineReader() { gzclose(file_); }
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  const char* next() { return gzgets(file_, line_, sizeof line_); }

 private:
  gzFile file_;
  char line_[1024];
};

// Pattern of the lower triangle of a symmetric coordinate file, rows ascending, no duplicates.
CscPattern read_lower_pattern(const std::string& path) {
  LineReader reader(path);
  const char* line = reader.next();
  if (line == nullptr || std::strstr(line, "coordinate") == nullptr) {
    throw std::runtime_error(path + ": not a coordinate Matrix Market file");
  }
  while ((line = reader.next()) != nullptr && (line[0] == '%' || line[0] == '\n')) {
  }
  if (line == nullptr) throw std::runtime_error(path + ": no size line");
  const Index n = static_cast<Index>(std::strtol(line, nullptr, 10));
  std::vector<std::pair<Index, Index>> entries;  // (column, row)
  while ((line = reader.next()) != nullptr) {
    char* rest = nullptr;
    const Index i = static_cast<Index>(std::strtol(line, &rest, 10)) - 1;
    const Index j = static_cast<Index>(std::strtol(rest, nullptr, 10)) - 1;
    if (i < 0 || j < 0) continue;
    entries.emplace_back(std::min(i, j), std::max(i, j));
  }
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  CscPattern lower{n, std::vector<Offset>(n + 1, 0), {}};
  lower.rowind.reserve(entries.size());
  for (const auto& [col, row] : entries) {
    ++lower.colptr[col + 1];
    lower.rowind.push_back(row);
  }
  for (Index j = 0; j < n; ++j) lower.colptr[j + 1] += lower.colptr[j];
  return lower;
}

// The same pattern with the index types of SuiteSparse's int interface.
struct PeerMatrix {
  std::vector<int> colptr;
  std::vector<int> rowind;
  explicit PeerMatrix(const CscPattern& lower)
      : colptr(lower.colptr.begin(), lower.colptr.end()), rowind(lower.rowind) {}
};

struct Fill {
  double nnz_l = 0;
  double flops = 0;
};

Fill count_fill(PeerMatrix& a, std::vector<int> perm) {
  const std::size_t n = perm.size();
  cholmod_common common;
  cholmod_start(&common);
  common.nmethods = 1;
  common.method[0].ordering = CHOLMOD_GIVEN;
  common.postorder = 1;
  common.supernodal = CHOLMOD_SIMPLICIAL;
  cholmod_sparse s{};
  s.nrow = s.ncol = n;
  s.nzmax = a.rowind.size();
  s.p = a.colptr.data();
  s.i = a.rowind.data();
  s.stype = -1;
  s.itype = CHOLMOD_INT;
  s.xtype = CHOLMOD_PATTERN;
  s.dtype = CHOLMOD_DOUBLE;
  s.sorted = 1;
  s.packed = 1;
  cholmod_factor* factor = cholmod_analyze_p(&s, perm.data(), nullptr, 0, &common);
  if (factor == nullptr) throw std::runtime_error("cholmod_analyze_p failed");
  const Fill fill{common.lnz, common.fl};
  cholmod_free_factor(&factor, &common);
  cholmod_finish(&common);
  return fill;
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Arguments {
  int repeat = kDefaultRepeat;
  clchol::ordering::OrderingOptions options;
  std::vector<std::string> files;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--repeat" && k + 1 < argc) {
      arguments.repeat = std::max(1, std::atoi(argv[++k]));
    } else if (word == "--dense" && k + 1 < argc) {
      arguments.options.amd.dense = std::atof(argv[++k]);
    } else if (word == "--score-degree") {
      arguments.options.amd.score = clchol::ordering::PivotScore::kDegree;
    } else if (word == "--no-compress") {
      arguments.options.compress = false;
    } else {
      arguments.files.push_back(word);
    }
  }
  return arguments;
}

std::string matrix_name(const std::string& path) {
  const std::string file = path.substr(path.find_last_of('/') + 1);
  return file.substr(0, file.find(".mtx"));
}

// Running geometric means of ours / theirs.
struct Means {
  double log_nnz_l = 0, log_flops = 0, log_seconds = 0, worst_nnz_l = 0;
  int count = 0;

  void add(double nnz_l, double flops, double seconds) {
    log_nnz_l += std::log(nnz_l);
    log_flops += std::log(flops);
    log_seconds += std::log(seconds);
    worst_nnz_l = std::max(worst_nnz_l, nnz_l);
    ++count;
  }
  void print(const char* name) const {
    const double k = std::max(count, 1);
    std::printf(
        "{\"mean\":\"%s\",\"matrices\":%d,\"nnz_l_ratio\":%.4f,\"nnz_l_worst\":%.4f,"
        "\"flops_ratio\":%.4f,\"seconds_ratio\":%.4f}\n",
        name, count, std::exp(log_nnz_l / k), worst_nnz_l, std::exp(log_flops / k),
        std::exp(log_seconds / k));
  }
};

void compare(const std::string& path, const Arguments& arguments, Means& all, Means& large) {
  const CscPattern lower = read_lower_pattern(path);
  PeerMatrix peer(lower);
  std::vector<int> peer_perm(lower.n);
  clchol::ordering::OrderingResult best;
  best.seconds = 1e300;
  double peer_seconds = 1e300;
  for (int k = 0; k < arguments.repeat; ++k) {
    const double start = thread_seconds();
    const clchol::ordering::Graph graph = clchol::ordering::make_graph(lower.view());
    auto result = clchol::ordering::compute_ordering(graph, arguments.options);
    result.seconds = thread_seconds() - start;
    if (result.seconds < best.seconds) best = std::move(result);
    const double peer_start = thread_seconds();
    amd_order(lower.n, peer.colptr.data(), peer.rowind.data(), peer_perm.data(), nullptr, nullptr);
    peer_seconds = std::min(peer_seconds, thread_seconds() - peer_start);
  }
  const Fill ours = count_fill(peer, best.permutation.perm);
  const Fill theirs = count_fill(peer, peer_perm);
  std::printf(
      "{\"matrix\":\"%s\",\"n\":%d,\"nnz\":%lld,\"compressed_n\":%d,\"dense\":%d,"
      "\"nnz_l\":%.0f,\"nnz_l_suitesparse\":%.0f,\"nnz_l_ratio\":%.4f,"
      "\"flops\":%.4g,\"flops_suitesparse\":%.4g,\"flops_ratio\":%.4f,"
      "\"seconds\":%.6f,\"seconds_suitesparse\":%.6f,\"seconds_ratio\":%.3f,"
      "\"seconds_compress\":%.6f,\"seconds_order\":%.6f}\n",
      matrix_name(path).c_str(), lower.n, static_cast<long long>(lower.view().nnz()),
      best.compressed_n, best.num_dense, ours.nnz_l, theirs.nnz_l, ours.nnz_l / theirs.nnz_l,
      ours.flops, theirs.flops, ours.flops / theirs.flops, best.seconds, peer_seconds,
      best.seconds / peer_seconds, best.seconds_compress, best.seconds_order);
  std::fflush(stdout);
  const double ratios[] = {ours.nnz_l / theirs.nnz_l, ours.flops / theirs.flops,
                           best.seconds / peer_seconds};
  all.add(ratios[0], ratios[1], ratios[2]);
  if (theirs.flops > kLargeFlops) large.add(ratios[0], ratios[1], ratios[2]);
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  Means all;
  Means large;
  int failures = 0;
  for (const std::string& file : arguments.files) {
    try {
      compare(file, arguments, all, large);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", file.c_str(), error.what());
      ++failures;
    }
  }
  all.print("all");
  large.print("above 1e6 flops");
  return failures == 0 ? 0 : 1;
}
