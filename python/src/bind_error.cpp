#include <nanobind/stl/string.h>

#include <exception>
#include <string>

#include "letterpress/base/error.h"
#include "python/src/bindings.h"

namespace letterpress::python {
namespace {

constexpr const char* kErrorDoc =
    "What a Letterpress program would print and leave with.\n\n"
    "Attributes: where (file, and row or line in it), what (was found, it must be), fix (what you "
    "can do; may be empty), exit (the program's exit code).";

void raise_in_python(const std::exception_ptr& thrown, void* type) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::handle kind(static_cast<PyObject*>(type));
    nb::object raised = kind(text_object(error.what()));
    raised.attr("where") = text_object(error.message().where);
    raised.attr("what") = text_object(error.message().what);
    raised.attr("fix") = text_object(error.message().fix);
    raised.attr("exit") = static_cast<int>(error.exit());
    PyErr_SetObject(kind.ptr(), raised.ptr());
  }
}

}  // namespace

void bind_error(nb::module_& module) {
  nb::dict members;
  for (const char* const text : {"where", "what", "fix"}) members[text] = "";
  members["exit"] = static_cast<int>(Exit::data);
  const std::string name = nb::cast<std::string>(module.attr("__name__")) + ".Error";
  PyObject* const type =
      PyErr_NewExceptionWithDoc(name.c_str(), kErrorDoc, PyExc_RuntimeError, members.ptr());
  if (!type) throw nb::python_error();
  module.attr("Error") = nb::handle(type);  // the module and this reference keep it for good
  nb::register_exception_translator(raise_in_python, type);
}

}  // namespace letterpress::python
