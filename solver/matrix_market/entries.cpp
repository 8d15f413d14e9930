#include "solver/matrix_market/entries.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "base/team.hpp"
#include "base/thread_limit.hpp"
#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/line.hpp"
#include "solver/matrix_market/number.hpp"

namespace clchol::solver {
namespace {

constexpr Offset kNoBlock = std::numeric_limits<Offset>::max();

/// A block of text and the result of parsing it.
struct ParsedBlock {
  Offset ordinal = 0;     // Number of the block, counted from 0.
  TextBlock block;        // The text; freed after parsing.
  std::size_t begin = 0;  // Offset in bytes of the first line to parse.

  std::shared_ptr<Entry[]> storage;  // Lower entries at the front, upper entries at the back.
  Offset capacity = 0;               // Length of storage: the number of lines.
  Offset num_lower = 0;              // Entries at the front of storage.
  Offset num_upper = 0;              // Entries at the back of storage.
  Offset num_dropped = 0;            // Entries that EntryShape::kept excludes.
  Offset lines = 0;                  // Number of lines from `begin` on.
  std::vector<Offset> skips;   // For each line without an entry: number of entries before the line.
  std::string error;           // Error in line error_line; empty: none.
  Offset error_line = 0;       // Line of the error, counted from 0 at `begin`.
  std::exception_ptr failure;  // Exception of the parser; null: none.

  // Set if EntryShape::any_base is true.  Lines are counted from 0 at `begin`.
  Offset zero_line = kNone;  // Line of the first entry with an index 0; kNone: no such entry.
  Offset last_line = kNone;  // Line of the first entry with row nrow or column ncol, or kNone.
  Index last_index = 0;      // The index nrow or ncol in line last_line.

  Offset num_entries() const { return num_lower + num_upper + num_dropped; }

  /// @return the line of the block's k-th entry, counted from 0 at `begin`.
  Offset line_of_entry(Offset k) const {
    return k + (std::upper_bound(skips.begin(), skips.end(), k) - skips.begin());
  }
};

const char* skip_blanks(const char* p) {
  while (is_blank(*p)) ++p;
  return p;
}

/// Parses an index in first..last and the blanks after the index; *index = parsed index - first.
/// @return the address after the blanks; null if no such index begins at p.
inline const char* parse_index(const char* p, Index first, Index last, Index* index) {
  std::uint64_t value;
  p = parse_unsigned(p, &value);
  // The difference of unsigned numbers is huge if value < first.
  const auto least = static_cast<std::uint64_t>(first);
  if (p == nullptr || value - least > static_cast<std::uint64_t>(last) - least) return nullptr;
  *index = static_cast<Index>(value - least);
  return skip_blanks(p);
}

/// Parses the lines of one block.
class BlockParser {
 public:
  BlockParser(const EntryShape& shape, ParsedBlock& out) : shape_(shape), out_(out) {}

  void run() {
    const std::string_view text = out_.block.text().substr(out_.begin);
    prepare(text);
    if (out_.block.overlong) {
      out_.error = "the line is longer than " + std::to_string(kLongestLine) + " bytes";
      return;
    }
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p < end && p != nullptr) {
      const char* word = skip_blanks(p);
      if (*word == '\n' || *word == '%') {
        out_.skips.push_back(out_.num_entries());
        p = line_end(word) + 1;
        continue;
      }
      Entry entry = {};
      const char* next =
          shape_.coordinate ? coordinate_line(word, &entry) : value_line(word, &entry);
      p = next != nullptr ? next : careful_line(p, &entry);
      if (p != nullptr) store(entry);
    }
    // store() has put the entries above the diagonal in reverse order at the back.
    Entry* const last = out_.storage.get() + out_.capacity;
    std::reverse(last - out_.num_upper, last);
  }

 private:
  void prepare(std::string_view text) {
    out_.lines = std::count(text.begin(), text.end(), '\n');
    if (!text.empty() && text.back() != '\n') ++out_.lines;
    out_.capacity = out_.lines;
    out_.storage.reset(new Entry[static_cast<std::size_t>(out_.capacity)]);
  }

