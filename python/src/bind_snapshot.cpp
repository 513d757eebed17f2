#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <variant>

#include "letterpress/base/error.h"
#include "python/src/bindings.h"
#include "python/src/split.h"

namespace letterpress::python {
namespace {

using namespace nb::literals;

using Generation = std::variant<std::int64_t, std::string>;

std::shared_ptr<OpenedSnapshot> open(const std::filesystem::path& store,
                                     const Generation& snapshot) {
  const std::string* const name = std::get_if<std::string>(&snapshot);
  if (name && *name != "latest")
    throw Error({.where = "snapshot", .what = "is '" + *name + "', must be 'latest' or a number"},
                Exit::usage);
  const nb::gil_scoped_release release;
  return std::make_shared<OpenedSnapshot>(
      store, name ? std::nullopt : std::optional(std::get<std::int64_t>(snapshot)));
}

nb::object from_json(const std::string& text) {
  return nb::module_::import_("json").attr("loads")(text.empty() ? "{}" : text);
}

nb::object letterbox_of(const OpenedSnapshot& opened) {
  return from_json(opened.snapshot().identity.recipe_json)["letterbox"];
}

nb::dict provenance_of(const OpenedSnapshot& opened) {
  const Snapshot& snapshot = opened.snapshot();
  nb::dict result;
  result["generation"] = snapshot.generation;
  result["parent"] = snapshot.parent;
  result["digest"] = snapshot.logical_digest.hex();
  result["producer"] = snapshot.producer;
  result["recipe"] = from_json(snapshot.identity.recipe_json);
  result["recipe_name"] = snapshot.identity.recipe_name;
  result["seed"] = snapshot.identity.seed;
  result["draw"] = snapshot.identity.draw;
  result["redrawn"] = snapshot.identity.redrawn;
  result["configuration"] = from_json(snapshot.configuration_json);
  return result;
}

nb::object anchors_of(nb::handle self) {
  const auto& anchors = nb::cast<const OpenedSnapshot&>(self).snapshot().statistics.anchors;
  return copied_array(anchors.empty() ? nullptr : anchors.front().data(), {anchors.size(), 2});
}

nb::object text_of(const OpenedSnapshot& opened) {
  return text_object("<letterpress.Snapshot " + std::to_string(opened.snapshot().generation) +
                     " of " + opened.folder().string() + ">");
}

void bind_splits(nb::class_<OpenedSnapshot>& type) {
  type.def_prop_ro("folder", &OpenedSnapshot::folder, "The store's.")
      .def_prop_ro("splits", &OpenedSnapshot::splits, "Names, for snapshot[name].")
      .def(
          "__getitem__",
          [](std::shared_ptr<OpenedSnapshot> self, const std::string& split) {
            return Split(std::move(self), split);
          },
          "split"_a, "The split of that name. Raises Error that lists them.")
      .def(
          "__iter__", [](const OpenedSnapshot& self) { return nb::iter(nb::cast(self.splits())); },
          nb::sig("def __iter__(self) -> typing.Iterator[str]"), "The names of the splits.")
      .def(
          "__contains__",
          [](const OpenedSnapshot& self, nb::handle name) {
            for (const std::string& split : self.splits()) {
              if (name.equal(nb::cast(split))) return true;
            }
            return false;
          },
          "name"_a.none(), nb::sig("def __contains__(self, name: object) -> bool"),
          "Whether a split has this name.");
}

void bind_facts(nb::class_<OpenedSnapshot>& type) {
  type.def_prop_ro(
          "classes", [](const OpenedSnapshot& self) { return self.snapshot().classes; },
          "Names, by class id.")
      .def_prop_ro(
          "side", [](const OpenedSnapshot& self) { return self.snapshot().identity.side; },
          "S: pixels of a row's width and height.")
      .def_prop_ro("max_boxes", &OpenedSnapshot::max_boxes, "M: boxes that a batch has room for.")
      .def_prop_ro(
          "views", [](const OpenedSnapshot& self) { return self.snapshot().views; },
          "K: augmented views of a training picture.")
      .def_prop_ro("anchors", anchors_of,
                   nb::sig("def anchors(self) -> numpy.typing.NDArray[numpy.float64]"),
                   "float64 [9, 2]: widths and heights in pixels of the frame, k-means over the "
                   "boxes, by area ascending; [0, 2] without boxes.")
      .def_prop_ro("letterbox", letterbox_of,
                   nb::sig("def letterbox(self) -> dict[str, typing.Any]"),
                   "The rule by which sources are fitted into the frame: scale, rounding, place, "
                   "fill, resize.")
      .def_prop_ro("provenance", provenance_of,
                   "Where it comes from: generation, parent, digest, producer, recipe, seed, draw, "
                   "configuration.");
}

void bind_pickling(nb::class_<OpenedSnapshot>& type) {
  type.def("__getstate__",
           [](const OpenedSnapshot& self) {
             return std::tuple(self.whole_path(), self.snapshot().generation);
           })
      .def("__setstate__", [](OpenedSnapshot& memory,
                              const std::tuple<std::filesystem::path, std::int64_t>& state) {
        new (&memory) OpenedSnapshot(std::get<0>(state), std::get<1>(state));
      });
}

}  // namespace

void bind_snapshot(nb::module_& module) {
  nb::class_<OpenedSnapshot> type(
      module, "Snapshot",
      "What a store held at one time; it never changes. May be used by many threads, by forked "
      "processes, and be pickled, as its splits may.");
  type.def("__repr__", text_of);
  bind_splits(type);
  bind_facts(type);
  bind_pickling(type);
  module.def(
      "open", open, "store"_a, "snapshot"_a = "latest",
      nb::sig(
          "def open(store: str | os.PathLike, snapshot: typing.SupportsIndex | str = 'latest') -> "
          "Snapshot"),
      "Opens a snapshot of a store, checks each shard's tables against its name, and returns a "
      "Snapshot. snapshot: its number, or 'latest'. Raises Error where the store or a shard is "
      "missing, damaged or newer than this package.");
}

}  // namespace letterpress::python
