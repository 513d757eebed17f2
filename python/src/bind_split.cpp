#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <span>
#include <tuple>

#include "letterpress/base/error.h"
#include "python/src/bindings.h"
#include "python/src/split.h"

namespace letterpress::python {
namespace {

using namespace nb::literals;

/// May read from a disk, so other threads go on meanwhile.
const std::uint8_t* pixels_of(Row& row) {
  std::vector<std::uint8_t> read;
  {
    const nb::gil_scoped_release release;
    if (const std::uint8_t* const pixels = row.pixels()) return pixels;
    read = row.read_pixels();
  }
  row.keep(std::move(read));
  return row.pixels();
}

nb::object image_of(nb::handle self) {
  Row& row = nb::cast<Row&>(self);
  return array_of(pixels_of(row), {row.side(), row.side(), 3}, self);
}

std::int64_t index_of(nb::handle index) {
  if (const std::optional<std::int64_t> value = whole_number(index)) return *value;
  const std::string got = nb::cast<std::string>(nb::repr(index.type().attr("__name__")));
  throw nb::type_error(
      ("a split is indexed by split[picture] or split[picture, view], whole numbers; got " + got)
          .c_str());
}

Row row_at(const Split& split, nb::handle index) {
  if (!nb::isinstance<nb::tuple>(index)) return split.clean_row(index_of(index));
  const auto pair = nb::borrow<nb::tuple>(index);
  if (pair.size() != 2) return split.clean_row(index_of(index));  // which refuses it
  return split.row(index_of(pair[0]), index_of(pair[1]));
}

/// Of the row's boxes in use; None where pictures are whole.
nb::object whole_boxes_of(nb::handle self) {
  const Row& row = nb::cast<const Row&>(self);
  if (!row.tile()) return nb::none();
  return copied_array(row.shard().whole_boxes(row.place().row).data(), {row.count(), 4});
}

/// [n, ...] of the row's boxes in use.
template <class T>
nb::object boxes_of(nb::handle self, std::span<const T> (ShardReader::*column)(std::int64_t) const,
                    std::vector<std::size_t> rest = {}) {
  const Row& row = nb::cast<const Row&>(self);
  rest.insert(rest.begin(), row.count());
  return copied_array((row.shard().*column)(row.place().row).data(), std::move(rest));
}

void bind_arrays(nb::class_<Row>& type) {
  type.def_prop_ro(
          "image", image_of, nb::sig("def image(self) -> numpy.typing.NDArray[numpy.uint8]"),
          "uint8 [S, S, 3], RGB, the letterbox's fill outside the picture. A view of the mapped "
          "shard; a copy where the shard is compressed or its disk is not local. Raises Error "
          "naming shard, row and picture when the row does not match its checksum, which is looked "
          "at the first time. Copy it before you give it to what may write: torch.from_dlpack "
          "drops the read-only mark, and a write ends the process.")
      .def_prop_ro(
          "boxes", [](nb::handle self) { return boxes_of(self, &ShardReader::boxes, {5}); },
          nb::sig("def boxes(self) -> numpy.typing.NDArray[numpy.float32]"),
          "float32 [n, 5]: x1 y1 x2 y2 class, corners in pixels of the frame, where pixel i covers "
          "[i, i + 1).")
      .def_prop_ro(
          "flags", [](nb::handle self) { return boxes_of(self, &ShardReader::box_flags); },
          nb::sig("def flags(self) -> numpy.typing.NDArray[numpy.uint8]"),
          "uint8 [n]: bit 0 crowd, bit 1 difficult, bit 2 cut by the augmentation.")
      .def_prop_ro(
          "areas", [](nb::handle self) { return boxes_of(self, &ShardReader::box_area); },
          nb::sig("def areas(self) -> numpy.typing.NDArray[numpy.float32]"),
          "float32 [n]: pixels of the source, as its labels state them, else width * height.")
      .def_prop_ro(
          "whole_boxes", whole_boxes_of,
          nb::sig("def whole_boxes(self) -> numpy.typing.NDArray[numpy.float32] | None"),
          "float32 [n, 4]: in a store of tiles each box as its labels have it, before the tile cut "
          "it: x1 y1 x2 y2, pixels of the source; else None.")
      .def_prop_ro(
          "source_to_frame",
          [](nb::handle self) {
            return copied_array(nb::cast<const Row&>(self).source_to_frame().data(), {2, 3});
          },
          nb::sig("def source_to_frame(self) -> numpy.typing.NDArray[numpy.float64]"),
          "float64 [2, 3]: the affine map from pixels of the source to pixels of the frame.");
}

/// Throws Error (data) where the snapshot has no such row.
void unpickle(
    Row& memory,
    const std::tuple<std::shared_ptr<OpenedSnapshot>, std::int32_t, std::int64_t>& state) {
  const auto& [snapshot, shard, row] = state;
  const auto& shards = snapshot->snapshot().shards;
  if (shard < 0 || static_cast<std::size_t>(shard) >= shards.size() || row < 0 ||
      row >= snapshot->reader().shard(shard).rows())
    throw Error({.where = "Row",
                 .what = "the pickle names row " + std::to_string(row) + " of shard " +
                         std::to_string(shard) + ", which the snapshot does not have"});
  new (&memory) Row(snapshot, {shard, row});
}

void bind_facts(nb::class_<Row>& type) {
  type.def_prop_ro("label", &Row::label, "Class of the whole picture, or -1.")
      .def_prop_ro("view", &Row::view, "0: the clean letterbox; 1..K: augmented.")
      .def_prop_ro("tile", &Row::tile,
                   "Number of the tile in its picture, row by row from 0; None where pictures are "
                   "whole.")
      .def_prop_ro("picture_id", &Row::picture_id,
                   "First 8 bytes of the XXH3-128 of the picture's file.")
      .def_prop_ro("picture", &Row::picture, "The source's path as its label file wrote it.")
      .def_prop_ro("source_size", &Row::source_size,
                   "Width and height of the source in pixels, after EXIF orientation.")
      .def_prop_ro("place", &Row::place_text, "\"a.h5: row 5 (b.jpg)\", as errors name it.");
}

}  // namespace

void bind_split(nb::module_& module) {
  nb::class_<Row> row(
      module, "Row",
      "One view of one picture. `image` shows the store's own memory, read-only, as long as you "
      "hold it; the other arrays are small copies, yours to change. May be pickled.");
  bind_arrays(row);
  bind_facts(row);
  row.def("__getstate__",
          [](const Row& self) {
            return std::tuple(self.snapshot(), self.place().shard, self.place().row);
          })
      .def("__setstate__", unpickle);
  nb::class_<Split>(
      module, "Split",
      "The pictures of a split, dead rows left out, in the order of their hashes; in a store of "
      "tiles the tiles, a picture's one after another.")
      .def("__len__", &Split::size)
      .def(
          "__getitem__", row_at, "index"_a.none(),
          nb::sig("def __getitem__(self, index: typing.SupportsIndex | tuple[typing.SupportsIndex, "
                  "typing.SupportsIndex]) -> Row"),
          "split[i]: the clean view of picture i; split[i, v]: its view v, 0..split.views(i). In a "
          "store of tiles i counts the tiles.")
      .def(
          "__iter__", [](nb::handle self) { return nb::steal(PySeqIter_New(self.ptr())); },
          nb::sig("def __iter__(self) -> typing.Iterator[Row]"), "The clean views.")
      .def("views", &Split::views, "picture"_a, "Augmented views of picture i.")
      .def_prop_ro("name", &Split::name, "As snapshot[name] takes it.")
      .def("__getstate__",
           [](const Split& split) { return std::tuple(split.snapshot(), split.name()); })
      .def(
          "__setstate__",
          [](Split& memory, const std::tuple<std::shared_ptr<OpenedSnapshot>, std::string>& state) {
            new (&memory) Split(std::get<0>(state), std::get<1>(state));
          });
}

}  // namespace letterpress::python
