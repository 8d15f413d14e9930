#include "solver/harwell_boeing/lines.hpp"

#include <algorithm>
#include <string>

#include "solver/matrix_market/entries.hpp"
#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/number.hpp"

namespace clchol::solver {

LineReader::LineReader(TextSource& source, const ReadOptions& options)
    : source_(source), options_(options), blocks_(source, options.block_bytes) {}

std::optional<std::string_view> LineReader::next() {
  if (rest_.empty() && !fetch()) return std::nullopt;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  is_cut_ = end == rest_.size();
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++number_;
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

bool LineReader::fetch() {
  check_cancel(options_);
  block_ = blocks_.next();
  if (!block_) return false;
  if (options_.progress != nullptr) {
    options_.progress(options_.progress_context, source_.fraction());
  }
  if (block_->overlong) {
    refuse(source_.name(), number_ + 1,
           "the line is longer than " + std::to_string(kLongestLine) + " bytes");
  }
  rest_ = block_->text();
  return true;
}

}  // namespace clchol::solver
