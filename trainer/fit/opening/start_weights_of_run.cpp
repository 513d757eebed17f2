#include "trainer/fit/opening/start_weights_of_run.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/weights/weight_file.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/exchange/class_note.h"

namespace letterpress {

namespace {

Checkpoint checkpoint_of_init(const std::filesystem::path& file) {
  try {
    return read_checkpoint(file, true);
  } catch (const Error& error) {
    if (error.exit() != Exit::data) throw;
    const std::string pretrained = "another program's weights go with --pretrained";
    const std::string format = weight_format_of(file);
    if (format == "safetensors")  // a damaged checkpoint, or another program's
      throw Error(with_fix(error.message(), pretrained), error.exit());
    throw Error({.where = "--init " + file.string(),
                 .what = "is not a checkpoint of this program" +
                         (format.empty() ? "" : ", but weights of format " + format),
                 .fix = pretrained});
  }
}

}  // namespace

std::optional<StartWeights> start_weights(const FitOptions& options) {
  if (!options.init.empty()) {
    const std::filesystem::path file = find_checkpoint(options.init, "init");
    return start_weights_of(checkpoint_of_init(file), file.string());
  }
  if (options.pretrained.empty()) return std::nullopt;
  return read_start_weights(find_checkpoint(options.pretrained, "pretrained"), options.model);
}

std::string take_over_renames(const Snapshot& snapshot, StartWeights& start) {
  const auto holds = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  const auto configuration =
      nlohmann::json::parse(snapshot.configuration_json, nullptr, /*allow_exceptions=*/false);
  if (!configuration.is_object() || !configuration.contains("rename-class")) return {};
  std::string told;
  for (const auto& [from, to] : configuration.at("rename-class").items()) {
    const auto old = std::ranges::find(start.classes, from);
    if (old == start.classes.end() || !to.is_string() || holds(snapshot.classes, from)) continue;
    const std::string now = to.get<std::string>();
    if (!holds(snapshot.classes, now) || holds(start.classes, now)) continue;
    *old = now;
    told += (told.empty() ? "class " : ", ") + from + " of the start weights is " + now +
            " in the store (build --rename-class)";
  }
  return told;
}

std::vector<WeightRow> load_some_weights(Network& network, const StartWeights& start,
                                         const std::vector<std::string>& classes, Match match) {
  std::vector<WeightRow> rows = load_start_weights(network, start, classes, match);
  if (loaded_count(rows) > 0) return rows;
  throw Error(
      {.where = start.file,
       .what = "no tensor of " + start.graph.model + " in it fits model " + network.graph().model,
       .fix = "name the model with --model"},
      Exit::configuration);
}

std::string write_weight_table(std::vector<WeightRow> rows, const StartWeights& start,
                               const Graph& graph, const std::vector<std::string>& classes,
                               const std::filesystem::path& run_folder) {
  const std::string head = class_note(start, graph, classes, rows);
  const auto loaded = loaded_count(rows);
  const auto of_model = std::count_if(rows.begin(), rows.end(),
                                      [](const WeightRow& row) { return !row.target.empty(); });
  // What the file has beside the model.
  std::copy_if(start.rows.begin(), start.rows.end(), std::back_inserter(rows),
               [](const WeightRow& row) { return row.target.empty(); });
  const std::filesystem::path table = run_folder / "start_weights.txt";
  replace_file(table, to_text(rows));
  const std::string part = start.part.empty() ? "" : ", the weights under '" + start.part + "'";
  std::string text = "start weights of " + start.file + " (" + start.format + part +
                     "): " + std::to_string(loaded) + " of " + std::to_string(of_model) +
                     " tensors, see " + table.string();
  if (!head.empty()) text += "\n  " + head;
  if (start.folded) {
    text +=
        "\n  the file's norms are folded into its convolutions, so the first steps change them "
        "far; a file that is not fused is the better start";
  }
  for (const WeightRow& row : rows) {
    if (!row.note.empty() && !row.target.empty()) text += "\n  " + row.target + ": " + row.note;
  }
  return text;
}

}  // namespace letterpress
