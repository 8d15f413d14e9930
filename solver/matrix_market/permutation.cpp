// Reads permutation files: a Matrix Market array of integers, or a plain list of integers.
#include "solver/matrix_market.hpp"

#include <algorithm>
#include <charconv>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "solver/matrix_market/blocks.hpp"
#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/header.hpp"
#include "solver/matrix_market/number.hpp"

namespace clchol::solver {
namespace {

constexpr std::size_t kReadBlock = std::size_t{1} << 18;

/// The integers of the file and their lines.
struct IndexList {
  std::vector<Index> values;  // Integers as written in the file, in file order.
  std::vector<Offset> lines;  // 1-based line of each integer.  Length values.size().
};

/// Whether the first line that is neither blank nor a comment looks like a Matrix Market banner.
bool has_banner(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const std::size_t percents = std::min(text.find_first_not_of('%'), text.size());
    if (percents > 0 && begins_with_word(text.substr(percents), "matrixmarket")) return true;
    if (percents == 0) return false;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

class PermutationReader {
 public:
  explicit PermutationReader(ByteStream stream)
      : source_(std::move(stream)), blocks_(source_, kReadBlock), header_(source_.name()) {}

  ordering::Permutation read(Index expected_size) {
    try {
      read_list();
    } catch (const InvalidArgument&) {
      blocks_.check_compression();
      throw;
    }
    check_size(expected_size);
    return ordering::make_permutation(to_zero_based());
  }

 private:
  const std::string& name() const { return source_.name(); }
  Index size() const { return static_cast<Index>(list_.values.size()); }

  void read_list() {
    while (std::optional<TextBlock> block = blocks_.next()) {
      if (block->overlong) refuse(name(), lines_ + 1, "the line is too long");
      take(block->text());
    }
  }

  void check_size(Index expected_size) const {
    if (list_.values.empty() && !is_matrix_market_) {
      refuse(name(), lines_, "the file holds no integers, expected a permutation");
    }
    if (is_matrix_market_) check_size_in_file(header_.header());
    if (expected_size != kNone && size() != expected_size) {
      refuse(name(), lines_,
             std::to_string(size()) + " integers, expected " + std::to_string(expected_size) +
                 ", the order of the matrix");
    }
  }

  void take(std::string_view text) {
    if (first_block_) {
      first_block_ = false;
      is_matrix_market_ = has_banner(text);
    }
    if (is_matrix_market_ && !header_.done()) {
      text.remove_prefix(header_.feed(text));
      lines_ = header_.lines();
      if (header_.done()) check_header(header_.header());
    }
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++lines_;
      take_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void check_header(const MatrixMarketHeader& header) const {
    const bool fits = header.format == MatrixFormat::kArray && header.ncol == 1 &&
                      header.field == MatrixField::kInteger &&
                      header.symmetry == MatrixSymmetry::kGeneral;
    if (!fits) {
      refuse(name(), header.banner_line,
             "expected a permutation: '%%MatrixMarket matrix array integer general', n x 1");
    }
  }

  void take_line(std::string_view line) {
    line = line.substr(0, line.find_first_of("%#"));
    for (std::string_view word = next_word(&line); !word.empty(); word = next_word(&line)) {
      list_.values.push_back(take_index(word));
      list_.lines.push_back(lines_);
      if (list_.values.size() > static_cast<std::size_t>(kLargestOrder)) {
        refuse(name(), lines_, "more than " + std::to_string(kLargestOrder) + " integers");
      }
    }
  }

  Index take_index(std::string_view word) const {
    Index value = 0;
    std::string_view digits = word;
    if (digits.front() == '+') digits.remove_prefix(1);
    const char* const end = digits.data() + digits.size();
    const auto [parsed, error] = std::from_chars(digits.data(), end, value);
    if (parsed != end || error == std::errc::invalid_argument) {
      refuse(name(), lines_, "expected an integer, found " + in_quotes(word));
    }
    if (error != std::errc() || value < 0) {
      refuse(name(), lines_,
             "index " + in_quotes(word) + " is outside 1.." + std::to_string(kLargestOrder));
    }
    return value;
  }

  void check_size_in_file(const MatrixMarketHeader& header) const {
    if (size() == header.nrow) return;
    refuse(name(), lines_,
           std::to_string(size()) + " integers, but line " + std::to_string(header.size_line) +
               " implies " + std::to_string(header.nrow));
  }

  /// Converts the list to 0-based indices.  Throws InvalidArgument unless every index occurs once.
  std::vector<Index> to_zero_based() {
    std::vector<Index>& perm = list_.values;
    const Index base = std::find(perm.begin(), perm.end(), 0) != perm.end() ? 0 : 1;
    const std::string range =
        base == 0 ? "0.." + std::to_string(size() - 1) + " (0-based, for a 0 stands in the file)"
                  : "1.." + std::to_string(size());
    std::vector<bool> seen(perm.size(), false);
    for (std::size_t k = 0; k < perm.size(); ++k) {
      const Index old = perm[k] - base;
      if (old >= size()) {
        refuse(name(), list_.lines[k], "index " + std::to_string(perm[k]) + " is outside " + range);
      }
      if (seen[old]) {
        refuse(name(), list_.lines[k], "index " + std::to_string(perm[k]) + " stands twice");
      }
      seen[old] = true;
      perm[k] = old;
    }
    return std::move(perm);
  }

  TextSource source_;
  BlockReader blocks_;
  HeaderParser header_;
  IndexList list_;
  Offset lines_ = 0;
  bool first_block_ = true;
  bool is_matrix_market_ = false;
};

ordering::Permutation read_stream(ByteStream stream, Index expected_size) {
  const std::string name = stream.name();
  try {
    return PermutationReader(std::move(stream)).read(expected_size);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(name + ": not enough memory to read the permutation");
  }
}

}  // namespace

ordering::Permutation read_permutation(const std::string& path, Index expected_size) {
  return read_stream(ByteStream::open(path), expected_size);
}

ordering::Permutation parse_permutation(std::string_view content, const std::string& name,
                                        Index expected_size) {
  return read_stream(ByteStream::from_memory(content, name), expected_size);
}

}  // namespace clchol::solver
