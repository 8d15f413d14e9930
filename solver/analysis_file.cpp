#include "solver/analysis_file.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/checksum.hpp"
#include "base/timer.hpp"
#include "ordering/ordering.hpp"
#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/output.hpp"
#include "solver/saved_file.hpp"
#include "symbolic/restore.hpp"

namespace clchol::solver {
namespace {

constexpr std::string_view kAnalysisMagic = "clchol-a";
constexpr std::uint32_t kAnalysisVersion = 1;

constexpr std::int64_t kLongestText = 4096;
// Bytes that are read at a time, and added to the checksum while they are in the cache.
constexpr std::size_t kReadBytes = std::size_t{1} << 18;

struct AnalysisHeader {
  std::uint64_t pattern;
  std::int64_t n, nsuper, num_rows;
  std::int64_t compressed_n, exact_supernodes, dynamic_supernodes, backward_search;
  std::int64_t ordering_length, reason_length;
};

static_assert(std::has_unique_object_representations_v<AnalysisHeader> &&
              sizeof(AnalysisHeader) == 80);

std::string_view ordering_name(const AnalysisReport& report) {
  return to_string(report.ordering, report.ordering_effort);
}

std::uint64_t pattern_hash(const CscPatternView& lower) {
  Checksum sum;
  sum.update(&lower.n, sizeof lower.n);
  sum.update(lower.colptr.data(), lower.colptr.size_bytes());
  sum.update(lower.rowind.data(), lower.rowind.size_bytes());
  return sum.value();
}

// ---- writing ------------------------------------------------------------------------------------

AnalysisHeader header_of(const Analysis& analysis) {
  const symbolic::SymbolicFactor& f = analysis.symbolic;
  AnalysisHeader h = {};
  h.pattern = pattern_hash(analysis.map.lower.view());
  h.n = f.n;
  h.nsuper = f.nsuper;
  h.num_rows = static_cast<std::int64_t>(f.super_rowind.size());
  h.compressed_n = analysis.report.compressed_n;
  h.exact_supernodes = f.info.exact_supernodes;
  h.dynamic_supernodes = f.info.dynamic_supernodes;
  h.backward_search = f.info.backward_search ? 1 : 0;
  h.ordering_length = static_cast<std::int64_t>(ordering_name(analysis.report).size());
  h.reason_length = static_cast<std::int64_t>(analysis.report.ordering_reason.size());
  return h;
}

// ---- reading ------------------------------------------------------------------------------------

class Reader {
 public:
  Reader(ByteStream stream, const std::atomic<bool>* cancel)
      : source_(std::move(stream)), cancel_(cancel) {}

  const std::string& name() const { return source_.name(); }
  [[noreturn]] void refuse(const std::string& reason) const { solver::refuse(name(), 0, reason); }

  void prefix() {
    FilePrefix p = {};
    const std::size_t size = source_.read(reinterpret_cast<char*>(&p), sizeof p);
    if (size == 0) refuse("the file is empty, expected a saved analysis");
    if (size < sizeof p) refuse("is no saved analysis");
    const std::string fault = prefix_fault(p, kAnalysisMagic, kAnalysisVersion, "saved analysis");
    if (!fault.empty()) refuse(fault);
    sum_.update(&p, sizeof p);
  }

  void bytes(void* out, std::size_t size) {
    char* const to = static_cast<char*>(out);
    for (std::size_t done = 0; done < size;) {
      if (cancel_ != nullptr && cancel_->load()) throw ordering::Interrupted{};
      const std::size_t block = std::min(size - done, kReadBytes);
      if (source_.read(to + done, block) < block) refuse_truncated();
      sum_.update(to + done, block);
      done += block;
    }
  }

  /// Reads an array.
  /// @param count  entries of the array, from a header that may be damaged.  When the size of the
  ///               source is known, an array larger than the source is refused before it is
  ///               allocated.  When the size is unknown, the array grows to at most twice the
  ///               entries that have been read.
  template <class T, class Allocator>
  void array(std::int64_t count, std::vector<T, Allocator>& values) {
    const auto length = static_cast<std::size_t>(count);
    if (source_.size() > 0 && count > source_.size() / static_cast<Offset>(sizeof(T))) {
      refuse_truncated();
    }
    std::size_t room = source_.size() > 0 ? length : std::min(length, kReadBytes);
    for (std::size_t have = 0; have < length; room = std::min(length, 2 * room)) {
      values.resize(room);
      bytes(values.data() + have, (room - have) * sizeof(T));
      have = room;
    }
  }

  std::string text(std::int64_t length) {
    std::string result(static_cast<std::size_t>(length), '\0');
    bytes(result.data(), result.size());
    return result;
  }

  void checksum() {
    const std::uint64_t expected = sum_.value();
    std::uint64_t value = 0;
    bytes(&value, sizeof value);
    if (value != expected) refuse("is damaged: its checksum does not fit its content");
    char next = 0;
    if (source_.read(&next, 1) > 0) refuse("is damaged: bytes follow its end");
  }

