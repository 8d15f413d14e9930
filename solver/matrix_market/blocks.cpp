#include "solver/matrix_market/blocks.hpp"

#include <algorithm>
#include <utility>

#include "solver/matrix_market/number.hpp"

namespace clchol::solver {
namespace {

std::unique_ptr<char[]> allocate(std::size_t capacity) {
  return std::make_unique_for_overwrite<char[]>(capacity + 1);  // One byte more for the final '\n'.
}

bool is_comment(std::string_view line) {
  const auto first = std::find_if_not(line.begin(), line.end(), is_blank);
  return first != line.end() && *first == '%';
}

}  // namespace

BlockReader::BlockReader(TextSource& source, std::size_t block_bytes)
    : source_(source), block_bytes_(std::max<std::size_t>(block_bytes, 1)) {}

std::optional<TextBlock> BlockReader::next() {
  TextBlock block;
  std::size_t capacity = std::max(block_bytes_, carry_.size());
  block.data = allocate(capacity);
  block.size = carry_.copy(block.data.get(), carry_.size());
  carry_.clear();
  for (;;) {
    if (!ended_ && block.size < capacity) {
      block.size += fill(block.data.get() + block.size, capacity - block.size);
    }
    if (ended_) break;
    const std::size_t line_end = block.text().rfind('\n');
    if (line_end != std::string_view::npos) {
      carry_ = block.text().substr(line_end + 1);
      block.size = line_end + 1;
      break;
    }
    if (block.size > kLongestLine && is_comment(block.text())) {
      cut_comment(&block, capacity);
      break;
    }
    if (block.size > kLongestLine) {
      block.overlong = true;
      break;
    }
    std::unique_ptr<char[]> larger = allocate(2 * capacity);
    std::copy_n(block.data.get(), block.size, larger.get());
    block.data = std::move(larger);
    capacity *= 2;
  }
  if (block.size == 0) return std::nullopt;
  block.data[block.size] = '\n';
  return block;
}

/// Skips the rest of the comment line that the block begins, and reduces the block to "%".
void BlockReader::cut_comment(TextBlock* block, std::size_t capacity) {
  std::size_t line_end = std::string_view::npos;
  while (!ended_ && line_end == std::string_view::npos) {
    block->size = fill(block->data.get(), capacity);
    line_end = block->text().find('\n');
  }
  if (line_end != std::string_view::npos) carry_ = block->text().substr(line_end + 1);
  block->data[0] = '%';
  block->size = 1;
}

void BlockReader::check_compression() {
  if (!source_.compressed()) return;
  const std::unique_ptr<char[]> buffer = allocate(block_bytes_);
  while (!ended_) fill(buffer.get(), block_bytes_);
}

std::size_t BlockReader::fill(char* out, std::size_t capacity) {
  ended_ = true;  // If the source throws, ended_ stays true and the source is not read again.
  const std::size_t size = source_.read(out, capacity);
  ended_ = size < capacity;
  return size;
}

}  // namespace clchol::solver
