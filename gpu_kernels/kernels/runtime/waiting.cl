// Work-groups of a launch wait for counters in global memory, which work-groups with lower tickets
// raise.  Include nvidia_ptx.cl first.

// Barriers of the work-items that wait, and of the work-items that have written global memory.
#ifndef MEET
#define MEET() LOCAL_BARRIER()
#define MEET_WRITTEN() FULL_BARRIER()
#endif

// Waits until the counters of all lanes of the warp are above `done`; returns the least counter.
INLINE int warp_wait_for(__global const int* counter, int done) {
  int ready;
  while ((ready = warp_min(load_acquire(counter))) <= done) pause_briefly();
  return ready;
}

// Waits for all work-items that meet at MEET(): the first warp waits by warp_wait_for(), and the
// other warps wait for the first one at the barrier.
// @param least  one integer in local memory, which is overwritten.
INLINE int wait_for(__global const int* counter, int done, __local int* least) {
  if (get_local_id(0) < 32) {
    const int ready = warp_wait_for(counter, done);
    if (get_local_id(0) == 0) *least = ready;
  }
  MEET();
  return *least;
}

// Adds 1 to the counter, after all that the work-items at MEET_WRITTEN() have written.
INLINE void arrive(__global int* counter) {
  MEET_WRITTEN();
  if (get_local_id(0) == 0) add_release(counter, 1);
}
