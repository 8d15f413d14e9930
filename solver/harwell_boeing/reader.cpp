#include "solver/harwell_boeing/reader.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/timer.hpp"
#include "solver/harwell_boeing/header.hpp"
#include "solver/harwell_boeing/lines.hpp"
#include "solver/harwell_boeing/value.hpp"
#include "solver/matrix_market/entries.hpp"
#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/line.hpp"
#include "solver/matrix_market/lower_triangle.hpp"
#include "solver/matrix_market/number.hpp"
#include "solver/matrix_market/session.hpp"

namespace clchol::solver {
namespace {

/// Collects entries in runs, so that assemble_columns() can free them run by run.
class EntryCollector {
 public:
  void add(const Entry& entry) {
    if (size_ == kRunEntries) close_run();
    if (!storage_) storage_.reset(new Entry[kRunEntries]);
    storage_[size_++] = entry;
  }
  std::vector<EntryRun> take() {
    close_run();
    return std::move(runs_);
  }

 private:
  static constexpr std::size_t kRunEntries = 1 << 13;

  void close_run() {
    if (size_ > 0) runs_.push_back({storage_, {storage_.get(), size_}});
    storage_.reset();
    size_ = 0;
  }

  std::shared_ptr<Entry[]> storage_;  // Current run.  Length kRunEntries; null: no current run.
  std::size_t size_ = 0;              // Number of entries in the current run.
  std::vector<EntryRun> runs_;
};

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

class HarwellBoeingReader {
 public:
  HarwellBoeingReader(TextSource& source, const ReadOptions& options)
      : name_(source.name()), options_(options), lines_(source, options) {}

  SymmetricMatrix read() {
    ParsedEntries entries;
    try {
      header_ = read_header(name_, lines_, options_.pattern_only);
      read_pointers();
      read_indices();
      entries = read_values();
      read_to_end();
    } catch (const InvalidArgument&) {
      lines_.check_compression();
      throw;
    }
    const MatrixClaim claim = {.name = name_,
                               .n = header_.n,
                               .is_general = header_.is_general(),
                               .is_pattern = header_.is_pattern(),
                               .line = kTypeLine,
                               .general_wording = "'U' for 'S' in the type"};
    SymmetricMatrix a = assemble_symmetric(claim, std::move(entries), options_);
    a.notes.entries_in_file = header_.entries;
    a.notes.right_hand_sides_ignored = header_.has_right_hand_sides;
    return a;
  }

 private:
  /// Throws InvalidArgument for the line read last.
  [[noreturn]] void refuse_line(const std::string& reason) const {
    refuse(name_, lines_.number(), reason);
  }

  /// Calls take(text, field) for each of `count` numbers, beginning at the next line.
  template <class Take>
  void read_numbers(const LineFormat& format, Offset count, const char* what, const Take& take) {
    for (Offset found = 0; found < count;) {
      const std::optional<std::string_view> line = lines_.next();
      if (!line) {
        refuse_line("the file ends after " + std::to_string(found) + " of " +
                    std::to_string(count) + " " + what);
      }
      if (line->find('\t') != std::string_view::npos) {
        refuse_line("a tab stands among the fixed columns of " + in_quotes(format.text));
      }
      found += read_line(*line, format, count - found, what, take);
    }
  }

  /// Calls take(text, field) for the numbers of one line, at most `wanted`.
  /// @return the number of calls.
  template <class Take>
  Offset read_line(std::string_view line, const LineFormat& format, Offset wanted, const char* what,
                   const Take& take) {
    Offset found = 0;
    std::size_t end = 0;  // Column after the last number read.
    for (const FormatField& field : format.fields) {
      if (found == wanted) break;
      const auto begin = static_cast<std::size_t>(field.begin);
      if (begin >= line.size()) {
        refuse_line(
            "the line ends after " + std::to_string(found) + " " + what + ", expected " +
            std::to_string(std::min<Offset>(wanted, static_cast<Offset>(format.fields.size()))) +
            " in the format " + in_quotes(format.text));
      }
      check_blank(line, end, begin, format);
      end = begin + static_cast<std::size_t>(field.width);
      if (end > line.size() && lines_.is_cut()) refuse_line("the file ends within a number");
      take(without_blanks(line.substr(begin, static_cast<std::size_t>(field.width))), field);
      ++found;
    }
    check_blank(line, end, line.size(), format);
    return found;
  }

  /// Throws InvalidArgument if columns [begin, end), where the format has no number, are not blank.
  void check_blank(std::string_view line, std::size_t begin, std::size_t end,
                   const LineFormat& format) const {
    if (begin >= end) return;
    const std::string_view text = without_blanks(line.substr(begin, end - begin));
    if (text.empty()) return;
    refuse_line("text beside the numbers in the format " + in_quotes(format.text) + ": " +
                in_quotes(text));
  }

