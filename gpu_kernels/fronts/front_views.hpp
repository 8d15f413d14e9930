// The lists of a forest of fronts in device memory, which are uploaded once and read by all
// launches that assemble, factor or solve.
#pragma once

#include "gpu_kernels/fronts/fronts.hpp"
#include "gpu_kernels/runtime/device_buffer.hpp"

namespace clchol::gpu {

/// The lists of a FrontLists object (fronts.hpp) in device memory, which are not owned.  Each
/// member is the device copy of the list of the same name.
struct FrontViews {
  DeviceView<const Front> fronts;
  DeviceView<const Child> children;
  DeviceView<const Index> relind;
  DeviceView<const Index> rowind;
  DeviceView<const std::uint32_t> entry_source;
  DeviceView<const Index> entry_place;
};

/// Owns a copy, in device memory, of the lists of a FrontLists object (fronts.hpp).  Each member
/// function returns the device copy of the list of the same name: fronts() that of
/// FrontLists::fronts, children() that of FrontLists::children.
class FrontBuffers {
 public:
  /// Makes an object whose lists are empty.
  FrontBuffers() = default;
  /// Uploads all lists, and returns when they are on the device.
  FrontBuffers(Queue& queue, const FrontLists& lists)
      : fronts_(uploaded(queue, lists.fronts)),
        children_(uploaded(queue, lists.children)),
        relind_(uploaded(queue, lists.relind)),
        rowind_(uploaded(queue, lists.rowind)),
        entry_source_(uploaded(queue, lists.entry_source)),
        entry_place_(uploaded(queue, lists.entry_place)) {}

  DeviceView<const Front> fronts() const { return fronts_.view(); }
  DeviceView<const Child> children() const { return children_.view(); }
  DeviceView<const Index> relind() const { return relind_.view(); }
  DeviceView<const Index> rowind() const { return rowind_.view(); }
  DeviceView<const std::uint32_t> entry_source() const { return entry_source_.view(); }
  DeviceView<const Index> entry_place() const { return entry_place_.view(); }
  operator FrontViews() const {
    return {fronts(), children(), relind(), rowind(), entry_source(), entry_place()};
  }

 private:
  DeviceBuffer<Front> fronts_;
  DeviceBuffer<Child> children_;
  DeviceBuffer<Index> relind_;
  DeviceBuffer<Index> rowind_;
  DeviceBuffer<std::uint32_t> entry_source_;
  DeviceBuffer<Index> entry_place_;
};

}  // namespace clchol::gpu