  /// @return the '\n' that ends p's line; for the last line, maybe the '\n' after the block.
  const char* line_end(const char* p) const {
    const char* const end = out_.block.data.get() + out_.block.size;
    return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end + 1 - p)));
  }

  /// Fast parser of a coordinate line.
  /// @return the begin of the next line; null if careful_line() must parse this line.
  const char* coordinate_line(const char* p, Entry* entry) const {
    const Index first = shape_.first_index();
    p = parse_index(p, first, shape_.nrow, &entry->row);
    if (p == nullptr || !is_blank(p[-1])) return nullptr;
    p = parse_index(p, first, shape_.ncol, &entry->col);
    if (p == nullptr) return nullptr;
    if (shape_.has_values) return is_blank(p[-1]) ? value_line(p, entry) : nullptr;
    entry->value = 1;
    return *p == '\n' ? p + 1 : nullptr;
  }
  /// Fast parser of a line, or of its rest, with one value.  Returns as coordinate_line().
  static const char* value_line(const char* p, Entry* entry) {
    p = parse_real(p, &entry->value);
    if (p == nullptr) return nullptr;
    p = skip_blanks(p);
    return *p == '\n' ? p + 1 : nullptr;
  }

  /// Parses the line that begins at p.
  /// @return the begin of the next line; null if the line is bad, after recording the error.
  const char* careful_line(const char* p, Entry* entry) {
    const char* end = line_end(p);
    const std::string_view line(p, static_cast<std::size_t>(end - p));
    out_.error = examine_entry_line(line, shape_, entry);
    if (out_.error.empty()) return end + 1;
    out_.error_line = out_.line_of_entry(out_.num_entries());
    return nullptr;
  }

  /// Records the lines of indices that decide whether the file is 0-based.
  void note_base(const Entry& entry) {
    if (out_.zero_line == kNone && (entry.row == 0 || entry.col == 0)) {
      out_.zero_line = out_.line_of_entry(out_.num_entries());
    }
    if (out_.last_line == kNone && (entry.row == shape_.nrow || entry.col == shape_.ncol)) {
      out_.last_line = out_.line_of_entry(out_.num_entries());
      out_.last_index = entry.row == shape_.nrow ? entry.row : entry.col;
    }
  }

  bool is_kept(const Entry& entry) const {
    return shape_.kept == KeptEntries::kAll || entry.row == entry.col ||
           (shape_.kept == KeptEntries::kLower) == (entry.row > entry.col);
  }

  void store(const Entry& entry) {
    if (shape_.any_base) note_base(entry);
    Entry* const storage = out_.storage.get();
    if (!is_kept(entry)) {
      ++out_.num_dropped;
    } else if (shape_.split_triangles && entry.row < entry.col) {
      storage[out_.capacity - ++out_.num_upper] = {entry.col, entry.row, entry.value};
    } else {
      storage[out_.num_lower++] = entry;
    }
  }

  const EntryShape& shape_;
  ParsedBlock& out_;
};

/// Reads blocks on the calling thread; the threads of a team parse the blocks.
class EntryParser {
 public:
  EntryParser(BlockReader& reader, const TextSource& source, const EntryShape& shape,
              const ReadOptions& options)
      : reader_(reader), source_(source), shape_(shape), options_(options) {}

  void run(TextRemainder first) {
    threads_ = thread_count(options_.threads);
    run_in_team(threads_, [&] {
      queue_.push(nullptr);
      queue_.run([&](ParsedBlock* block) { block == nullptr ? produce(first) : parse(block); });
    });
  }

  /// Checks the blocks in file order and returns their entries.
  ParsedEntries collect(Offset lines_above);

 private:
  /// For a 0-based file: throws InvalidArgument if a row is nrow or a column is ncol.
  void check_base(Offset lines_above) const;
  /// Reads all blocks.  Ends early if a block has an error.
  void produce(TextRemainder& first) {
    std::optional<TextBlock> block = std::move(first.block);
    for (std::size_t begin = first.begin; block; begin = 0, block = reader_.next()) {
      check_cancel(options_);
      if (options_.progress != nullptr) {
        options_.progress(options_.progress_context, source_.fraction());
      }
      if (first_bad_ != kNoBlock) {
        reader_.check_compression();
        return;
      }
      start(std::move(*block), begin);
    }
  }

  void start(TextBlock block, std::size_t begin) {
    ParsedBlock* target = &blocks_.emplace_back();
    target->ordinal = static_cast<Offset>(blocks_.size()) - 1;
    target->block = std::move(block);
    target->begin = begin;
    // If reading outruns parsing, the reading thread parses too.  This bounds the text in memory.
    const bool is_deferred = team_size() > 1 && in_flight_ < 4 * threads_;
    ++in_flight_;
    if (is_deferred) {
      queue_.push(target);
    } else {
      parse(target);
    }
  }

  void parse(ParsedBlock* target) noexcept {
    if (target->ordinal < first_bad_) {
      try {
        BlockParser(shape_, *target).run();
      } catch (...) {
        target->failure = std::current_exception();
      }
      if (target->failure || !target->error.empty()) lower_first_bad(target->ordinal);
    }
    target->block.data.reset();
    --in_flight_;
  }

