// Buffers that detect stray writes, and a function that runs a test on every instruction set.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/update_layout.hpp"
#include "numeric/dense/kernels.hpp"
#include "numeric/dense/simd_targets.hpp"

#include <hwy/highway.h>

namespace clchol::test {

/// Names of the cases of a typed test.
struct ScalarNames {
  template <class T>
  static std::string GetName(int) {  // NOLINT(readability-identifier-naming): GoogleTest's.
    return sizeof(T) == 4 ? "Float" : "Double";
  }
};

/// During its lifetime the kernels use the given instruction set.
class TargetScope {
 public:
  explicit TargetScope(int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
  }
  ~TargetScope() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
  }
  TargetScope(const TargetScope&) = delete;
  TargetScope& operator=(const TargetScope&) = delete;
};

/// Runs body once with each instruction set that is compiled in and that the processor has.
template <class Body>
void on_every_target(Body&& body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const TargetScope scope(target);
    SCOPED_TRACE(numeric::dense::simd_target());
    body();
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// An array between two guards of NaN.  The array starts as NaN too: a value that is read before it
/// is written spoils the result.  A write outside of the array changes the bits of a guard.
template <class T>
class GuardedArray {
 public:
  explicit GuardedArray(Offset size) : size_(size), all_(size + 2 * kGuard, canary()) {}

  T* data() { return all_.data() + kGuard; }
  Offset size() const { return size_; }
  T& operator[](Offset p) { return all_[kGuard + p]; }
  const T& operator[](Offset p) const { return all_[kGuard + p]; }

  bool is_canary(Offset p) const {
    const T expected = canary();
    return std::memcmp(&all_[kGuard + p], &expected, sizeof(T)) == 0;
  }
  bool guards_intact() const {
    for (Offset p = 1; p <= kGuard; ++p) {
      if (!is_canary(-p) || !is_canary(size_ + p - 1)) return false;
    }
    return true;
  }

 private:
  static constexpr Offset kGuard = 64;
  static_assert(kGuard >= numeric::dense::kReadSlack);
  static T canary() { return std::numeric_limits<T>::quiet_NaN(); }

  Offset size_;
  std::vector<T> all_;
};

/// 64-byte aligned workspace for factor_front.
template <class T>
class Workspace {
 public:
  explicit Workspace(Index nrow)
      : bytes_(64 + sizeof(T) * numeric::dense::factor_workspace_size<T>(nrow)) {}
  T* data() {
    void* p = bytes_.data();
    std::size_t space = bytes_.size();
    return static_cast<T*>(std::align(64, 1, p, space));
  }

 private:
  std::vector<unsigned char> bytes_;
};

inline constexpr unsigned kSeed = 20240611;

}  // namespace clchol::test
