// Replaces the global operator new of a test program by one that a test can make fail.
//
// Linked into one program only.  Requests of all threads count, plain and aligned ones.  Requests
// that may return null (std::nothrow: temporary buffers of std::stable_sort) never fail on purpose
// and do not count, because callers handle their failure.
#pragma once

#include <cstdint>

namespace clchol::test {

/// During its lifetime the k-th request after its construction fails, once (k = 1: the next one).
class FailingRequest {
 public:
  explicit FailingRequest(std::int64_t k);
  ~FailingRequest();
  FailingRequest(const FailingRequest&) = delete;
  FailingRequest& operator=(const FailingRequest&) = delete;

  /// Whether a request has failed.
  bool has_failed() const;
};

/// Number of blocks that are allocated and not freed; live_bytes() returns their bytes.
std::int64_t live_blocks();
std::int64_t live_bytes();

}  // namespace clchol::test
