#include "gpu_kernels/devices/cl_info.hpp"

namespace clchol::gpu {

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlank(" \t\n\r\0", 5);
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

}  // namespace clchol::gpu
