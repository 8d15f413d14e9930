// What kernels over fronts share: views as arguments, and A's entries.
#include "common.cl"
#include "front_args.h"
#include "update_layout.cl"

// A view of the host, DeviceView<T>, is two arguments of a kernel; AT() is where it begins.
#define VIEW(type, name) __global type *name, Offset name##_offset
#define CONST_VIEW(type, name) __global const type *name, Offset name##_offset
#define AT(name) ((name) + (name##_offset))

// A's value as it goes to entry (row, column) of a front: A itself, or D A D where `scale`, the
// diagonal of D in the factor's order, is given.  Powers of two: the products are exact.
real scaled_entry(real value, __global const real* scale, Index row, Index column) {
  return scale ? value * scale[row] * scale[column] : value;
}
