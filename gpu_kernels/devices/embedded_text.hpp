// Texts of files that are compiled into the library: sources of kernels, and tuning data.  The
// build generates the definitions of the two functions below (clchol_embed() in
// cmake/ClcholEmbed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace clchol::gpu {

/// A file that is compiled into the library.
struct EmbeddedText {
  std::string_view name;  // Name of the file, without its folder.
  std::string_view text;  // Contents of the file.
};

/// Returns the sources of the kernels: those .cl files of gpu_kernels/kernels/ that define kernels.
/// In each text, the texts of the included files replace the #include lines, and lines of comments
/// are empty.
std::span<const EmbeddedText> kernel_sources();
/// Returns the tuning data that the library ships with: the files data/tuning/*.json.
std::span<const EmbeddedText> tuning_texts();

}  // namespace clchol::gpu
