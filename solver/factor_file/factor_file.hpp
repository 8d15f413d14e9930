// Reads and writes the file of a saved factor: the analysis, the scaling, and L's panels in blocks
// with checksums.
//
// Numbers are binary, in the byte order of the machine.  The file is written sequentially.  It is
// read at any offset, so that several threads read blocks at the same time.
//
//   first page    4096 bytes: FilePrefix, Header (format.hpp), zeros, checksum of the bytes before
//   blocks        L's columns, panel by panel, each column from its diagonal entry down: entries of
//                 float or double, in blocks of 4 MiB; the last block is filled with zeros to a
//                 multiple of 4096 bytes
//   analysis      see analysis_file.hpp; with a checksum of its own
//   int32         the panels' supernodes, in the order of the blocks      nsuper
//   float64       diagonal of S                                           n; 0 when unscaled
//   uint64        checksums of the blocks                                 number of blocks
//   uint64        checksum of the three arrays before
//
// Blocks begin at multiples of 4096 bytes, as direct I/O needs.  The columns of a panel have no
// padding, whatever the leading dimension of the panel is.  Panels have the order in which the
// engine keeps them.  So the bytes of the file depend on the engine and its plan, but not on the
// number of threads.
//
// Checksums find damage, as for a saved analysis.  Hashes of A's pattern and of A's values refuse
// the factor of another matrix.
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
/// @param f       must hold a factor and A's values.
/// @param cancel  once true, the call ends with ordering::Interrupted; null: never.
/// Throws InvalidArgument with the system's error text, and for a name that ends in ".gz";
/// ordering::Interrupted; the exceptions of Engine::visit_panels().  Cost: one pass over L on the
/// calling thread.
template <class T>
void save_factor(const Analysis& analysis, const Factorization<T>& f, const std::string& path,
                 const std::atomic<bool>* cancel);

/// A file that save_factor() has written, open for reading.
class FactorFile {
 public:
  /// Opens the file; reads and checks the first page and the arrays behind the analysis.
  /// @param cancel  once true, calls end with ordering::Interrupted; must outlive the object; null:
  ///                never.
  /// Throws InvalidArgument "<name>: <reason>", std::bad_alloc.
  FactorFile(const std::string& path, const std::atomic<bool>* cancel);
  ~FactorFile();
  FactorFile(const FactorFile&) = delete;
  FactorFile& operator=(const FactorFile&) = delete;

  const factor_file::Header& header() const { return header_; }
  /// Whether L is in double; otherwise it is in float.
  bool is_double() const { return header_.entry_bytes == sizeof(double); }
  /// Diagonal of S.  Length n, or 0: unscaled.
  const std::vector<double>& scale() const { return scale_; }

  /// Reads the analysis with which the factor was made.
  /// @param lower  the pattern that the analysis must belong to; null: any pattern.
  /// Throws as the constructor; ordering::Interrupted.
  SavedAnalysis read_analysis(const CscPatternView* lower, int threads) const;

  /// Throws InvalidArgument when `values` differ from the values of A that were factored.
  template <class T>
  void check_values(std::span<const T> values) const;

  /// Reads L's panels.
  /// @param symbolic  symbolic factor that was restored from read_analysis().
  /// @param table     locations of the panels; must have one slab.
  /// @return the slab, with numeric::kPanelSlack zeros behind it.  Entries above the diagonals of
  ///         the panels are zero.
  /// Throws as the constructor; ordering::Interrupted.  Cost O(entries of L): threads read, check
  /// and copy blocks at the same time.  Memory: the result, and one block per thread.
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
  std::vector<Index> order_;              // Supernodes in the order of the blocks.  Length nsuper.
  std::vector<double> scale_;             // Diagonal of S.  Length n, or 0: unscaled.
  std::vector<std::uint64_t> checksums_;  // Checksum of each block.  Length: number of blocks.
};

/// Reads the factor of a file to a CPU engine.  The next factorization keeps this engine only if
/// Options::engine is kCpu and Options::memory has its default values.
/// @param analysis  analysis that was restored from file.read_analysis() for this factor's
///                  precision; must outlive the result.
/// Throws as FactorFile::read_panels(), and OutOfMemory when the factor exceeds
/// Options::memory.host or the free memory.
template <class T>
Factorization<T> load_factor(const FactorFile& file, const Analysis& analysis,
                             const Options& options);

}  // namespace clchol::solver
