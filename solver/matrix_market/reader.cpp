#include "solver/matrix_market.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <new>
#include <utility>

#include "solver/matrix_market/assemble.hpp"
#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/session.hpp"
#include "solver/matrix_market/symmetry.hpp"

namespace clchol::solver {
namespace {

/// The shortest digits that read back to the same value.
std::string to_text(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr};
}

/// "(row, column)", 1-based.
std::string position(Index row, Index col) {
  return std::string("(") + std::to_string(Offset{row} + 1) + ", " +
         std::to_string(Offset{col} + 1) + ")";
}

/// Refuses fields and symmetries that no real reader takes.
void check_real(const ReadSession& session, const MatrixMarketHeader& header) {
  const auto unsuitable = [&](const std::string& reason) {
    refuse(session.name(), header.banner_line, reason);
  };
  if (header.field == MatrixField::kPattern) {
    unsuitable("a pattern has no values; the solver needs a real or integer file");
  }
  if (header.symmetry == MatrixSymmetry::kHermitian) {
    unsuitable("hermitian (complex) matrices are not supported; expected real symmetric");
  }
  if (header.field == MatrixField::kComplex) {
    unsuitable("complex values are not supported; expected real or integer");
  }
  if (header.symmetry == MatrixSymmetry::kSkewSymmetric) {
    unsuitable("a skew-symmetric matrix is not positive definite; expected symmetric");
  }
}

void check_matrix(const ReadSession& session, const MatrixMarketHeader& header) {
  check_real(session, header);
  if (header.is_vector) {
    refuse(session.name(), header.banner_line, "expected a matrix, found a vector");
  }
  if (header.nrow != header.ncol) {
    refuse(session.name(), header.size_line,
           "the matrix is " + std::to_string(header.nrow) + " x " + std::to_string(header.ncol) +
               ", expected a square one");
  }
  // Every row of a positive definite matrix has an entry.  Small matrices without them are passed
  // on to the solver, which names the row; for large ones the column pointers alone would dwarf the
  // file.
  constexpr Offset kSmallOrder = Offset{1} << 20;
  constexpr Offset kOrderPerEntry = 16;
  if (header.nrow > kSmallOrder && (header.nrow - kSmallOrder) / kOrderPerEntry > header.entries) {
    refuse(session.name(), header.size_line,
           std::to_string(header.nrow) + " rows with only " + std::to_string(header.entries) +
               " entries: most rows are empty, the matrix is singular");
  }
}

/// Sums of duplicates may overflow; single values are finite.
void check_sums(const AssembledColumns& columns, const ReadSession& session) {
  if (columns.duplicates == 0) return;
  for (Index j = 0; j < columns.pattern.n; ++j) {
    for (Offset p = columns.pattern.colptr[j]; p < columns.pattern.colptr[j + 1]; ++p) {
      if (!std::isfinite(columns.values[p])) {
        refuse(session.name(), 0,
               "the sum of the entries at " + position(columns.pattern.rowind[p], j) +
                   " overflows a double");
      }
    }
  }
}

void check_symmetric(const AssembledColumns& lower, const AssembledColumns& upper,
                     const ReadSession& session, int threads) {
  const EntryPair worst = worst_asymmetry(lower, upper, threads);
  if (worst.row == kNone) return;
  refuse(session.name(), 0,
         "the matrix is not symmetric: worst at " + position(worst.row, worst.col) + " = " +
             to_text(worst.lower) + " and " + position(worst.col, worst.row) + " = " +
             to_text(worst.upper));
}

/// The lower triangle from both triangles of a general file, or of a symmetric one with entries
/// above the diagonal.
AssembledColumns join_triangles(AssembledColumns lower, const AssembledColumns& upper,
                                const ReadSession& session, ReadNotes* notes) {
  const int threads = thread_count(session.options().threads);
  notes->duplicates_summed = lower.duplicates + upper.duplicates;
  if (session.header().symmetry == MatrixSymmetry::kGeneral) {
    check_symmetric(lower, upper, session, threads);
    notes->general_but_symmetric = true;
    return lower;
  }
  if (upper.pattern.rowind.empty()) return lower;
  MergedTriangles merged = add_triangles(lower, upper, threads);
  if (merged.wholly_mirrored) {
    refuse(session.name(), session.header().banner_line,
           "the symmetric file holds both triangles: every off-diagonal entry stands at (i, j) and "
           "at (j, i) with the same value; say 'general' in the banner or remove one triangle");
  }
  notes->mirrored_pairs = merged.pairs;
  notes->duplicates_summed = merged.columns.duplicates;
  return std::move(merged.columns);
}

AssembledColumns assemble_coordinate(ReadSession& session, ReadNotes* notes) {
  const int threads = thread_count(session.options().threads);
  const Index n = session.header().nrow;
  ParsedEntries entries = session.entries(true);
  if (session.header().symmetry == MatrixSymmetry::kSymmetric) {
    for (const EntryRun& run : entries.upper) {
      notes->upper_folded += static_cast<Offset>(run.entries.size());
    }
  }
  AssembledColumns upper = assemble_columns(n, std::move(entries.upper), threads);
  check_sums(upper, session);
  check_cancel(session.options());
  AssembledColumns lower = assemble_columns(n, std::move(entries.lower), threads);
  check_sums(lower, session);
  check_cancel(session.options());
  AssembledColumns joined = join_triangles(std::move(lower), upper, session, notes);
  check_sums(joined, session);
  return joined;
}

/// The values of all runs, freeing each run behind it.
std::vector<double> take_values(std::vector<EntryRun> runs, Offset count) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(count));
  for (EntryRun& run : runs) {
    for (const Entry& entry : run.entries) values.push_back(entry.value);
    run = {};
  }
  return values;
}

