#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <vector>

namespace letterpress::python {

namespace nb = nanobind;

// What the module consists of; one file each.
void bind_error(nb::module_& module);
void bind_split(nb::module_& module);
void bind_snapshot(nb::module_& module);
void bind_loader(nb::module_& module);

/// A numpy array that shows `numbers` of `owner`, which it keeps alive.
template <class T>
nb::object array_of(T* numbers, std::vector<std::size_t> shape, nb::handle owner) {
  return nb::cast(nb::ndarray<nb::numpy, T>(numbers, shape.size(), shape.data(), owner));
}

}  // namespace letterpress::python
