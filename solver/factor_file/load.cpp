#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "base/object_pool.hpp"
#include "base/scalar_traits.hpp"
#include "base/team.hpp"
#include "ordering/cancel.hpp"
#include "solver/analysis_file.hpp"
#include "solver/cpu_engine.hpp"
#include "solver/factor_file/factor_file.hpp"
#include "solver/matrix_market/error.hpp"

namespace clchol::solver {
namespace {

using factor_file::checksum_of;
using factor_file::entries_before;
using factor_file::FirstPage;
using factor_file::Header;
using factor_file::kBlockBytes;
using factor_file::kMagic;
using factor_file::kMostExponent;
using factor_file::kPageBytes;
using factor_file::kVersion;

/// Number of blocks, 64 MiB, that the system prefetches, so that the disk is not idle while threads
/// check and copy blocks.
constexpr Offset kBlocksAhead = 16;

/// Copies ranges of L's entries from the blocks to the panels.  Entries are numbered in the order
/// of the blocks.
template <class F>
class PanelFiller {
 public:
  PanelFiller(const symbolic::SymbolicFactor& symbolic, const numeric::PanelTable& table,
              std::span<const Index> order, F* slab)
      : symbolic_(symbolic), table_(table), order_(order), slab_(slab) {
    start_.reserve(order.size() + 1);
    start_.push_back(0);
    for (const Index s : order) {
      start_.push_back(start_.back() + entries_before(symbolic.nrow(s), symbolic.ncol(s)));
    }
  }

  Offset entries() const { return start_.back(); }

  /// Copies entries [begin, end) of the blocks, `values`, to their panels.
  void fill(Offset begin, Offset end, const F* values) const {
    auto k = std::upper_bound(start_.begin(), start_.end(), begin) - start_.begin() - 1;
    for (; begin < end; ++k) {
      const Offset last = std::min(end, start_[k + 1]);
      fill_panel(order_[k], begin - start_[k], last - start_[k], values);
      values += last - begin;
      begin = last;
    }
  }

 private:
  /// Copies entries [begin, end) of panel s, numbered from the panel's first entry.
  void fill_panel(Index s, Offset begin, Offset end, const F* values) const {
    const Index nrow = symbolic_.nrow(s);
    const numeric::PanelPlace& place = table_.place[s];
    Index j = column_of(nrow, symbolic_.ncol(s), begin);
    for (; begin < end; ++j) {
      const Offset first = entries_before(nrow, j), next = entries_before(nrow, j + 1);
      F* const column = slab_ + place.begin + j * place.ld;
      if (begin == first) std::fill_n(column, j, F{0});
      const Offset count = std::min(end, next) - begin;
      std::copy_n(values, count, column + j + (begin - first));
      values += count;
      begin += count;
    }
  }

  /// Returns the column of a panel that contains an entry.
  static Index column_of(Index nrow, Index ncol, Offset entry) {
    Index low = 0, high = ncol;
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      (entries_before(nrow, middle) <= entry ? low : high) = middle;
    }
    return low;
  }

  const symbolic::SymbolicFactor& symbolic_;
  const numeric::PanelTable& table_;
  std::span<const Index> order_;
  F* slab_;
  std::vector<Offset> start_;  // First entry of each panel in the blocks.  Length nsuper + 1.
};

template <class F>
std::unique_ptr<Engine<F>> load_engine(const FactorFile& file, const Analysis& analysis,
                                       int threads) {
  std::vector<AlignedBuffer<F>> slabs;
  slabs.push_back(file.read_panels<F>(analysis.symbolic, analysis.cpu_plan.panels, threads));
  return std::make_unique<CpuEngine<F>>(
      analysis.entries, numeric::NumericFactor<F>(analysis.symbolic, analysis.cpu_plan,
                                                  analysis.cpu_plan.panels, std::move(slabs)));
}

bool is_flag(std::int64_t value) { return value == 0 || value == 1; }
bool is_scalar(std::int64_t bytes) {
  return bytes == static_cast<std::int64_t>(sizeof(float)) ||
         bytes == static_cast<std::int64_t>(sizeof(double));
}

}  // namespace

