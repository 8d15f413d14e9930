#include "gpu_kernels/runtime/program_cache.hpp"

#include <algorithm>

#include "base/timer.hpp"
#include "gpu_kernels/devices/embedded_text.hpp"

namespace clchol::gpu {

// The key has the length of each part, so that the parts of two keys cannot be confused.
std::string ProgramCache::key_of(const ProgramText& text) const {
  const Device& device = context_->device();
  std::string key;
  for (const std::string_view part :
       {std::string_view(device.platform_name), std::string_view(device.platform_version),
        std::string_view(device.name()), std::string_view(device.description.version),
        std::string_view(device.description.driver_version), text.options, text.source}) {
    key += std::to_string(part.size()) + ":";
    key.append(part).append("\n");
  }
  return key;
}

void ProgramCache::count(Index ProgramCacheCounts::*what, double seconds) {
  const std::lock_guard lock(mutex_);
  ++(counts_.*what);
  counts_.build_seconds += seconds;
}

Program ProgramCache::load_or_build(const ProgramText& text, const std::string& key) {
  const Timer watch;
  if (const std::optional<std::string> binary = disk_.load(key)) {
    Handle<cl_program> loaded = build_from_binary(*context_, *binary, text.options);
    if (loaded) {
      count(&ProgramCacheCounts::from_disk, watch.seconds());
      return {*context_, std::move(loaded)};
    }
  }
  Program built = build_from_source(*context_, text);
  if (const std::string binary = binary_of(*context_, built); !binary.empty()) {
    disk_.store(key, binary);  // If it cannot be stored, the next process compiles again.
  }
  count(&ProgramCacheCounts::from_source, watch.seconds());
  return built;
}

const Program& ProgramCache::program(const ProgramText& text) {
  const std::string key = key_of(text);
  Entry* entry = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Entry>& slot = entries_[key];
    if (!slot) slot = std::make_unique<Entry>();
    entry = slot.get();
  }
  const std::lock_guard lock(entry->mutex);
  if (entry->program) {
    count(&ProgramCacheCounts::from_memory, 0);
  } else {
    entry->program.emplace(load_or_build(text, key));
  }
  return *entry->program;
}

const Program& ProgramCache::program(std::string_view file, std::string_view options) {
  const auto sources = kernel_sources();
  const auto found = std::find_if(sources.begin(), sources.end(),
                                  [&](const EmbeddedText& text) { return text.name == file; });
  if (found == sources.end()) {
    throw InvalidArgument("program: no kernel file '" + std::string(file) + "'");
  }
  return program({file, found->text, options});
}

ProgramCacheCounts ProgramCache::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace clchol::gpu
