// A view of the host, DeviceView<T>, is two arguments of a kernel; AT() is where it begins.
#define VIEW(type, name) __global type *name, Offset name##_offset
#define CONST_VIEW(type, name) __global const type *name, Offset name##_offset
#define AT(name) ((name) + (name##_offset))
