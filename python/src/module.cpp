#include "python/src/bindings.h"

NB_MODULE(_letterpress, module) {
  module.doc() =
      "Reads the stores of letterpress-preprocess, by the code that the trainer reads with.";
  nanobind::set_leak_warnings(false);  // objects that a program still holds at its end are no fault
  letterpress::python::bind_error(module);
  letterpress::python::bind_split(module);
  letterpress::python::bind_snapshot(module);
  letterpress::python::bind_loader(module);
}