FactorFile::FactorFile(const std::string& path, const std::atomic<bool>* cancel)
    : name_(path), cancel_(cancel) {
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) refuse_system(name_, "open the file", errno);
  try {
    struct stat status = {};
    if (::fstat(file_, &status) != 0) refuse_system(name_, "examine the file", errno);
    if (!S_ISREG(status.st_mode)) refuse("is no regular file");
    size_ = status.st_size;
    read_first_page();
    read_tail();
    read_ahead(0, kBlocksAhead);  // The reads overlap with the analysis and its plan.
  } catch (...) {
    ::close(file_);
    throw;
  }
}

FactorFile::~FactorFile() { ::close(file_); }

void FactorFile::refuse(const std::string& reason) const { solver::refuse(name_, 0, reason); }

void FactorFile::check_cancel() const {
  if (cancel_ != nullptr && cancel_->load()) throw ordering::Interrupted{};
}

void FactorFile::read_at(Offset offset, void* to, Offset bytes) const {
  char* out = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::pread(file_, out, static_cast<std::size_t>(bytes), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const std::string action = "read the file at byte " + std::to_string(offset);
      refuse_system(name_, action.c_str(), errno);
    }
    if (got == 0) refuse("is truncated: bytes are missing from " + std::to_string(offset) + " on");
    out += got;
    offset += got;
    bytes -= got;
  }
}

void FactorFile::read_first_page() {
  if (size_ == 0) refuse("the file is empty, expected a saved factor");
  FirstPage page = {};
  if (size_ < static_cast<Offset>(sizeof page)) refuse("is no saved factor");
  read_at(0, &page, sizeof page);
  const std::string fault = prefix_fault(page.prefix, kMagic, kVersion, "saved factor");
  if (!fault.empty()) refuse(fault);
  if (page.checksum != checksum_of(&page, offsetof(FirstPage, checksum))) {
    refuse("is damaged: the checksum of its first page does not fit");
  }
  header_ = page.header;
  const Header& h = header_;
  // No size may exceed the size of the file, so that sums of sizes do not overflow.
  const auto is_size = [&](std::int64_t value) { return value >= 1 && value <= size_; };
  if (!is_size(h.n) || !is_size(h.nsuper) || !is_size(h.entries) || !is_size(h.analysis_bytes) ||
      !is_scalar(h.entry_bytes) || !is_scalar(h.value_bytes) || !is_flag(h.is_scaled) ||
      !is_flag(h.fell_back) || std::abs(h.exponent) > kMostExponent) {
    refuse("is damaged: its header has impossible numbers");
  }
  if (h.tail_begin() + h.tail_bytes() != size_) {
    refuse("is truncated or damaged: it has " + std::to_string(size_) + " bytes, expected " +
           std::to_string(h.tail_begin() + h.tail_bytes()));
  }
}

void FactorFile::read_tail() {
  Offset at = header_.tail_begin();
  Checksum sum;
  const auto read = [&]<class V>(Offset count, std::vector<V>& values) {
    values.resize(static_cast<std::size_t>(count));
    const auto bytes = count * static_cast<Offset>(sizeof(V));
    read_at(at, values.data(), bytes);
    sum.update(values.data(), static_cast<std::size_t>(bytes));
    at += bytes;
  };
  read(header_.nsuper, order_);
  read(header_.is_scaled * header_.n, scale_);
  read(Offset{header_.num_blocks()}, checksums_);
  std::uint64_t expected = 0;
  read_at(at, &expected, sizeof expected);
  if (sum.value() != expected) refuse("is damaged: the checksum of its last part does not fit");
  // Check that the list has each supernode once.
  std::vector<char> is_there(order_.size(), 0);
  for (const Index s : order_) {
    const bool is_new = s >= 0 && s < header_.nsuper && is_there[s] == 0;
    if (!is_new) refuse("is damaged: its list of panels is no permutation");
    is_there[s] = 1;
  }
  for (const double s : scale_) {
    if (!(s > 0) || !std::isfinite(s)) refuse("is damaged: a scaling factor is not positive");
  }
}

SavedAnalysis FactorFile::read_analysis(const CscPatternView* lower, int threads) const {
  std::string bytes(static_cast<std::size_t>(header_.analysis_bytes), '\0');
  read_at(header_.analysis_begin(), bytes.data(), header_.analysis_bytes);
  SavedAnalysis saved =
      solver::read_analysis(ByteStream::from_memory(bytes, name_), lower, threads, cancel_);
  if (saved.symbolic.n != header_.n || saved.symbolic.nsuper != header_.nsuper) {
    refuse("is damaged: its analysis has another size");
  }
  return saved;
}

