// Arrays of Python as views of the library, and vectors of the library as arrays of NumPy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clchol/clchol.hpp"

namespace clchol::python {

/// A contiguous vector of int32 or int64 that is only read.
using IndexArray =
    nanobind::ndarray<nanobind::ro, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
/// A contiguous vector that is only read.
template <class T>
using ValueArray =
    nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
/// A vector, or a matrix by columns, with one or two dimensions.
template <class T>
using DenseArray = nanobind::ndarray<T, nanobind::f_contig, nanobind::device::cpu>;

/// The pattern of a matrix by columns, as Python passes it.
struct Pattern {
  std::int64_t n;
  IndexArray colptr;  // Length n + 1, int32 or int64.
  IndexArray rowind;  // int32 or int64.
  int triangle;       // Value of Triangle.
};

template <class V>
bool has_type(const IndexArray& array) {
  return array.dtype() == nanobind::dtype<V>();
}

/// `count` as an Index.  Throws InvalidArgument where it is too large.
inline Index index_of(std::int64_t count, const char* what) {
  constexpr std::int64_t kMost = std::numeric_limits<Index>::max() - 1;
  if (count >= 0 && count <= kMost) return static_cast<Index>(count);
  throw InvalidArgument(std::string(what) + " is " + std::to_string(count) + ", must be 0 to " +
                        std::to_string(kMost));
}

/// Calls `use(view)` with a SparseView of the pattern and the values, and returns what it returns.
/// Throws nb::type_error for other types of indices than those of SparseView.
template <class T, class Use>
auto with_view(const Pattern& a, std::span<const T> values, Use use) {
  const auto view_of = [&]<class Ptr, class Ind>(Ptr, Ind) {
    return SparseView<T, Ptr, Ind>{index_of(a.n, "number of rows"),
                                   {static_cast<const Ptr*>(a.colptr.data()), a.colptr.shape(0)},
                                   {static_cast<const Ind*>(a.rowind.data()), a.rowind.shape(0)},
                                   values,
                                   static_cast<Triangle>(a.triangle)};
  };
  if (has_type<std::int32_t>(a.rowind)) {
    if (has_type<std::int32_t>(a.colptr)) return use(view_of(std::int32_t{}, std::int32_t{}));
    if (has_type<std::int64_t>(a.colptr)) return use(view_of(std::int64_t{}, std::int32_t{}));
  } else if (has_type<std::int64_t>(a.rowind) && has_type<std::int64_t>(a.colptr)) {
    return use(view_of(std::int64_t{}, std::int64_t{}));
  }
  throw nanobind::type_error("indptr and indices must both be int32 or int64");
}

template <class T>
std::span<const T> span_of(const ValueArray<T>& values) {
  return {values.data(), values.shape(0)};
}

/// A view of a vector, or of a matrix by columns.  Throws InvalidArgument for other dimensions.
template <class T>
DenseView<T> dense_view(const DenseArray<T>& array, const char* name) {
  if (array.ndim() != 1 && array.ndim() != 2) {
    throw InvalidArgument(std::string(name) + " has " + std::to_string(array.ndim()) +
                          " dimensions, must have 1 or 2");
  }
  const auto rows = static_cast<std::int64_t>(array.shape(0));
  const auto columns = array.ndim() == 2 ? static_cast<std::int64_t>(array.shape(1)) : 1;
  return {array.data(), index_of(rows, "number of rows"), index_of(columns, "number of columns")};
}

/// An array of NumPy that takes over the vector, without a copy.
template <class V>
nanobind::object to_numpy(std::vector<V>&& values) {
  auto owned = std::make_unique<std::vector<V>>(std::move(values));
  V* const data = owned->data();
  const std::size_t size = owned->size();
  const nanobind::capsule owner(owned.get(), [](void* p) noexcept {
    delete static_cast<std::vector<V>*>(p);  // NOLINT(cppcoreguidelines-owning-memory)
  });
  static_cast<void>(owned.release());
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, V>(data, {size}, owner));
}

}  // namespace clchol::python
