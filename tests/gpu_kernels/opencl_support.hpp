// The device that OpenCL tests run on: the device that CLCHOL_DEVICE names, or else the first
// device.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"
#include "tests/support/errors.hpp"

namespace clchol::gpu {

/// Opens the test device, anew at each call.  Returns nothing on a machine without OpenCL devices.
std::optional<Device> test_device();

/// A test with a context, a queue with profiling, and a program cache without a folder.  Skipped on
/// a machine without devices.
class OpenClTest : public testing::Test {
 protected:
  void SetUp() override;

  const Device& device() const { return context_->device(); }
  Context& context() { return *context_; }
  Queue& queue() { return *queue_; }
  ProgramCache& programs() { return *programs_; }

  /// A device buffer with the values.
  template <class T>
  DeviceBuffer<T> on_device(const std::vector<T>& values) {
    DeviceBuffer<T> buffer(context(), static_cast<Offset>(values.size()));
    upload<T>(queue(), values, buffer);
    return buffer;
  }
  /// Downloads the whole view.
  template <class T>
  std::vector<T> on_host(const DeviceView<const T>& view) {
    std::vector<T> values(static_cast<std::size_t>(view.size));
    download<T>(queue(), view, values);
    return values;
  }
  template <class T>
  std::vector<T> on_host(const DeviceBuffer<T>& buffer) {
    return on_host<T>(DeviceView<const T>(buffer));
  }

 private:
  std::optional<Context> context_;
  std::optional<Queue> queue_;
  std::optional<ProgramCache> programs_;
};

}  // namespace clchol::gpu