template <class T>
void FactorFile::check_values(std::span<const T> values) const {
  if (header_.value_bytes != static_cast<std::int64_t>(sizeof(T))) {
    refuse(std::string("is the factor of a matrix in ") + (kIsDouble<T> ? "single" : "double") +
           " precision");
  }
  if (header_.values != checksum_of(values)) refuse("is the factor of a matrix with other values");
}

void FactorFile::read_ahead(Offset block, Offset count) const {
  // This is only a hint: a system that ignores it reads the blocks when read_block() asks for them.
  static_cast<void>(::posix_fadvise(file_, kPageBytes + block * kBlockBytes, count * kBlockBytes,
                                    POSIX_FADV_WILLNEED));
}

void FactorFile::read_block(Index block, char* to, Offset bytes) const {
  const Offset at = kPageBytes + block * kBlockBytes;
  read_at(at, to, bytes);
  if (checksum_of(to, static_cast<std::size_t>(bytes)) == checksums_[block]) return;
  refuse("is damaged: the checksum of block " + std::to_string(block) + ", at byte " +
         std::to_string(at) + ", does not fit");
}

template <class F>
AlignedBuffer<F> FactorFile::read_panels(const symbolic::SymbolicFactor& symbolic,
                                         const numeric::PanelTable& table, int threads) const {
  AlignedBuffer<F> slab(table.slab_sizes.front() + numeric::kPanelSlack);
  std::fill_n(slab.data() + table.slab_sizes.front(), numeric::kPanelSlack, F{0});
  const PanelFiller<F> filler(symbolic, table, order_, slab.data());
  if (filler.entries() != header_.entries) refuse("is damaged: it has another number of entries");
  constexpr Offset kEntries = kBlockBytes / static_cast<Offset>(sizeof(F));
  const Offset all = header_.block_bytes();
  // One buffer per thread, because the system would clear a fresh buffer for each block.
  ObjectPool<AlignedBuffer<char>> buffers;
  parallel_blocks(header_.num_blocks(), 1, threads, [&](Offset first, Offset last) {
    const auto buffer = buffers.take();
    buffer->reserve_discard(kBlockBytes);
    char* const bytes = buffer->data();
    for (Offset block = first; block < last; ++block) {
      check_cancel();
      read_ahead(block + kBlocksAhead, 1);
      const Offset begin = block * kEntries;
      read_block(static_cast<Index>(block), bytes,
                 std::min(kBlockBytes, all - block * kBlockBytes));
      filler.fill(begin, std::min(begin + kEntries, header_.entries),
                  reinterpret_cast<const F*>(bytes));
    }
  });
  return slab;
}

template <class T>
Factorization<T> load_factor(const FactorFile& file, const Analysis& analysis,
                             const Options& options) {
  check_memory_to_load(analysis, options);
  Factorization<T> f;
  const factor_file::Header& header = file.header();
  f.report.threads = num_threads(options);
  if (file.is_double()) {
    f.engine = load_engine<double>(file, analysis, f.report.threads);
  } else {
    f.engine = load_engine<float>(file, analysis, f.report.threads);
  }
  f.scale = file.scale();
  f.exponent = static_cast<int>(header.exponent);
  f.choice.request = {.engine = EngineKind::kCpu, .devices = {}, .memory = options.memory};
  f.report.loaded = true;
  f.report.precision = file.is_double() ? Precision::kDouble : Precision::kSingle;
  f.report.fell_back_to_double = header.fell_back == 1;
  f.report.scaled = header.is_scaled == 1;
  if (header.rcond >= 0) f.report.rcond = header.rcond;
  f.report.engine = EngineKind::kCpu;
  f.report.engine_reason = "the factor was loaded";
  return f;
}

template Factorization<float> load_factor(const FactorFile&, const Analysis&, const Options&);
template Factorization<double> load_factor(const FactorFile&, const Analysis&, const Options&);
template void FactorFile::check_values(std::span<const float>) const;
template void FactorFile::check_values(std::span<const double>) const;
template AlignedBuffer<float> FactorFile::read_panels(const symbolic::SymbolicFactor&,
                                                      const numeric::PanelTable&, int) const;
template AlignedBuffer<double> FactorFile::read_panels(const symbolic::SymbolicFactor&,
                                                       const numeric::PanelTable&, int) const;

}  // namespace clchol::solver
