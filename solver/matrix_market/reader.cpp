#include "solver/matrix_market/reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/lower_triangle.hpp"
#include "solver/matrix_market/session.hpp"

namespace clchol::solver {
namespace {

/// Throws InvalidArgument for fields and symmetries that a reader of real matrices does not accept.
void check_real(const ReadSession& session, const MatrixMarketHeader& header) {
  const auto unsuitable = [&](const std::string& reason) {
    refuse(session.name(), header.field_line, reason);
  };
  if (header.field == MatrixField::kPattern && !session.options().pattern_only) {
    unsuitable("a pattern has no values; the solver needs a real or integer file");
  }
  if (header.field == MatrixField::kPattern && header.format == MatrixFormat::kArray) {
    unsuitable("an array of a pattern has neither places nor values; expected coordinate");
  }
  // In a triplet file, a complex matrix of which one triangle is stored is hermitian.
  const bool is_hermitian =
      header.field == MatrixField::kComplex && (header.symmetry == MatrixSymmetry::kLowerStored ||
                                                header.symmetry == MatrixSymmetry::kUpperStored);
  if (header.symmetry == MatrixSymmetry::kHermitian || is_hermitian) {
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
  check_entry_count(session.name(), header.size_line, header.nrow, header.entries);
}

bool is_off_diagonal(const Entry& entry) { return entry.row != entry.col; }

/// Whether both triangles have off-diagonal entries.
bool has_both_triangles(const ParsedEntries& entries) {
  return !entries.upper.empty() &&
         std::any_of(entries.lower.begin(), entries.lower.end(), [](const EntryRun& run) {
           return std::any_of(run.entries.begin(), run.entries.end(), is_off_diagonal);
         });
}

MatrixClaim claim_of(const ReadSession& session) {
  const MatrixMarketHeader& header = session.header();
  return {.name = session.name(),
          .n = header.nrow,
          .is_general = header.symmetry == MatrixSymmetry::kGeneral,
          .is_pattern = header.field == MatrixField::kPattern,
          .line = header.banner_line,
          .general_wording = "'general' in the banner"};
}

/// Concatenates the values of all runs; frees each run after copying it.
std::vector<double> take_values(std::vector<EntryRun> runs, Offset count) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(count));
  for (EntryRun& run : runs) {
    for (const Entry& entry : run.entries) values.push_back(entry.value);
    run = {};
  }
  return values;
}

/// Builds the columns of a dense lower triangle.  Calls value(i, j) column by column, for ascending
/// i >= j.
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

SymmetricMatrix assemble_array(ReadSession& session) {
  const MatrixMarketHeader& header = session.header();
  const Index n = header.nrow;
  const std::vector<double> a = take_values(session.entries(false).lower, header.entries);
  if (header.symmetry == MatrixSymmetry::kSymmetric) {
    Offset next = 0;  // The file has the packed columns in the order of dense_lower()'s calls.
    return to_matrix(dense_lower(n, [&](Index, Index) { return a[next++]; }), {});
  }
  const auto at = [&](Index i, Index j) { return a[i + Offset{j} * n]; };
  AssembledColumns lower = dense_lower(n, at);
  const AssembledColumns upper = dense_lower(n, [&](Index i, Index j) { return at(j, i); });
  const double asymmetry =
      check_symmetric(claim_of(session), lower, upper, thread_count(session.options().threads));
  return to_matrix(std::move(lower), {.general_but_symmetric = true, .asymmetry = asymmetry});
}

void check_dense(const ReadSession& session, const MatrixMarketHeader& header,
                 Index expected_rows) {
  check_real(session, header);
  const bool coordinate = header.format == MatrixFormat::kCoordinate;
  if (header.symmetry != MatrixSymmetry::kGeneral && header.symmetry != MatrixSymmetry::kUnsaid) {
    refuse(session.name(), header.is_triplet ? header.size_line : header.banner_line,
           "expected a general matrix, found a symmetric one");
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
  // Absent entries become zeros.  The memory for the zeros must be in proportion to the file.
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

SymmetricMatrix assemble_coordinates(ReadSession& session) {
  const MatrixSymmetry symmetry = session.header().symmetry;
  ParsedEntries entries = session.entries(true);
  MatrixClaim claim = claim_of(session);
  if (symmetry == MatrixSymmetry::kUnsaid) claim.is_general = has_both_triangles(entries);
  const Offset dropped = entries.dropped;
  const bool zero_based = entries.zero_based;
  SymmetricMatrix a = assemble_symmetric(claim, std::move(entries), session.options());
  a.notes.outside_dropped = dropped;
  a.notes.zero_based = zero_based;
  // Entries above the diagonal are worth a note only if the banner says symmetric.
  if (symmetry != MatrixSymmetry::kSymmetric) a.notes.upper_folded = 0;
  return a;
}

DenseMatrix scatter_dense(ReadSession& session) {
  const MatrixMarketHeader& header = session.header();
  DenseMatrix out = {header.nrow, header.ncol, {}};
  // Parse the entries first, so that a file that lacks entries is refused before the allocation.
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
  ReadSession session(TextSource(std::move(stream)), options);
  session.check_header(
      [&](const MatrixMarketHeader& h) { check_dense(session, h, expected_rows); });
  const MatrixMarketHeader& header = session.header();
  if (header.format == MatrixFormat::kCoordinate) return scatter_dense(session);
  return {header.nrow, header.ncol, take_values(session.entries(false).lower, header.entries)};
}

}  // namespace

SymmetricMatrix read_symmetric_text(TextSource source, const ReadOptions& options) {
  ReadSession session(std::move(source), options);
  session.check_header([&](const MatrixMarketHeader& header) { check_matrix(session, header); });
  SymmetricMatrix a;
  if (session.header().format == MatrixFormat::kCoordinate) {
    a = assemble_coordinates(session);
  } else {
    a = assemble_array(session);
  }
  session.complete(&a.notes);
  return a;
}

SymmetricMatrix read_symmetric_matrix(const std::string& path, const ReadOptions& options) {
  return with_memory_errors(
      path, [&] { return read_symmetric_text(TextSource(ByteStream::open(path)), options); });
}

SymmetricMatrix parse_symmetric_matrix(std::string_view content, const std::string& name,
                                       const ReadOptions& options) {
  return with_memory_errors(name, [&] {
    return read_symmetric_text(TextSource(ByteStream::from_memory(content, name)), options);
  });
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
