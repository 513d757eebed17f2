#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace letterpress::python {

namespace nb = nanobind;

// What the module consists of; one file each.
void bind_error(nb::module_& module);
void bind_split(nb::module_& module);
void bind_snapshot(nb::module_& module);
void bind_loader(nb::module_& module);

/// A whole number as Python's own sequences take one: an int or what has __index__, as numpy's
/// have; no bool, no list, no text. Throws python_error (IndexError) where it is too large.
inline std::optional<std::int64_t> whole_number(nb::handle number) {
  if (PyIndex_Check(number.ptr()) == 0 || PyBool_Check(number.ptr()) != 0) return std::nullopt;
  const Py_ssize_t value = PyNumber_AsSsize_t(number.ptr(), PyExc_IndexError);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

/// A numpy array that shows `numbers` of `owner`, which it keeps alive.
template <class T>
nb::object array_of(T* numbers, std::vector<std::size_t> shape, nb::handle owner) {
  return nb::cast(nb::ndarray<nb::numpy, T>(numbers, shape.size(), shape.data(), owner));
}

}  // namespace letterpress::python
