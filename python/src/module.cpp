#include "python/src/bindings.h"

NB_MODULE(_letterpress, module) {
  module.doc() =
      "Reads the stores of letterpress-preprocess, by the code that the trainer reads with.";
  module.attr("version") = LETTERPRESS_VERSION;
  // What a program still holds at its end is not a leak.
  nanobind::set_leak_warnings(false);
  letterpress::python::bind_error(module);
  letterpress::python::bind_split(module);
  letterpress::python::bind_snapshot(module);
  letterpress::python::bind_loader(module);
}
