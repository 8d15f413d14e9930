// Files whose text is a part of the library: clchol_embed() of cmake/ClcholEmbed.cmake makes the
// sources that define these functions.
#pragma once

#include <span>
#include <string_view>

namespace clchol::gpu {

struct EmbeddedText {
  std::string_view name;  // Of the file, without its folder.
  std::string_view text;
};

/// The kernels: gpu_kernels/kernels/*.cl, what they include written out.
std::span<const EmbeddedText> kernel_sources();
/// The tuning data: data/tuning/*.json.
std::span<const EmbeddedText> tuning_texts();

}  // namespace clchol::gpu