/// Columns of a dense lower triangle; value(i, j) is called column by column, i from j on.
template <class Value>
AssembledColumns dense_lower(Index n, const Value& value) {
  AssembledColumns out;
  const Offset nnz = Offset{n} * (Offset{n} + 1) / 2;
  out.pattern.n = n;
  out.pattern.colptr.reserve(static_cast<std::size_t>(n) + 1);
  out.pattern.rowind.reserve(static_cast<std::size_t>(nnz));
  out.values.reserve(static_cast<std::size_t>(nnz));
  out.pattern.colptr.push_back(0);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      out.pattern.rowind.push_back(i);
      out.values.push_back(value(i, j));
    }
    out.pattern.colptr.push_back(static_cast<Offset>(out.values.size()));
  }
  return out;
}

AssembledColumns assemble_array(ReadSession& session, ReadNotes* notes) {
  const MatrixMarketHeader& header = session.header();
  const Index n = header.nrow;
  const std::vector<double> a = take_values(session.entries(false).lower, header.entries);
  if (header.symmetry == MatrixSymmetry::kSymmetric) {
    Offset next = 0;  // The file has the packed columns in this very order.
    return dense_lower(n, [&](Index, Index) { return a[next++]; });
  }
  const auto at = [&](Index i, Index j) { return a[i + Offset{j} * n]; };
  AssembledColumns lower = dense_lower(n, at);
  const AssembledColumns upper = dense_lower(n, [&](Index i, Index j) { return at(j, i); });
  check_symmetric(lower, upper, session, thread_count(session.options().threads));
  notes->general_but_symmetric = true;
  return lower;
}

SymmetricMatrix read_symmetric(ByteStream stream, const ReadOptions& options) {
  ReadSession session(std::move(stream), options);
  session.check_header([&](const MatrixMarketHeader& header) { check_matrix(session, header); });
  ReadNotes found;
  AssembledColumns columns = session.header().format == MatrixFormat::kCoordinate
                                 ? assemble_coordinate(session, &found)
                                 : assemble_array(session, &found);
  SymmetricMatrix out;
  out.notes = session.notes();
  out.notes.duplicates_summed = found.duplicates_summed;
  out.notes.upper_folded = found.upper_folded;
  out.notes.mirrored_pairs = found.mirrored_pairs;
  out.notes.general_but_symmetric = found.general_but_symmetric;
  out.notes.explicit_zeros = std::count(columns.values.begin(), columns.values.end(), 0.0);
  out.lower = std::move(columns.pattern);
  out.values = std::move(columns.values);
  return out;
}

