#include "gpu_kernels/dense/trsm.hpp"

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {

template <class T>
Trsm<T>::Trsm(ProgramCache& programs, const GemmParams& params) : params_(params) {
  if (!params.valid()) throw InvalidArgument("trsm: invalid " + params.build_options());
  trsm_ =
      programs.program("trsm.cl", real_options<T>() + " " + params.build_options()).kernel("trsm");
}

template <class T>
void Trsm<T>::run(Queue& queue, const TriangleBatch& triangles, const SolveBatch& solves,
                  const TrsmOperands<T>& operands) {
  launch(queue, trsm_, work_groups_of(params_.work_group_size(), solves.all().count()),
         solves.tiles(), solves.items(), triangles.items(), operands.l, operands.inverses,
         operands.x);
}

template class Trsm<double>;
template class Trsm<float>;

}  // namespace clchol::gpu
