// Finds the first failed pivot of a matrix from the status of its fronts:
//
//   result := { first_column + column, front, value } of the failure with the smallest column
//
//   operand   shape            storage                             access
//   fronts    num_fronts                                           read
//   status    num_fronts       column -1: no failure in the front  read
//   result    1                column -1: no failure in any front  written
//
// One work-group of GROUP work-items; local memory 2 * GROUP integers.
#include "runtime/common.cl"
#include "fronts/front_args.h"
#include "dense/pivot_status.h"
#include "runtime/views.cl"

#ifndef GROUP
#define GROUP 256
#endif
#define AT_ONCE 8  // Loads of a work-item in flight.

__kernel WORK_GROUP(GROUP) void first_failure(Index num_fronts, CONST_VIEW(Front, fronts),
                                              CONST_VIEW(PivotStatus, status),
                                              VIEW(PivotStatus, result)) {
  __local Index columns[GROUP], owners[GROUP];
  const int l = get_local_id(0);
  Index column = INT_MAX, owner = -1;
  for (Index begin = l; begin < num_fronts; begin += AT_ONCE * GROUP) {
    Index failed[AT_ONCE];
#pragma unroll
    for (int u = 0; u < AT_ONCE; ++u) {
      const Index f = begin + u * GROUP;
      failed[u] = f < num_fronts ? AT(status)[f].column : -1;
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; ++u) {
      const Index f = begin + u * GROUP;
      if (failed[u] >= 0 && AT(fronts)[f].first_column + failed[u] < column) {
        column = AT(fronts)[f].first_column + failed[u];
        owner = f;
      }
    }
  }
  columns[l] = column;
  owners[l] = owner;
  for (int s = GROUP / 2; s > 0; s /= 2) {
    LOCAL_BARRIER();
    if (l < s && columns[l + s] < columns[l]) {
      columns[l] = columns[l + s];
      owners[l] = owners[l + s];
    }
  }
  if (l == 0) {
    PivotStatus first = {-1, -1, 0};
    if (owners[0] >= 0) {
      first.column = columns[0];
      first.reserved = owners[0];
      first.value = AT(status)[owners[0]].value;
    }
    AT(result)[0] = first;
  }
}
