// A saved factor: the analysis, the scaling, and L's panels in blocks with checksums.
//
// Numbers are binary, in the byte order of the machine.  The file is written from front to back and
// read at any place, so that threads read blocks side by side.
//
//   first page    Prefix, Header (format.hpp), zeros, checksum of the page before it   4096 bytes
//   blocks        L's columns, one panel after another, each column from its diagonal entry
//                 down: entries of float or double, in blocks of 4 MiB; the last one is filled
//                 with zeros to a multiple of 4096 bytes
//   analysis      as analysis_file.hpp describes it, with a checksum of its own
//   int32         the panels' supernodes, in the order of the blocks      nsuper
//   float64       diagonal of S                                           n, or none: unscaled
//   uint64        checksums of the blocks; checksum of all after the analysis
//
// Blocks begin at multiples of 4096 bytes, as direct I/O wants them.  A panel's columns have no
// padding, whatever its leading dimension is, and panels have the order in which the engine keeps
// them: the file's bytes depend on the engine and its plan, and not on the number of threads.
//
// What guards against what: as for a saved analysis.  Damage is found by checksums; the hashes of
// A's pattern and of its values refuse the factor of another matrix by mistake.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "numeric/panel_table.hpp"
#include "solver/engine.hpp"
#include "solver/factor_file/format.hpp"
#include "solver/factorization.hpp"

namespace clchol::solver {

/// Writes the factor of `f` to a file that appears whole or not at all.
/// @param f       has a factor; its values are A's.
/// @param cancel  once true, writing is given up; null: never.
/// Throws InvalidArgument with the system's words, and for a name that ends in ".gz";
/// ordering::Interrupted; what the engine throws.  Cost: one pass over L on the calling thread.
template <class T>
void save_factor(const Analysis& analysis, const Factorization<T>& f, const std::string& path,
                 const std::atomic<bool>* cancel);

/// A file that save_factor() has written, open for reading.
class FactorFile {
 public:
  /// Reads and checks the first page and what follows the blocks.
  /// @param cancel  polled from time to time by all calls, outlives the object; null: never.
  /// Throws InvalidArgument "<name>: <reason>", std::bad_alloc.
  FactorFile(const std::string& path, const std::atomic<bool>* cancel);
  ~FactorFile();
  FactorFile(const FactorFile&) = delete;
  FactorFile& operator=(const FactorFile&) = delete;

  const factor_file::Header& header() const { return header_; }
  /// Whether L is in double; else in float.
  bool is_double() const { return header_.entry_bytes == sizeof(double); }
  /// Diagonal of S.  Length n, or 0: unscaled.
  const std::vector<double>& scale() const { return scale_; }

  /// The analysis that the factor was made with.
  /// @param lower  the pattern that it must belong to; null: any.
  /// Throws as the constructor; ordering::Interrupted.
  SavedAnalysis read_analysis(const CscPatternView* lower, int threads) const;

  /// Refuses values of A that are not those that were factored.  Throws InvalidArgument.
  template <class T>
  void check_values(std::span<const T> values) const;

  /// L's panels, in slabs of the table with numeric::kPanelSlack values behind each; zeros above
  /// the diagonals.
  /// @param symbolic  restored from read_analysis().
  /// @param table     one slab.
  /// Throws as the constructor; ordering::Interrupted.  Cost O(entries of L): threads read, check
  /// and place blocks side by side; memory: the result, and a block a thread.
  template <class F>
  AlignedBuffer<F> read_panels(const symbolic::SymbolicFactor& symbolic,
                               const numeric::PanelTable& table, int threads) const;

 private:
  [[noreturn]] void refuse(const std::string& reason) const;
  void check_cancel() const;
  /// Fills `to` with the file's bytes from `offset` on.
  void read_at(Offset offset, void* to, Offset bytes) const;
  void read_first_page();
  void read_tail();
  /// Tells the system that blocks from `block` on will be read.
  void read_ahead(Offset block, Offset count) const;
  void read_block(Index block, char* to, Offset bytes) const;

  std::string name_;
  const std::atomic<bool>* cancel_;
  int file_ = -1;
  Offset size_ = 0;  // Bytes of the file.
  factor_file::Header header_ = {};
  std::vector<Index> order_;              // Supernodes in the order of the blocks.
  std::vector<double> scale_;             // See scale().
  std::vector<std::uint64_t> checksums_;  // One of each block.
};

/// The factor of a file, on the CPU: the next factorization chooses its engine anew, unless
/// Options::engine is kCpu.
/// @param analysis  made of file.read_analysis() for this factor's precision; outlives the result.
/// Throws as FactorFile::read_panels(), and OutOfMemory where the factor exceeds the budget or what
/// is free.
template <class T>
Factorization<T> load_factor(const FactorFile& file, const Analysis& analysis,
                             const Options& options);

}  // namespace clchol::solver
