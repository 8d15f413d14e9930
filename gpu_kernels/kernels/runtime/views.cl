// Kernel arguments for a DeviceView<T> of the host: a buffer, and an offset in entries of T.  AT()
// is the address of the view's first entry.
#define VIEW(type, name) __global type *name, Offset name##_offset
#define CONST_VIEW(type, name) __global const type *name, Offset name##_offset
#define AT(name) ((name) + (name##_offset))
