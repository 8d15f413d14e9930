#include "gpu_kernels/dense/peak.hpp"

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

constexpr Offset kVectorBytes = 16;  // Bytes that a work-item copies.
constexpr Offset kPeakWarp = 32;

std::string group_option() { return " -DGROUP=" + std::to_string(kPeakWorkGroup); }

// Returns the number of work-groups whose outputs, `of_group` entries each, fill the buffer.
Offset groups_for(Offset size, Offset of_group) {
  if (size % of_group != 0) {
    throw InvalidArgument("out: " + std::to_string(size) + " numbers, no multiple of " +
                          std::to_string(of_group));
  }
  return size / of_group;
}

}  // namespace

template <class T>
Peak<T>::Peak(ProgramCache& programs) {
  const Program& program = programs.program("peak.cl", real_options<T>() + group_option());
  fma_ = program.kernel("peak_fma");
  copy_ = program.kernel("peak_copy");
}

template <class T>
void Peak<T>::fma(Queue& queue, Index rounds, DeviceBuffer<T>& out) {
  launch(queue, fma_, work_groups_of(kPeakWorkGroup, groups_for(out.size(), kPeakWorkGroup)),
         rounds, static_cast<T>(PeakFma<T>::kFactor), static_cast<T>(PeakFma<T>::kTerm), out);
}

template <class T>
void Peak<T>::copy(Queue& queue, const DeviceBuffer<T>& x, DeviceBuffer<T>& y) {
  const Offset vectors = x.size() * static_cast<Offset>(sizeof(T)) / kVectorBytes;
  if (x.size() != y.size() || vectors * kVectorBytes != x.size() * static_cast<Offset>(sizeof(T))) {
    throw InvalidArgument("copy: x has " + std::to_string(x.size()) + " entries, y " +
                          std::to_string(y.size()) + "; whole vectors of 16 bytes are copied");
  }
  launch(queue, copy_, covering(vectors, kPeakWorkGroup), vectors, x, y);
}

template class Peak<double>;
template class Peak<float>;

PeakMma::PeakMma(ProgramCache& programs, MmaShape shape) : shape_(shape) {
  const std::string options = real_options<double>() +
                              " -DGROUP=" + std::to_string(kPeakWarp * MmaShape::kWarps) +
                              " -DMMA=" + (shape.m == kM8n8k4.m ? "1" : "2") +
                              " -cl-std=CL3.0";  // `asm` needs OpenCL C 2.0.
  kernel_ = programs.program("peak.cl", options).kernel("peak_mma");
}

void PeakMma::run(Queue& queue, Index rounds, DeviceBuffer<double>& out) {
  if (rounds < 0 || rounds > MmaShape::kMostRounds) {
    throw InvalidArgument("rounds: " + std::to_string(rounds) + ", at most " +
                          std::to_string(MmaShape::kMostRounds));
  }
  const Offset groups = groups_for(out.size(), Offset{MmaShape::kWarps} * shape_.tile());
  launch(queue, kernel_, work_groups_of(kPeakWarp * MmaShape::kWarps, groups), rounds, out);
}

}  // namespace clchol::gpu