 private:
  [[noreturn]] void refuse_truncated() const {
    refuse("is truncated or damaged: bytes are missing");
  }

  TextSource source_;
  const std::atomic<bool>* cancel_;
  Checksum sum_;
};

/// Refuses numbers that write_analysis() cannot have written.  symbolic::restore() checks all else.
void check_header(const AnalysisHeader& h, const Reader& reader) {
  constexpr std::int64_t kMaxRows = std::numeric_limits<Index>::max() - 1;
  auto is_text = [](std::int64_t length) { return length >= 0 && length <= kLongestText; };
  const bool sizes = h.n >= 1 && h.n <= kMaxRows && h.nsuper >= 1 && h.nsuper <= h.n &&
                     h.num_rows >= h.n && h.num_rows / h.n <= h.nsuper;
  auto is_count = [&](std::int64_t count) { return count >= 0 && count <= h.n; };
  if (!sizes || !is_count(h.compressed_n) || !is_count(h.exact_supernodes) ||
      !is_count(h.dynamic_supernodes) || (h.backward_search | 1) != 1 ||
      !is_text(h.ordering_length) || !is_text(h.reason_length)) {
    reader.refuse("is damaged: its header has impossible numbers");
  }
}

void check_text(const std::string& text, const Reader& reader) {
  auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), is_control)) {
    reader.refuse("is damaged: a text has unprintable characters");
  }
}

SavedAnalysis read_sections(const AnalysisHeader& h, Reader& reader) {
  SavedAnalysis saved;
  symbolic::SymbolicFactor& f = saved.symbolic;
  f.n = static_cast<Index>(h.n);
  f.nsuper = static_cast<Index>(h.nsuper);
  f.info.exact_supernodes = static_cast<Index>(h.exact_supernodes);
  f.info.dynamic_supernodes = static_cast<Index>(h.dynamic_supernodes);
  f.info.backward_search = h.backward_search == 1;
  saved.compressed_n = static_cast<Index>(h.compressed_n);
  reader.array(h.nsuper + 1, f.super_rowptr);
  reader.array(h.n, f.permutation.perm);
  reader.array(h.n, f.colcount);
  reader.array(h.nsuper + 1, f.super_ptr);
  reader.array(h.nsuper, f.super_parent);
  reader.array(h.num_rows, f.super_rowind);
  const std::string name = reader.text(h.ordering_length);
  const std::optional<NamedOrdering> ordering = ordering_named(name);
  if (!ordering) reader.refuse("is damaged: it names no ordering");
  saved.ordering = *ordering;
  saved.ordering_reason = reader.text(h.reason_length);
  return saved;
}

}  // namespace

void write_analysis(const Analysis& analysis, const std::function<void(std::string_view)>& append) {
  const symbolic::SymbolicFactor& f = analysis.symbolic;
  SectionWriter writer(append);
  const FilePrefix prefix = make_prefix(kAnalysisMagic, kAnalysisVersion);
  const AnalysisHeader header = header_of(analysis);
  writer.bytes(&prefix, sizeof prefix);
  writer.bytes(&header, sizeof header);
  writer.array(f.super_rowptr);
  writer.array(f.permutation.perm);
  writer.array(f.colcount);
  writer.array(f.super_ptr);
  writer.array(f.super_parent);
  writer.array(f.super_rowind);
  const std::string_view ordering = ordering_name(analysis.report);
  writer.bytes(ordering.data(), ordering.size());
  writer.bytes(analysis.report.ordering_reason.data(), analysis.report.ordering_reason.size());
  writer.checksum();
}

void save_analysis(const Analysis& analysis, const std::string& path, int threads,
                   const std::atomic<bool>* cancel) {
  OutputFile file(path, threads, cancel);
  write_analysis(analysis, [&](std::string_view bytes) { file.append(bytes); });
  file.commit();
}

SavedAnalysis read_analysis(ByteStream stream, const CscPatternView* lower, int threads,
                            const std::atomic<bool>* cancel) {
  const Timer timer;
  Reader reader(std::move(stream), cancel);
  reader.prefix();
  AnalysisHeader header = {};
  reader.bytes(&header, sizeof header);
  check_header(header, reader);
  SavedAnalysis saved = read_sections(header, reader);
  reader.checksum();
  check_text(saved.ordering_reason, reader);
  if (lower != nullptr && (header.n != lower->n || header.pattern != pattern_hash(*lower))) {
    reader.refuse("belongs to a matrix of another pattern");
  }
  try {
    symbolic::restore(saved.symbolic, threads);
  } catch (const InvalidArgument& error) {
    reader.refuse(std::string("is damaged: ") + error.what());
  }
  saved.seconds = timer.seconds();
  return saved;
}

}  // namespace clchol::solver
