// Texts of files that are compiled into the library.  clchol_embed() in cmake/ClcholEmbed.cmake
// generates the sources that define these functions.
#pragma once

#include <span>
#include <string_view>

namespace clchol::gpu {

struct EmbeddedText {
  std::string_view name;  // Name of the file, without its folder.
  std::string_view text;
};

/// The kernels: .cl files of gpu_kernels/kernels/, with their includes expanded.
std::span<const EmbeddedText> kernel_sources();
/// The shipped tuning data: data/tuning/*.json.
std::span<const EmbeddedText> tuning_texts();

}  // namespace clchol::gpu
