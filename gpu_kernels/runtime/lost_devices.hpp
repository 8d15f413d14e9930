// Devices that were given up, because a command did not end within the limit of waits
// (Context::set_wait_limit()).
//
// Drivers block in functions that release objects of such a device until the command ends, which
// may be never.  Therefore the library leaves the objects of a lost context to the system: a Handle
// does not release them, and no destructor waits for their queues.
#pragma once

#include <CL/cl.h>

namespace clchol::gpu {

/// Declares a context and its device lost, until the process ends.  Thread-safe.
void declare_lost(cl_context context, cl_device_id device);
/// Returns whether the context was declared lost.  Thread-safe, and fast while no device is lost.
bool is_lost(cl_context context) noexcept;
/// Returns whether the device was declared lost.  Thread-safe.
bool is_lost_device(cl_device_id device) noexcept;
/// Returns whether any device was declared lost.  Thread-safe.
bool is_any_device_lost() noexcept;

}  // namespace clchol::gpu