void check_dense(const ReadSession& session, const MatrixMarketHeader& header,
                 Index expected_rows) {
  check_real(session, header);
  const bool coordinate = header.format == MatrixFormat::kCoordinate;
  if (header.symmetry != MatrixSymmetry::kGeneral) {
    refuse(session.name(), header.banner_line, "expected a general matrix, found a symmetric one");
  }
  if (header.is_vector && coordinate) {
    refuse(session.name(), header.banner_line,
           "sparse vectors are not supported; expected a matrix or an array");
  }
  if (expected_rows != kNone && header.nrow != expected_rows) {
    refuse(session.name(), header.size_line,
           std::to_string(header.nrow) + " rows, expected " + std::to_string(expected_rows) +
               ", the order of the matrix");
  }
  // Absent entries become zeros: a short file must not ask for any amount of memory.
  constexpr Offset kSmallSize = Offset{1} << 24;
  constexpr Offset kSizePerEntry = 1024;
  constexpr Offset kColumnsTrusted = 64;
  const Offset size = Offset{header.nrow} * header.ncol;
  const Offset trusted = kSmallSize + kColumnsTrusted * std::max<Index>(expected_rows, 0);
  if (coordinate && size > trusted && (size - trusted) / kSizePerEntry > header.entries) {
    refuse(session.name(), header.size_line,
           std::to_string(size) + " numbers with only " + std::to_string(header.entries) +
               " entries: too sparse for a dense matrix");
  }
}

DenseMatrix scatter_dense(ReadSession& session) {
  const MatrixMarketHeader& header = session.header();
  DenseMatrix out = {header.nrow, header.ncol, {}};
  // The entries come first: only a file that has all of them makes us allocate.
  const std::vector<EntryRun> runs = session.entries(false).lower;
  out.values.assign(static_cast<std::size_t>(Offset{header.nrow} * header.ncol), 0.0);
  const DenseView<double> view = out.view();
  for (const EntryRun& run : runs) {
    for (const Entry& entry : run.entries) {
      view(entry.row, entry.col) += entry.value;
      if (!std::isfinite(view(entry.row, entry.col))) {
        refuse(
            session.name(), 0,
            "the sum of the entries at " + position(entry.row, entry.col) + " overflows a double");
      }
    }
  }
  return out;
}

DenseMatrix read_dense_stream(ByteStream stream, Index expected_rows, const ReadOptions& options) {
  ReadSession session(std::move(stream), options);
  session.check_header(
      [&](const MatrixMarketHeader& h) { check_dense(session, h, expected_rows); });
  const MatrixMarketHeader& header = session.header();
  if (header.format == MatrixFormat::kCoordinate) return scatter_dense(session);
  return {header.nrow, header.ncol, take_values(session.entries(false).lower, header.entries)};
}

/// Calls read(), naming the file if memory runs out.
template <class Read>
auto with_memory_errors(const std::string& name, const Read& read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(name + ": not enough memory to read the file");
  }
}

}  // namespace

SymmetricMatrix read_symmetric_matrix(const std::string& path, const ReadOptions& options) {
  return with_memory_errors(path, [&] { return read_symmetric(ByteStream::open(path), options); });
}

SymmetricMatrix parse_symmetric_matrix(std::string_view content, const std::string& name,
                                       const ReadOptions& options) {
  return with_memory_errors(
      name, [&] { return read_symmetric(ByteStream::from_memory(content, name), options); });
}

DenseMatrix read_dense(const std::string& path, Index expected_rows, const ReadOptions& options) {
  return with_memory_errors(
      path, [&] { return read_dense_stream(ByteStream::open(path), expected_rows, options); });
}

DenseMatrix parse_dense(std::string_view content, const std::string& name, Index expected_rows,
                        const ReadOptions& options) {
  return with_memory_errors(name, [&] {
    return read_dense_stream(ByteStream::from_memory(content, name), expected_rows, options);
  });
}

}  // namespace clchol::solver