  /// Throws InvalidArgument for a blank field, which Fortran reads as 0: integers are at least 1.
  void check_integer(std::string_view text, const char* what) const {
    if (text.empty()) refuse_line("a blank field where a " + std::string(what) + " was expected");
  }

  void read_pointers() {
    constexpr const char* kWhat = "column pointer";
    Offset last = 1;
    read_numbers(header_.pointers, Offset{header_.n} + 1, "column pointers",
                 [&](std::string_view text, const FormatField&) {
                   check_integer(text, kWhat);
                   Offset pointer = 0;
                   const std::string error = examine_size(text, kWhat, &pointer);
                   if (!error.empty()) refuse_line(error);
                   check_pointer(pointer, last);
                   last = pointer;
                   colptr_.push_back(pointer - 1);
                 });
    if (last - 1 == header_.entries) return;
    refuse_line("the last column pointer is " + std::to_string(last) + ", but line " +
                std::to_string(kTypeLine) + " promises " + std::to_string(header_.entries) +
                " entries");
  }

  void check_pointer(Offset pointer, Offset last) const {
    if (colptr_.empty() && pointer != 1) {
      refuse_line("the first column pointer is " + std::to_string(pointer) + ", expected 1");
    }
    if (pointer < last) {
      refuse_line("column pointer " + std::to_string(pointer) + " is below the one before it, " +
                  std::to_string(last));
    }
    if (pointer - 1 > header_.entries) {
      refuse_line("column pointer " + std::to_string(pointer) + " exceeds the entries that line " +
                  std::to_string(kTypeLine) + " promises, " + std::to_string(header_.entries));
    }
  }

  void read_indices() {
    constexpr const char* kWhat = "row index";
    read_numbers(header_.indices, header_.entries, "row indices",
                 [&](std::string_view text, const FormatField&) {
                   check_integer(text, kWhat);
                   Index row = 0;
                   const std::string error = examine_index(text, kWhat, 1, header_.n, &row);
                   if (!error.empty()) refuse_line(error);
                   rowind_.push_back(row);
                 });
  }

  /// Reads the values and adds their row indices and columns; the values of a pattern are 1.
  ParsedEntries read_values() {
    EntryCollector lower, upper;
    Offset p = 0;
    Index col = 0;
    const auto place = [&](double value) {
      while (colptr_[static_cast<std::size_t>(col) + 1] <= p) ++col;
      const Index row = rowind_[p++];
      if (row >= col) {
        lower.add({row, col, value});
      } else {
        upper.add({col, row, value});
      }
    };
    if (header_.is_pattern()) {
      while (p < header_.entries) place(1);
    } else {
      read_numbers(header_.values, header_.entries, "values",
                   [&](std::string_view text, const FormatField& field) {
                     double value = 0;  // Fortran reads a blank field as 0.
                     const std::string error =
                         text.empty() ? "" : examine_field_value(text, field, &value);
                     if (!error.empty()) refuse_line(error);
                     place(value);
                   });
    }
    rowind_ = std::vector<Index>();  // Frees the memory; an assignment of {} would keep it.
    colptr_ = std::vector<Offset>();
    return {.lower = lower.take(), .upper = upper.take()};
  }

  /// Skips right-hand sides.  Throws InvalidArgument if other text follows the values.
  void read_to_end() {
    while (const std::optional<std::string_view> line = lines_.next()) {
      if (header_.has_right_hand_sides || without_blanks(*line).empty()) continue;
      refuse_line("text behind the last value: " + in_quotes(*line));
    }
  }

  std::string name_;
  const ReadOptions& options_;
  LineReader lines_;
  HarwellBoeingHeader header_;
  std::vector<Offset> colptr_;  // Column pointers of the file, 0-based.  Length n + 1.
  std::vector<Index> rowind_;   // Row indices of the file, 0-based.  Length header_.entries.
};

}  // namespace

SymmetricMatrix read_harwell_boeing_text(TextSource source, const ReadOptions& options) {
  const Timer timer;
  SymmetricMatrix a = HarwellBoeingReader(source, options).read();
  note_source(source, timer, &a.notes);
  return a;
}

SymmetricMatrix read_harwell_boeing(const std::string& path, const ReadOptions& options) {
  return with_memory_errors(
      path, [&] { return read_harwell_boeing_text(TextSource(ByteStream::open(path)), options); });
}

SymmetricMatrix parse_harwell_boeing(std::string_view content, const std::string& name,
                                     const ReadOptions& options) {
  return with_memory_errors(name, [&] {
    return read_harwell_boeing_text(TextSource(ByteStream::from_memory(content, name)), options);
  });
}

}  // namespace clchol::solver
