#include <filesystem>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/inside_folder.h"
#include "letterpress/shards/published_snapshot.h"
#include "preprocess/commands/commands.h"
#include "preprocess/inputs/splits.h"

namespace letterpress {

Snapshot chosen_snapshot(const Store& store, std::int64_t generation) {
  return published_snapshot(store, generation > 0 ? std::optional(generation) : std::nullopt);
}

Snapshot whole_pictures_snapshot(const Store& store, std::int64_t generation,
                                 const std::string& command) {
  Snapshot snapshot = chosen_snapshot(store, generation);
  if (!snapshot.accounting.tiles) return snapshot;
  throw Error({.where = store.folder().string(),
               .what = "holds tiles, " + command + " needs whole pictures",
               .fix = "run it on a store that is built with --tile 0"},
              Exit::configuration);
}

void check_not_an_input(const std::string& out, const Store& store, const Snapshot& snapshot) {
  namespace fs = std::filesystem;
  const fs::path file = fs::weakly_canonical(fs::absolute(out));
  const auto refuse = [&](const std::string& what) {
    throw Error({.where = "--out " + out, .what = what, .fix = "name another file"},
                Exit::cannot_create);
  };
  if (is_inside(file, store.folder())) refuse("lies in the store");
  const BuildOptions options = build_options_from_json(snapshot.configuration_json);
  std::vector<fs::path> read{options.classes, options.val, options.recipe};
  read.insert(read.end(), options.inputs.begin(), options.inputs.end());
  for (const SplitLabels& split : options.splits) read.push_back(split.labels);
  for (const fs::path& path : read) {
    if (!path.empty() && fs::weakly_canonical(path) == file) refuse("was read by the build");
  }
  for (const LedgerEntry& entry : store.ledger(snapshot.generation)) {
    if (entry.path == file.string()) refuse("is a picture of the store");
  }
}

void write_out(const std::string& out, std::string_view content) {
  try {
    replace_file(std::filesystem::absolute(out), content);
  } catch (const Error& error) {
    throw Error(
        {.where = "--out " + out, .what = std::string("cannot be written (") + error.what() + ")"},
        error.exit());
  }
}

}  // namespace letterpress
