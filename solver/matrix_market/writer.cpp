#include "solver/matrix_market.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "base/team.hpp"
#include "solver/matrix_market/entries.hpp"
#include "solver/matrix_market/output.hpp"

namespace clchol::solver {
namespace {

using Sink = std::function<void(std::string_view)>;

// Bytes that suffice for a line: two indices of 10 digits, a double of 24 characters
// (-2.2250738585072014e-308), two blanks and the line end are 47 bytes.
constexpr std::size_t kLineBytes = 48;
constexpr Offset kPieceLines = 1 << 13;  // Number of lines that one thread formats at a time.

char* put_index(char* out, Index index) { return std::to_chars(out, out + 12, index).ptr; }

char* put_value(char* out, double value) { return std::to_chars(out, out + 32, value).ptr; }

/// @return the text of banner, comment and size line.
std::string head(std::string_view banner, const std::string& comment, const std::string& sizes) {
  std::string text = "%%MatrixMarket matrix " + std::string(banner) + "\n";
  std::string_view rest = comment;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    text += "% " + std::string(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text + sizes + "\n";
}

/// Formats lines [0, count) with a team, kPieceLines lines per thread at a time, and passes them to
/// the sink in order.
/// @param format  format(first, last, out) writes lines [first, last) to `out` and returns the end
///                of the text; it must not throw.
template <class Format>
void put_lines(Offset count, int threads, const Sink& sink, const Format& format) {
  struct Piece {
    std::unique_ptr<char[]> text;
    char* end;
  };
  std::vector<Piece> pieces(static_cast<std::size_t>(threads));
  for (Piece& piece : pieces) {
    const Offset lines = std::min(count, kPieceLines);
    piece.text.reset(new char[static_cast<std::size_t>(lines) * kLineBytes]);
  }
  for (Offset begin = 0; begin < count; begin += threads * kPieceLines) {
    parallel_for(threads, threads, [&](int t) {
      const Offset first = std::min(count, begin + t * kPieceLines);
      const Offset last = std::min(count, first + kPieceLines);
      pieces[t].end = format(first, last, pieces[t].text.get());
    });
    for (const Piece& piece : pieces) {
      sink({piece.text.get(), static_cast<std::size_t>(piece.end - piece.text.get())});
    }
  }
}

void check_finite(double value, const std::string& what, Offset row, Offset col) {
  if (std::isfinite(value)) return;
  throw InvalidArgument(what + " has a value that is not finite at (" + std::to_string(row + 1) +
                        ", " + std::to_string(col + 1) + ")");
}

void check_symmetric_matrix(const CscPatternView& lower, std::span<const double> values) {
  if (static_cast<Offset>(values.size()) != lower.nnz()) {
    throw InvalidArgument("values has length " + std::to_string(values.size()) + ", expected " +
                          std::to_string(lower.nnz()) + ", the entries of the pattern");
  }
  if (lower.n < 1)
    throw InvalidArgument("n is " + std::to_string(lower.n) + ", expected at least 1");
  if (!is_sorted_lower(lower)) {
    throw InvalidArgument("lower is no lower triangle with strictly ascending rows");
  }
  for (Index j = 0; j < lower.n; ++j) {
    for (Offset p = lower.colptr[j]; p < lower.colptr[j + 1]; ++p) {
      check_finite(values[p], "the matrix", lower.rowind[p], j);
    }
  }
}

void put_symmetric_matrix(const CscPatternView& lower, std::span<const double> values,
                          const WriteOptions& options, const Sink& sink) {
  const std::string n = std::to_string(lower.n);
  sink(head("coordinate real symmetric", options.comment,
            n + " " + n + " " + std::to_string(lower.nnz())));
  const auto format = [&](Offset first, Offset last, char* out) {
    // Entry `first` belongs to the last column that begins at or before it.
    const auto after = std::upper_bound(lower.colptr.begin(), lower.colptr.end(), first);
    auto col = static_cast<Index>(after - lower.colptr.begin()) - 1;
    for (Offset p = first; p < last; ++p) {
      while (lower.colptr[col + 1] <= p) ++col;
      out = put_index(out, lower.rowind[p] + 1);
      *out++ = ' ';
      out = put_index(out, col + 1);
      *out++ = ' ';
      out = put_value(out, values[p]);
      *out++ = '\n';
    }
    return out;
  };
  put_lines(lower.nnz(), thread_count(options.threads), sink, format);
}

}  // namespace

void write_symmetric_matrix(const std::string& path, const CscPatternView& lower,
                            std::span<const double> values, const WriteOptions& options) {
  check_symmetric_matrix(lower, values);
  OutputFile file(path, thread_count(options.threads), options.cancel);
  put_symmetric_matrix(lower, values, options, [&](std::string_view text) { file.append(text); });
  file.commit();
}

std::string format_symmetric_matrix(const CscPatternView& lower, std::span<const double> values,
                                    const WriteOptions& options) {
  check_symmetric_matrix(lower, values);
  std::string out;
  put_symmetric_matrix(lower, values, options, [&](std::string_view text) { out += text; });
  return out;
}

void write_dense(const std::string& path, DenseView<const double> matrix,
                 const WriteOptions& options) {
  if (matrix.nrow < 1 || matrix.ncol < 1) {
    throw InvalidArgument("the dense matrix is " + std::to_string(matrix.nrow) + " x " +
                          std::to_string(matrix.ncol) + ", expected at least 1 x 1");
  }
  for (Index j = 0; j < matrix.ncol; ++j) {
    for (Index i = 0; i < matrix.nrow; ++i) check_finite(matrix(i, j), "the dense matrix", i, j);
  }
  OutputFile file(path, thread_count(options.threads), options.cancel);
  file.append(head("array real general", options.comment,
                   std::to_string(matrix.nrow) + " " + std::to_string(matrix.ncol)));
  const auto format = [&](Offset first, Offset last, char* out) {
    for (Offset k = first; k < last; ++k) {
      out = put_value(
          out, matrix(static_cast<Index>(k % matrix.nrow), static_cast<Index>(k / matrix.nrow)));
      *out++ = '\n';
    }
    return out;
  };
  put_lines(
      Offset{matrix.nrow} * matrix.ncol, thread_count(options.threads),
      [&](std::string_view text) { file.append(text); }, format);
  file.commit();
}

void write_permutation(const std::string& path, std::span<const Index> perm,
                       const WriteOptions& options) {
  const auto n = static_cast<Offset>(perm.size());
  ordering::make_permutation({perm.begin(), perm.end()});  // Throws if perm is no permutation.
  if (n < 1) throw InvalidArgument("perm is empty, expected at least one index");
  OutputFile file(path, thread_count(options.threads), options.cancel);
  file.append(head("array integer general", options.comment, std::to_string(n) + " 1"));
  const auto format = [&](Offset first, Offset last, char* out) {
    for (Offset k = first; k < last; ++k) {
      out = put_index(out, perm[k] + 1);
      *out++ = '\n';
    }
    return out;
  };
  put_lines(
      n, thread_count(options.threads), [&](std::string_view text) { file.append(text); }, format);
  file.commit();
}

}  // namespace clchol::solver
