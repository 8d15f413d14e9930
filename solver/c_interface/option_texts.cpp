#include "solver/c_interface/option_texts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <type_traits>

#include "base/number_text.hpp"
#include "gpu_kernels/devices/device_choice.hpp"
#include "solver/option_names.hpp"

namespace clchol::solver {
namespace {

using Names = std::span<const char* const>;

// Names of the values of an enumeration, in the order of the values.
Names names_of(Precision) {
  static constexpr std::array<const char*, 4> kNames{"auto", "double", "single", "mixed"};
  return kNames;
}
Names names_of(Scaling) {
  static constexpr std::array<const char*, 3> kNames{"never", "auto", "always"};
  return kNames;
}
Names names_of(ErrorChecks) {
  static constexpr std::array<const char*, 4> kNames{"auto", "every_solve", "first_solve", "never"};
  return kNames;
}
Names names_of(EngineKind) {
  static constexpr std::array<const char*, 3> kNames{"auto", "cpu", "opencl"};
  return kNames;
}

/// Ordering and effort have one text.
struct OrderingText {
  AnalysisOptions& analysis;
};
struct ConstOrderingText {
  const AnalysisOptions& analysis;
};

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(double value) { return shortest_text(value); }
std::string text_of(const std::string& value) { return value; }
std::string text_of(const std::vector<std::string>& value) { return text_of_devices(value); }
std::string text_of(const ConstOrderingText& value) {
  return to_string(value.analysis.ordering, value.analysis.effort);
}
template <class V>
std::string text_of(const V& value) {
  if constexpr (std::is_enum_v<V>) {
    const Names names = names_of(value);
    const auto k = static_cast<std::size_t>(value);
    return k < names.size() ? names[k] : "unknown";
  } else {
    return std::to_string(value);
  }
}

[[noreturn]] void refuse_text(const char* name, std::string_view text, const std::string& wanted) {
  throw InvalidArgument("option " + std::string(name) + " is '" + std::string(text) +
                        "', must be " + wanted);
}

template <class V>
void set_value(V& value, const char* name, std::string_view text) {
  if constexpr (std::is_enum_v<V>) {
    const Names names = names_of(value);
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) {
      std::string all;
      for (const char* const one : names) all.append(all.empty() ? "" : ", ").append(one);
      refuse_text(name, text, "one of " + all);
    }
    value = static_cast<V>(found - names.begin());
  } else {
    V number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) {
      refuse_text(name, text, std::is_integral_v<V> ? "an integer within its range" : "a number");
    }
    value = number;
  }
}
void set_value(bool& value, const char* name, std::string_view text) {
  if (text == "true" || text == "1") {
    value = true;
  } else if (text == "false" || text == "0") {
    value = false;
  } else {
    refuse_text(name, text, "true or false");
  }
}
void set_value(std::string& value, const char* /*name*/, std::string_view text) { value = text; }
void set_value(std::vector<std::string>& value, const char* /*name*/, std::string_view text) {
  value = devices_of_text(text);
}
void set_value(const OrderingText& value, const char* name, std::string_view text) {
  const std::optional<NamedOrdering> named = ordering_named(text);
  if (!named) {
    refuse_text(name, text, "one of auto, amd, md, mmd, nd:fast, nd, nd:best, natural, given");
  }
  value.analysis.ordering = named->ordering;
  value.analysis.effort = named->effort;
}

struct NamedOption {
  const char* name;
  std::string (*text)(const Options&);
  void (*set)(Options&, const char* name, std::string_view text);
};

/// @param Member  function object that returns a reference to a member of its argument.
template <class Member>
constexpr NamedOption named(const char* name, Member) {
  return {.name = name,
          .text = [](const Options& options) { return text_of(Member{}(options)); },
          .set = [](Options& options, const char* own_name,
                    std::string_view text) { set_value(Member{}(options), own_name, text); }};
}

struct OrderingMember {
  OrderingText operator()(Options& o) const { return {o.analysis}; }
  ConstOrderingText operator()(const Options& o) const { return {o.analysis}; }
};

// Options::analysis.permutation, progress and cancel have no text.
constexpr std::array kOptions{
    named("analysis.ordering", OrderingMember{}),
    named(
        "analysis.seed", [](auto& o) -> auto& { return o.analysis.seed; }),
    named(
        "analysis.expected_factorizations",
        [](auto& o) -> auto& { return o.analysis.expected_factorizations; }),
    named(
        "analysis.expected_solves", [](auto& o) -> auto& { return o.analysis.expected_solves; }),
    named(
        "analysis.compress", [](auto& o) -> auto& { return o.analysis.compress; }),
    named(
        "analysis.amalgamate", [](auto& o) -> auto& { return o.analysis.amalgamate; }),
    named(
        "factor.precision", [](auto& o) -> auto& { return o.factor.precision; }),
    named(
        "factor.scaling", [](auto& o) -> auto& { return o.factor.scaling; }),
    named(
        "factor.estimate_condition", [](auto& o) -> auto& { return o.factor.estimate_condition; }),
    named(
        "solve.tolerance", [](auto& o) -> auto& { return o.solve.tolerance; }),
    named(
        "solve.max_refine_steps", [](auto& o) -> auto& { return o.solve.max_refine_steps; }),
    named(
        "solve.error_checks", [](auto& o) -> auto& { return o.solve.error_checks; }),
    named(
        "memory.host", [](auto& o) -> auto& { return o.memory.host; }),
    named(
        "memory.device", [](auto& o) -> auto& { return o.memory.device; }),
    named(
        "memory.scratch_directory", [](auto& o) -> auto& { return o.memory.scratch_directory; }),
    named(
        "engine", [](auto& o) -> auto& { return o.engine; }),
    named(
        "devices", [](auto& o) -> auto& { return o.devices; }),
    named(
        "threads", [](auto& o) -> auto& { return o.threads; }),
};

const NamedOption& option_named(std::string_view name) {
  const auto found = std::ranges::find(kOptions, name, &NamedOption::name);
  if (found != kOptions.end()) return *found;
  std::string all;
  for (const NamedOption& option : kOptions) {
    all.append(all.empty() ? "" : ", ").append(option.name);
  }
  throw InvalidArgument("there is no option '" + std::string(name) + "'; there are " + all);
}

}  // namespace

const char* option_name(int number) noexcept {
  const bool exists = number >= 0 && static_cast<std::size_t>(number) < kOptions.size();
  return exists ? kOptions[static_cast<std::size_t>(number)].name : nullptr;
}

std::string option_text(const Options& options, std::string_view name) {
  return option_named(name).text(options);
}

void set_option(Options& options, std::string_view name, std::string_view text) {
  const NamedOption& option = option_named(name);
  option.set(options, option.name, text);
}

std::vector<std::string> devices_of_text(std::string_view text) {
  return text.empty() ? std::vector<std::string>{} : gpu::split_names(text);
}

std::string text_of_devices(const std::vector<std::string>& devices) {
  std::string text;
  for (std::size_t k = 0; k < devices.size(); ++k)
    text.append(k == 0 ? "" : ",").append(devices[k]);
  return text;
}

}  // namespace clchol::solver
