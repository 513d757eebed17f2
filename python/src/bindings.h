#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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

/// A numpy array of a copy of as many numbers as the shape has, which is its holder's. For small
/// tables: numpy's read-only mark does not survive DLPack, and a write there would change what the
/// snapshot's other readers see.
template <class T>
nb::object copied_array(const T* numbers, std::vector<std::size_t> shape) {
  std::size_t size = 1;
  for (const std::size_t n : shape) size *= n;
  auto copy = std::make_unique<T[]>(size);
  std::copy_n(numbers, size, copy.get());
  const nb::capsule owner(copy.get(), [](void* held) noexcept { delete[] static_cast<T*>(held); });
  return array_of(copy.release(), std::move(shape), owner);
}

/// Text that need not be UTF-8, as names of files: other bytes as Python's own file names have them
/// (os.fsdecode).
inline nb::object text_object(const std::string& text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

}  // namespace letterpress::python
