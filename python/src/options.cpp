#include "python/src/options.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>

#include "python/src/names.hpp"

namespace nb = nanobind;

namespace clchol::python {
namespace {

std::string type_of(nb::handle value) { return nb::type_name(value.type()).c_str(); }

template <class V>
const char* expected() {
  if constexpr (std::is_same_v<V, double>) return "a number";
  if constexpr (std::is_same_v<V, std::vector<Index>>) return "a sequence of integers";
  if constexpr (std::is_same_v<V, std::vector<std::string>>) return "a sequence of names";
  if constexpr (std::is_integral_v<V>) return "an integer of a suitable size";
  return "a text";
}

template <class V>
V value_of(const std::string& name, nb::handle value) {
  V result{};
  // A bool is an int in Python, but hardly meant as a number here.
  if (nb::isinstance<nb::bool_>(value) || !nb::try_cast<V>(value, result)) {
    throw nb::type_error(("option " + name + ": expected " + expected<V>() + ", got " +
                          std::string(nb::repr(value).c_str()) + " of type " + type_of(value))
                             .c_str());
  }
  return result;
}

template <class V>
void set_value(V& target, const std::string& name, nb::handle value) {
  if constexpr (std::is_same_v<V, bool>) {
    if (!nb::isinstance<nb::bool_>(value)) {
      throw nb::type_error(
          ("option " + name + ": expected True or False, got type " + type_of(value)).c_str());
    }
    target = nb::cast<bool>(value);
  } else if constexpr (std::is_enum_v<V>) {
    const auto text = value_of<std::string>(name, value);
    const auto& names = names_of(V{});
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) {
      std::string all;
      for (const char* const one : names) all.append(all.empty() ? "" : ", ").append(one);
      throw InvalidArgument("option " + name + " is '" + text + "', must be one of " + all);
    }
    target = static_cast<V>(found - names.begin());
  } else {
    target = value_of<V>(name, value);
  }
}

using Setter = std::function<void(Options&, const std::string& name, nb::handle value)>;

/// Sets the option to which `member` refers.
template <class Member>
Setter setter(Member member) {
  return [member](Options& options, const std::string& name, nb::handle value) {
    set_value(member(options), name, value);
  };
}

// The setters of all options.  They are made at the first use.
const std::map<std::string, Setter, std::less<>>& setters() {
  static const std::map<std::string, Setter, std::less<>> kSetters{
      {"ordering", setter([](Options & o) -> auto& { return o.analysis.ordering; })},
      {"effort", setter([](Options & o) -> auto& { return o.analysis.effort; })},
      {"seed", setter([](Options & o) -> auto& { return o.analysis.seed; })},
      {"expected_factorizations",
       setter([](Options & o) -> auto& { return o.analysis.expected_factorizations; })},
      {"expected_solves", setter([](Options & o) -> auto& { return o.analysis.expected_solves; })},
      {"permutation", setter([](Options & o) -> auto& { return o.analysis.permutation; })},
      {"compress", setter([](Options & o) -> auto& { return o.analysis.compress; })},
      {"amalgamate", setter([](Options & o) -> auto& { return o.analysis.amalgamate; })},
      {"precision", setter([](Options & o) -> auto& { return o.factor.precision; })},
      {"scaling", setter([](Options & o) -> auto& { return o.factor.scaling; })},
      {"estimate_condition",
       setter([](Options & o) -> auto& { return o.factor.estimate_condition; })},
      {"tolerance", setter([](Options & o) -> auto& { return o.solve.tolerance; })},
      {"max_refine_steps", setter([](Options & o) -> auto& { return o.solve.max_refine_steps; })},
      {"error_checks", setter([](Options & o) -> auto& { return o.solve.error_checks; })},
      {"host_bytes", setter([](Options & o) -> auto& { return o.memory.host; })},
      {"device_bytes", setter([](Options & o) -> auto& { return o.memory.device; })},
      {"scratch_directory",
       setter([](Options & o) -> auto& { return o.memory.scratch_directory; })},
      {"engine", setter([](Options & o) -> auto& { return o.engine; })},
      {"devices", setter([](Options & o) -> auto& { return o.devices; })},
      {"threads", setter([](Options & o) -> auto& { return o.threads; })},
  };
  return kSetters;
}

}  // namespace

void set_options(Options& options, const nb::dict& values) {
  Options changed = options;  // A bad value leaves all options as they were.
  for (const auto [key, value] : values) {
    const auto name = nb::cast<std::string>(key);
    const auto found = setters().find(name);
    if (found == setters().end()) throw InvalidArgument("there is no option '" + name + "'");
    found->second(changed, name, value);
  }
  options = std::move(changed);
}

}  // namespace clchol::python
