// Replaces the global operator new of a test program by one that fails when told to.
//
// Linked into one program only.  Counts requests of all threads, plain and aligned ones alike.
// Requests that may return null (std::nothrow: temporary buffers of std::stable_sort) are granted
// and not counted: their failure is no failure of the caller.
#pragma once

#include <cstdint>

namespace clchol::test {

/// While it lives, the k-th request from its construction on fails, once (k = 1: the next one).
class FailingRequest {
 public:
  explicit FailingRequest(std::int64_t k);
  ~FailingRequest();
  FailingRequest(const FailingRequest&) = delete;
  FailingRequest& operator=(const FailingRequest&) = delete;

  /// Whether a request has failed.
  bool has_failed() const;
};

/// Blocks that have been allocated and not freed, and their bytes.
std::int64_t live_blocks();
std::int64_t live_bytes();

}  // namespace clchol::test
