// One call of PARDISO: its arguments, its parameters iparm, and how it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

namespace clchol::drop_in {

/// PARDISO's error codes.
enum class Error : int {
  kNone = 0,
  kInconsistentInput = -1,
  kNotEnoughMemory = -2,
  kReordering = -3,
  kZeroPivot = -4,  ///< The matrix is not positive definite.
  kUnclassified = -5,
  kOverflow = -8,            ///< A number does not fit in 32 bits.
  kOutOfCoreMemory = -9,     ///< Not enough memory even with the scratch file.
  kOutOfCoreTransfer = -11,  ///< The scratch file cannot be written or read.
};

/// Ends a call with one of PARDISO's error codes and a line for a person.
class Refusal : public std::exception {
 public:
  Refusal(Error error, std::string line) : error_(error), line_(std::move(line)) {}
  Error error() const noexcept { return error_; }
  const char* what() const noexcept override { return line_.c_str(); }

 private:
  Error error_;
  std::string line_;
};

/// Numbers of parameters, from 1 as in PARDISO's documentation.
enum class Iparm : std::size_t {
  kGiven = 1,                 ///< In: 0 asks for the default of all parameters.
  kOrdering = 2,              ///< In: 0, 1 minimum degree; 2, 3 nested dissection.
  kPermutation = 5,           ///< In: 1 perm is given; 2 perm is returned.
  kOverwriteB = 6,            ///< In: 1 puts the solution in b.
  kRefineStepsDone = 7,       ///< Out: steps of refinement of the last solve.
  kRefineSteps = 8,           ///< In: most steps of refinement, by its magnitude.
  kPerturbedPivots = 14,      ///< Out: 0.
  kAnalysisPeakKib = 15,      ///< Out: memory during the analysis.
  kAnalysisKib = 16,          ///< Out: memory that the analysis keeps.
  kFactorKib = 17,            ///< Out: memory of factorization and solve.
  kNonzeros = 18,             ///< In: < 0 asks for the nonzeros of L.  Out: this number.
  kMegaflops = 19,            ///< In: < 0 asks for the flops of a factorization.  Out: this number.
  kGradientSteps = 20,        ///< Out: 0.
  kPositiveEigenvalues = 22,  ///< Out: n after a factorization.
  kNegativeEigenvalues = 23,  ///< Out: 0 after a factorization.
  kCheckMatrix = 27,          ///< In: 1 calls a bad pattern inconsistent input.
  kSingle = 28,               ///< In: 1 for a, b and x in single precision.
  kBadPivotRow = 30,          ///< Out: row with the first pivot that is not positive, from 1.
  kPartialSolve = 31,         ///< In: must be 0.
  kZeroBased = 35,            ///< In: 1 for ia, ja and perm from 0.
  kSchurComplement = 36,      ///< In: must be 0.
  kBlockSize = 37,            ///< In: must not be positive.
  kOutOfCore = 60,            ///< In: 1 or 2 allow a scratch file.
  kLeastOutOfCoreKib = 63,    ///< Out: least memory with a scratch file, if this is allowed.
};

/// The caller's 64 parameters.  I is int32 or int64.
template <class I>
class Parameters {
 public:
  static constexpr std::size_t kCount = 64;

  explicit Parameters(I* values) : values_(values) {}

  std::int64_t operator[](Iparm parameter) const { return values_[position(parameter)]; }
  bool is_on(Iparm parameter) const { return (*this)[parameter] == 1; }
  /// A value that does not fit in I becomes the greatest one.
  void set(Iparm parameter, std::int64_t value);
  /// Sets all parameters as PARDISO does for a positive definite matrix.
  void set_defaults();

 private:
  static std::size_t position(Iparm parameter) { return static_cast<std::size_t>(parameter) - 1; }
  I* values_;
};

extern template class Parameters<std::int32_t>;
extern template class Parameters<std::int64_t>;

/// The arguments of pardiso() (I is int32) and pardiso_64() (int64), by value where they are read.
template <class I>
struct Call {
  void* pt;  ///< 64 words of 8 bytes, which hold a handle (handle.hpp).
  I maxfct;
  I mnum;
  I mtype;
  I phase;
  I n;
  const void* a;  ///< Values, double or single.
  const I* ia;    ///< Row i is at positions [ia[i], ia[i + 1]) of ja and a.  Length n + 1.
  const I* ja;    ///< Columns, ascending in a row.
  I* perm;        ///< perm[new] = old.  Length n; read and written only where iparm says so.
  I nrhs;
  Parameters<I> iparm;
  I msglvl;
  void* b;  ///< n x nrhs, by columns.
  void* x;  ///< n x nrhs, by columns.
};

/// Writes a line to stdout where msglvl is 1, otherwise to stderr if CLCHOL_VERBOSE is on.
void tell(std::int64_t msglvl, const std::string& line);

}  // namespace clchol::drop_in
