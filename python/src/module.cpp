// The extension module clchol._clchol: the solver for float64 and float32, and the exceptions.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <exception>

#include "python/src/names.hpp"
#include "python/src/solver.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace clchol::python {
namespace {

/// Raises the class `name` of clchol.errors.
void raise(const char* name, const char* message) {
  const nb::object type = nb::module_::import_("clchol.errors").attr(name);
  PyErr_SetString(type.ptr(), message);
}

void translate(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const InvalidArgument& error) {
    raise("InvalidArgumentError", error.what());
  } catch (const OutOfMemory& error) {
    raise("OutOfMemoryError", error.what());
  } catch (const DeviceError& error) {
    raise("DeviceError", error.what());
  } catch (const FileError& error) {
    raise("FileError", error.what());
  }
}

/// Binds a member function with a pattern (n, indptr, indices, triangle) for its first argument.
template <class S, class... Rest>
auto with_pattern(Status (S::*call)(const Pattern&, Rest...)) {
  return [call](S& self, std::int64_t n, IndexArray colptr, IndexArray rowind, int triangle,
                Rest... rest) {
    const Pattern a{n, std::move(colptr), std::move(rowind), triangle};
    return to_string((self.*call)(a, std::forward<Rest>(rest)...));
  };
}

/// Binds a member function that returns a status.
template <class S, class... Args>
auto with_status(Status (S::*call)(Args...)) {
  return [call](S& self, Args... args) {
    return to_string((self.*call)(std::forward<Args>(args)...));
  };
}

template <class T>
void bind_solver(nb::module_& module, const char* name) {
  using S = Solver<T>;
  nb::class_<S>(module, name)
      .def(nb::init<>())
      .def("set_options", &S::set_options)
      .def("analyze", with_pattern(&S::analyze))
      .def("factorize", with_pattern(&S::factorize), "n"_a, "indptr"_a, "indices"_a, "triangle"_a,
           "values"_a, "progress"_a.none())
      .def("refactorize", with_pattern(&S::refactorize), "n"_a, "indptr"_a, "indices"_a,
           "triangle"_a, "values"_a, "progress"_a.none())
      .def("refactorize_values", with_status(&S::refactorize_values), "values"_a,
           "progress"_a.none())
      .def("solve", with_status(&S::solve))
      .def("solve_part", &S::solve_part)
      .def("save_analysis", &S::save_analysis)
      .def("analysis_bytes", &S::analysis_bytes)
      .def("load_analysis", with_pattern(&S::load_analysis))
      .def("load_analysis_bytes", with_pattern(&S::load_analysis_bytes))
      .def("save_factor", with_status(&S::save_factor))
      .def("load_factor", with_status(&S::load_factor))
      .def("load_factor_of", with_pattern(&S::load_factor_of))
      .def("log_determinant", &S::log_determinant)
      .def("diagonal", &S::diagonal)
      .def("scaling", &S::scaling)
      .def("permutation", &S::permutation)
      .def("factor", &S::factor)
      .def("assembly_tree", &S::assembly_tree)
      .def("analysis_report", &S::analysis_report)
      .def("factor_report", &S::factor_report)
      .def("solve_report", &S::solve_report)
      .def("host_modes", &S::host_modes)
      .def("device_modes", &S::device_modes)
      .def("predict_device_bytes", &S::predict_device_bytes)
      .def("cancel", &S::cancel)
      .def("close", &S::close)
      .def_prop_ro("is_closed", &S::is_closed);
}

}  // namespace
}  // namespace clchol::python

NB_MODULE(_clchol, module) {
  nb::register_exception_translator(clchol::python::translate);
  clchol::python::bind_solver<double>(module, "Solver64");
  clchol::python::bind_solver<float>(module, "Solver32");
  module.def("version", &clchol::version);
}
