#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "letterpress/base/error.h"
#include "python/src/bindings.h"
#include "python/src/picture_loader.h"

namespace letterpress::python {
namespace {

using namespace nb::literals;

constexpr nb::dlpack::dtype kBfloat16{static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bfloat), 16,
                                      1};

/// One pass of a `for` over a Loader.
struct Pass {
  std::shared_ptr<PictureLoader> loader;
  std::int64_t epoch;
};

OwnBatch next_batch(const Pass& pass) {
  const nb::gil_scoped_release release;
  std::optional<OwnBatch> batch = pass.loader->next_of(pass.epoch);
  if (!batch) throw nb::stop_iteration();
  return std::move(*batch);
}

/// Another thread's next() may hold the loader for as long as a disk takes.
using Waits = nb::call_guard<nb::gil_scoped_release>;

nb::object images_of(nb::handle self) {
  const OwnBatch& batch = nb::cast<const OwnBatch&>(self);
  const auto side = static_cast<std::size_t>(batch.shape.side);
  const std::vector<std::size_t> shape{static_cast<std::size_t>(batch.shape.batch), side, side, 3};
  std::uint8_t* const pixels = batch.images.get();
  if (batch.shape.pixels == PixelType::bytes) return array_of(pixels, shape, self);
  if (batch.shape.pixels == PixelType::float32)
    return array_of(reinterpret_cast<float*>(pixels), shape, self);
  return nb::cast(nb::ndarray<nb::array_api, nb::device::cpu>(pixels, shape.size(), shape.data(),
                                                              self, nullptr, kBfloat16));
}

/// [B, ...] of a table of the batch.
template <auto Table>
nb::object table_of(nb::handle self, std::vector<std::size_t> rest = {}) {
  OwnBatch& batch = nb::cast<OwnBatch&>(self);
  rest.insert(rest.begin(), static_cast<std::size_t>(batch.shape.batch));
  return array_of((batch.*Table).data(), std::move(rest), self);
}

std::size_t max_boxes_of(nb::handle self) {
  return static_cast<std::size_t>(nb::cast<const OwnBatch&>(self).shape.max_boxes);
}

void bind_batch(nb::module_& module) {
  nb::class_<OwnBatch>(module, "Batch",
                       "B rows. It is yours: change it, keep it; the loader goes on with other "
                       "memory, and uses this again when the last of its arrays is gone.")
      .def("__len__", [](const OwnBatch& batch) { return batch.shape.batch; })
      .def_prop_ro(
          "images", images_of, nb::sig("def images(self) -> typing.Any"),
          "[B, S, S, 3], RGB. uint8: 0..255; float32 and bfloat16: the byte / 255, 0..1. A "
          "numpy array; bfloat16, which numpy lacks, an object with __dlpack__. All go "
          "through torch.from_dlpack without a copy; .permute(0, 3, 1, 2) is a "
          "channels_last batch.")
      .def_prop_ro(
          "boxes",
          [](nb::handle self) {
            return table_of<&OwnBatch::boxes>(self, {max_boxes_of(self), 5});
          },
          nb::sig("def boxes(self) -> numpy.typing.NDArray[numpy.float32]"),
          "float32 [B, M, 5]: x1 y1 x2 y2 class, corners in pixels of the frame; unused 0 0 0 0 "
          "-1.")
      .def_prop_ro(
          "flags",
          [](nb::handle self) { return table_of<&OwnBatch::flags>(self, {max_boxes_of(self)}); },
          nb::sig("def flags(self) -> numpy.typing.NDArray[numpy.uint8]"),
          "uint8 [B, M]: bit 0 crowd, bit 1 difficult, bit 2 cut by the augmentation.")
      .def_prop_ro(
          "counts", [](nb::handle self) { return table_of<&OwnBatch::counts>(self); },
          nb::sig("def counts(self) -> numpy.typing.NDArray[numpy.int64]"),
          "int64 [B]: boxes in use, the first ones of each row.")
      .def_prop_ro(
          "labels", [](nb::handle self) { return table_of<&OwnBatch::labels>(self); },
          nb::sig("def labels(self) -> numpy.typing.NDArray[numpy.int64]"),
          "int64 [B]: class of the whole picture, -1 in detection sets.")
      .def_prop_ro(
          "weights", [](nb::handle self) { return table_of<&OwnBatch::weights>(self); },
          nb::sig("def weights(self) -> numpy.typing.NDArray[numpy.float32]"),
          "float32 [B]: 0 for the grey rows that fill the last batch of order 'once', else 1.")
      .def_prop_ro(
          "picture_ids", [](nb::handle self) { return table_of<&OwnBatch::picture_ids>(self); },
          nb::sig("def picture_ids(self) -> numpy.typing.NDArray[numpy.uint64]"),
          "uint64 [B]: as Row.picture_id; 0 for padding.")
      .def_prop_ro(
          "views", [](nb::handle self) { return table_of<&OwnBatch::views>(self); },
          nb::sig("def views(self) -> numpy.typing.NDArray[numpy.int64]"),
          "int64 [B]: 0 clean, 1..K augmented, -1 for padding.")
      .def_prop_ro(
          "tiles", [](nb::handle self) { return table_of<&OwnBatch::tiles>(self); },
          nb::sig("def tiles(self) -> numpy.typing.NDArray[numpy.int64]"),
          "int64 [B]: as Row.tile, but 0 where pictures are whole; -1 for padding.");
}

/// What fixes the order, and where the loader stands in it.
nb::dict state_of(const PictureLoader& loader) {
  const PictureLoaderOptions& options = loader.options();
  nb::dict state;
  std::int64_t position = 0;
  {
    const nb::gil_scoped_release release;
    position = loader.position();
  }
  state["position"] = position;
  state["digest"] = loader.snapshot().snapshot().logical_digest.hex();
  state["split"] = options.split;
  state["order"] = options.order;
  state["seed"] = options.seed;
  state["sample"] = options.sample;
  state["rare_below"] = options.rare_below;
  if (options.order == "once") state["rows_of_batch"] = loader.rows_of_batch();
  return state;
}

/// A state of a version without `sample` is one of a loader that takes each picture once; one
/// without `rows_of_batch` cannot be held against it.
bool may_be_absent(const PictureLoaderOptions& options, const std::string& key) {
  return key == "rows_of_batch" || ((key == "sample" || key == "rare_below") &&
                                    options.sample == PictureLoaderOptions().sample);
}

void load_state(PictureLoader& loader, const nb::dict& state) {
  for (const auto& [name, own] : state_of(loader)) {
    const auto key = nb::cast<std::string>(name);
    if (!state.contains(name) && may_be_absent(loader.options(), key)) continue;
    if (!state.contains(name))
      throw Error({.where = "state_dict", .what = "has no '" + key + "'"}, Exit::configuration);
    const nb::object saved = state[name];
    if (key == "position" || saved.equal(own)) continue;
    throw Error(
        {.where = "state_dict",
         .what = "is of " + key + " " + nb::cast<std::string>(nb::repr(saved)) +
                 ", this loader has " + nb::cast<std::string>(nb::repr(own)),
         .fix =
             "make the loader as the one that was saved; views and dtype may differ, and batch and "
             "world size where order 'once' has as many rows in a batch of all ranks"},
        Exit::configuration);
  }
  const std::optional<std::int64_t> position = whole_number(state["position"]);
  if (!position)
    throw Error({.where = "state_dict",
                 .what = "position is " + nb::cast<std::string>(nb::repr(state["position"])) +
                         ", must be a whole number"},
                Exit::configuration);
  const nb::gil_scoped_release release;
  loader.seek(*position);
}

constexpr const char* kLoaderDoc =
    "Batches of a split, read ahead by threads of the trainer's own loader.\n\n"
    "One endless stream: each picture once per epoch, every batch full, the order that of "
    "`letterpress-trainer fit` for the same seed. A `for` gives the batches that begin in one "
    "epoch, or in its rest; the next one goes on with the next. A batch of more rows than the "
    "split has "
    "pictures spans epochs.\n\n"
    "store: a Snapshot. split: the name of one of its splits.\n"
    "batch: rows over all ranks. This rank gets rows [batch * rank / world_size, batch * (rank + "
    "1) "
    "/ world_size) of each.\n"
    "views: 'augmented' reads view 1 + (picture_id + epoch) mod K in epoch `epoch`; 'clean' view "
    "0.\n"
    "clean_from: epoch from which view 0 is read; fit's is epochs - epochs // 10.\n"
    "order: 'shuffle'; 'window' for disks that seek slowly; 'once': the clean view of each "
    "picture, "
    "the last batch filled up with rows of weight 0, for validation.\n"
    "seed: of the order.\n"
    "sample: 'all', or 'balanced': pictures with rare classes come more often, as fit's --sample "
    "has it; a place more shows another view. rare_below: of 'balanced', as fit's.\n"
    "dtype: 'uint8', 'float32' or 'bfloat16'; made by the CPU in the pass that reads.\n"
    "readers: threads, at most 1024; 0: min(4, cores). buffers: batches in memory beside those "
    "that you hold, 2 to 1024.\n"
    "read: 'pread' copies rows from the page cache, 'mmap' takes them from where they lie in it, "
    "'direct' reads past it, for stores larger than memory; 'auto' decides, and `reading` says "
    "why.\n"
    "verify: rows against their checksums, 'first' (the first time), 'always' or 'never'. "
    "read_deadline: seconds after which a read counts as hanging.\n\n"
    "Raises Error; one of a damaged row names shard, row and picture.";

// Of the interpreter: Ctrl-C reaches a loader that waits for a disk.
void look_for_signals() {
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void make(PictureLoader* memory, std::shared_ptr<OpenedSnapshot> store, std::string split,
          int batch, std::string views, std::string order, std::uint64_t seed, int rank,
          int world_size, std::string dtype, std::optional<std::int64_t> clean_from,
          std::string sample, double rare_below, int readers, int buffers, std::string read,
          std::string verify, double read_deadline) {
  new (memory) PictureLoader(std::move(store), {.split = std::move(split),
                                                .batch = batch,
                                                .views = std::move(views),
                                                .order = std::move(order),
                                                .sample = std::move(sample),
                                                .rare_below = rare_below,
                                                .seed = seed,
                                                .rank = rank,
                                                .world_size = world_size,
                                                .dtype = std::move(dtype),
                                                .read = std::move(read),
                                                .verify = std::move(verify),
                                                .clean_from = clean_from,
                                                .loading = {.threads = readers,
                                                            .buffers = buffers,
                                                            .deadline_s = read_deadline,
                                                            .while_waiting = look_for_signals}});
}

/// As a DataLoader whose workers are processes of their own would have it.
nb::object refuse_copy(const PictureLoader&) {
  throw Error({.where = "letterpress.Loader",
               .what = "reads in threads, which another process cannot be given",
               .fix = "make it there, or use DataLoader(num_workers=0)"},
              Exit::usage);
}

}  // namespace

void bind_loader(nb::module_& module) {
  bind_batch(module);
  nb::class_<Pass>(module, "Pass", "The batches of an epoch of a Loader.")
      .def(
          "__iter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __iter__(self) -> Pass"))
      .def("__next__", next_batch);
  const PictureLoaderOptions defaults;
  nb::class_<PictureLoader>(module, "Loader", kLoaderDoc)
      .def("__init__", make, "store"_a, "split"_a = defaults.split, "batch"_a = defaults.batch,
           "views"_a = defaults.views, "order"_a = defaults.order, "seed"_a = defaults.seed,
           "rank"_a = defaults.rank, "world_size"_a = defaults.world_size,
           "dtype"_a = defaults.dtype, nb::kw_only(), "clean_from"_a = nb::none(),
           "sample"_a = defaults.sample, "rare_below"_a = defaults.rare_below,
           "readers"_a = defaults.loading.threads, "buffers"_a = defaults.loading.buffers,
           "read"_a = defaults.read, "verify"_a = defaults.verify,
           "read_deadline"_a = defaults.loading.deadline_s)
      .def("__iter__",
           [](std::shared_ptr<PictureLoader> self) {
             const nb::gil_scoped_release release;
             return Pass{self, self->begin_pass()};
           })
      .def("__len__", &PictureLoader::batches_left, Waits(), "Batches that the next `for` gives.")
      .def("__reduce__", refuse_copy)
      .def_prop_ro("epoch", &PictureLoader::epoch, Waits(), "Whole epochs that were read, from 0.")
      .def_prop_ro("waited_s", &PictureLoader::waited_s, Waits(),
                   "Seconds that batches were waited for, since the readers began.")
      .def_prop_ro("reading", &PictureLoader::reading, Waits(),
                   "How rows are read and why; empty before the first batch.")
      .def("state_dict", state_of, nb::sig("def state_dict(self) -> dict[str, typing.Any]"),
           "Where the stream stands: after the batch given last. Plain numbers and text.")
      .def(
          "load_state_dict", load_state, "state"_a,
          nb::sig("def load_state_dict(self, state: dict[str, typing.Any]) -> None"),
          "Goes on after the batch that was given last when `state` was taken, with any batch size "
          "and world size; with order 'once' as many rows in a batch of all ranks. Raises Error "
          "when it is of another snapshot, split, order, sample or seed.");
}

}  // namespace letterpress::python
