// How work-groups of a launch wait for each other: on counters in global memory, which those with
// lower tickets raise.  After nvidia_ptx.cl.

// Where the work-items that wait meet, and those that have written.
#ifndef MEET
#define MEET() LOCAL_BARRIER()
#define MEET_WRITTEN() FULL_BARRIER()
#endif

// A warp waits until all lanes' counters are above `done`; returns the least of them.
INLINE int warp_wait_for(__global const int* counter, int done) {
  int ready;
  while ((ready = warp_min(load_acquire(counter))) <= done) pause_briefly();
  return ready;
}

// The same for the group: one warp waits, and the others meet it at a barrier.
INLINE int wait_for(__global const int* counter, int done, __local int* least) {
  if (get_local_id(0) < 32) {
    const int ready = warp_wait_for(counter, done);
    if (get_local_id(0) == 0) *least = ready;
  }
  MEET();
  return *least;
}

// One more, after all that the group has written.
INLINE void arrive(__global int* counter) {
  MEET_WRITTEN();
  if (get_local_id(0) == 0) add_release(counter, 1);
}
