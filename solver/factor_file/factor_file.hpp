// Reads and writes the file of a saved factor: the analysis, the scaling S, and the columns of L.
//
// Numbers are binary, in the byte order of the machine.  save_factor() writes the file from its
// begin to its end.  FactorFile reads it: several threads read different blocks at the same time.
// The file consists of these sections, one after another:
//
//   first page   4096 bytes: FilePrefix, Header (format.hpp), zeros, checksum of these bytes
//   blocks       The entries of L, panel by panel; in a panel column by column; in a column from
//                the diagonal entry down.  Entries are float or double.  They are cut into blocks
//                of 4 MiB.  Zeros fill the last block to a multiple of 4096 bytes.
//   analysis     the bytes of a saved analysis (analysis_file.hpp), with their own checksum
//   tail         four arrays:
//                  int32     supernodes of the panels in the order of the blocks; length nsuper
//                  float64   diagonal of S; length n, or 0 if A was not scaled
//                  uint64    checksum of each block; length: number of blocks
//                  uint64    checksum of the three arrays above; length 1
//
// Blocks begin at multiples of 4096 bytes, as direct I/O needs.  The columns of a panel lie without
// gaps, whatever the leading dimension of the panel in memory was.  The order of the panels is that
// in which Engine::visit_panels() visits them.  So the bytes of the file depend on the engine and
// its plan, but not on the number of threads.
//
// The checksums reveal damage of the file.  A hash of A's pattern and a checksum of A's values
// reveal that the file has the factor of another matrix.
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

/// Writes the factor of `f` to the file `path`.  On failure, `path` keeps its former content.
/// @param f       must hold a factor and A's values.
/// @param cancel  flag of the caller.  When it is true, the call ends with ordering::Interrupted.
///                Null: no flag.
/// Throws InvalidArgument with the system's error text when the file cannot be written, and for a
/// name that ends in ".gz"; ordering::Interrupted; the exceptions of Engine::visit_panels().
/// Cost: one pass over L on the calling thread.
template <class T>
void save_factor(const Analysis& analysis, const Factorization<T>& f, const std::string& path,
                 const std::atomic<bool>* cancel);

/// A file that save_factor() has written, open for reading.
class FactorFile {
 public:
  /// Opens the file; reads and checks the first page and the tail.
  /// @param cancel  flag of the caller, which must outlive the object.  When it is true, calls of
  ///                read_analysis() and read_panels() end with ordering::Interrupted.  Null: no
  ///                flag.
  /// Throws InvalidArgument "<name of the file>: <reason>", std::bad_alloc.
  FactorFile(const std::string& path, const std::atomic<bool>* cancel);
  ~FactorFile();
  FactorFile(const FactorFile&) = delete;
  FactorFile& operator=(const FactorFile&) = delete;

  const factor_file::Header& header() const { return header_; }
  /// Whether L is in double; otherwise it is in float.
  bool is_double() const { return header_.entry_bytes == sizeof(double); }
  /// Diagonal of S.  Length n, or 0 if A was not scaled.
  const std::vector<double>& scale() const { return scale_; }

  /// Reads the analysis with which the factor was made.
  /// @param lower  the pattern that the analysis must belong to; null: any pattern.
  /// Throws the exceptions of the constructor, and ordering::Interrupted.
  SavedAnalysis read_analysis(const CscPatternView* lower, int threads) const;

  /// Throws InvalidArgument when `values` are not the values of A that were factored: when they
  /// have another checksum.
  /// @param values  values of A's lower triangle, unscaled, in the order of Analysis::map.lower.
  template <class T>
  void check_values(std::span<const T> values) const;

  /// Reads L's panels.
  /// @param symbolic  symbolic factor that was restored from read_analysis().
  /// @param table     says where the panels are in the result; must have one slab.
  /// @param threads   number of threads that read, check and copy blocks.
  /// @return the slab: memory of all panels, followed by numeric::kPanelSlack zeros.  Entries above
  ///         the diagonals of the panels are zero.
  /// Throws the exceptions of the constructor, and ordering::Interrupted.
  /// Cost O(entries of L), divided among the threads.  Memory: the result, and one block of 4 MiB
  /// for each thread.
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
  /// Tells the system that the `count` blocks from number `block` on will be read soon.
  void read_ahead(Offset block, Offset count) const;
  /// Reads block number `block`, which has `bytes` bytes, and compares its checksum.
  void read_block(Index block, char* to, Offset bytes) const;

  std::string name_;                 // Path of the file, for messages.
  const std::atomic<bool>* cancel_;  // Flag of the caller, or null.
  int file_ = -1;                    // File descriptor.
  Offset size_ = 0;                  // Bytes of the file.
  factor_file::Header header_ = {};
  std::vector<Index> order_;              // Supernodes in the order of the blocks.  Length nsuper.
  std::vector<double> scale_;             // Diagonal of S.  Length n, or 0 if A was not scaled.
  std::vector<std::uint64_t> checksums_;  // Checksum of each block.  Length: number of blocks.
};

/// Reads the factor of a file, and makes a CPU engine that holds it.  A later factorization uses
/// this engine again only if Options::engine is kCpu and Options::memory has its default values;
/// otherwise it makes a new engine.
/// @param analysis  analysis that was restored from file.read_analysis() for the precision of the
///                  factor in the file.  Must outlive the result.
/// Throws the exceptions of FactorFile::read_panels(), and OutOfMemory when the factor exceeds
/// Options::memory.host or the free memory.
template <class T>
Factorization<T> load_factor(const FactorFile& file, const Analysis& analysis,
                             const Options& options);

}  // namespace clchol::solver