  void lower_first_bad(Offset ordinal) {
    Offset seen = first_bad_;
    while (ordinal < seen && !first_bad_.compare_exchange_weak(seen, ordinal)) {
    }
  }

  BlockReader& reader_;
  const TextSource& source_;
  const EntryShape& shape_;
  const ReadOptions& options_;
  int threads_ = 1;
  // Blocks in file order.  Only the reading thread appends; addresses stay valid.
  std::deque<ParsedBlock> blocks_;
  // Smallest ordinal of a block with an error; blocks after it need not be parsed.
  std::atomic<Offset> first_bad_ = kNoBlock;
  std::atomic<int> in_flight_ = 0;  // Number of blocks read but not parsed yet.
  TaskQueue<ParsedBlock*> queue_;   // Blocks to parse; null: the task that reads the blocks.
};

/// Converts 1-based indices to 0-based indices.
void take_one_off(std::span<Entry> entries) {
  for (Entry& entry : entries) {
    --entry.row;
    --entry.col;
  }
}

/// Moves the entries of a block to `all`.
/// @param one_based  the block's indices are 1-based; they become 0-based.
void move_entries(ParsedBlock& block, bool one_based, ParsedEntries& all) {
  Entry* const storage = block.storage.get();
  const auto num_lower = static_cast<std::size_t>(block.num_lower);
  const auto num_upper = static_cast<std::size_t>(block.num_upper);
  const std::span<Entry> lower(storage, num_lower);
  const std::span<Entry> upper(storage + block.capacity - num_upper, num_upper);
  if (one_based) {
    take_one_off(lower);
    take_one_off(upper);
  }
  if (num_lower > 0) all.lower.push_back({block.storage, lower});
  if (num_upper > 0) all.upper.push_back({block.storage, upper});
  all.dropped += block.num_dropped;
  block.storage.reset();
}

void EntryParser::check_base(Offset lines_above) const {
  Offset zero_line = 0, line = lines_above;
  const ParsedBlock* last = nullptr;  // The first block with an index of nrow or ncol.
  Offset lines_before_last = 0;
  for (const ParsedBlock& block : blocks_) {
    if (zero_line == 0 && block.zero_line != kNone) zero_line = line + block.zero_line + 1;
    if (last == nullptr && block.last_line != kNone) {
      last = &block;
      lines_before_last = line;
    }
    line += block.lines;
  }
  if (last == nullptr) return;
  refuse(source_.name(), lines_before_last + last->last_line + 1,
         "index " + std::to_string(last->last_index) + " is outside 0.." +
             std::to_string(last->last_index - 1) + " (0-based, for a 0 stands in line " +
             std::to_string(zero_line) + ")");
}

ParsedEntries EntryParser::collect(Offset lines_above) {
  ParsedEntries all;
  all.zero_based = std::any_of(blocks_.begin(), blocks_.end(),
                               [](const ParsedBlock& block) { return block.zero_line != kNone; });
  Offset line = lines_above;  // Number of lines before the block.
  Offset found = 0;           // Number of entries before the block.
  const std::string promised = std::to_string(shape_.entries) + " that line " +
                               std::to_string(shape_.size_line) +
                               (shape_.coordinate ? " promises" : " implies");
  for (ParsedBlock& block : blocks_) {
    if (block.failure) std::rethrow_exception(block.failure);
    if (block.num_entries() > shape_.entries - found) {
      refuse(source_.name(), line + block.line_of_entry(shape_.entries - found) + 1,
             "surplus entry: more than the " + promised);
    }
    if (!block.error.empty()) refuse(source_.name(), line + block.error_line + 1, block.error);
    found += block.num_entries();
    line += block.lines;
    move_entries(block, shape_.any_base && !all.zero_based, all);
  }
  if (found < shape_.entries) {
    refuse(source_.name(), line,
           "the file ends after " + std::to_string(found) + " entries, fewer than the " + promised);
  }
  if (all.zero_based) check_base(lines_above);
  return all;
}

}  // namespace

ParsedEntries parse_entries(TextRemainder first, BlockReader& reader, const TextSource& source,
                            const EntryShape& shape, const ReadOptions& options) {
  const Offset lines_above = first.lines_above;
  EntryParser parser(reader, source, shape, options);
  parser.run(std::move(first));
  check_cancel(options);
  return parser.collect(lines_above);
}

int thread_count(int requested) {
  if (requested < 0) {
    throw InvalidArgument("threads is " + std::to_string(requested) + ", expected 0 or more");
  }
  return obtain_threads(requested > 0 ? requested : thread_limit().threads);
}

void check_cancel(const ReadOptions& options) {
  if (options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed)) {
    throw Interrupted("reading was interrupted");
  }
}

}  // namespace clchol::solver
