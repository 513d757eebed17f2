// Text that people write or other programs give: recipes, --config files, COCO's results and ground
// truth, the graph of a model in a checkpoint, the metadata of an ONNX file.
#include <CLI/CLI.hpp>

#include "commandline/src/configuration_file.h"
#include "letterpress/base/error.h"
#include "letterpress/detections/coco.h"
#include "letterpress/models/graph.h"
#include "letterpress/models/onnx_metadata.h"
#include "preprocess/recipe/recipe.h"
#include "target.h"

namespace letterpress {
namespace {

void read_recipe(const std::filesystem::path& folder, std::span<const std::byte> bytes) {
  const Recipe recipe = Recipe::load(write_bytes(folder / "recipe.toml", bytes).string());
  if (Recipe::from_json(recipe.json(), "store").json() != recipe.json())
    broken_promise("a recipe is another after its JSON");
}

void read_recipe_json(const std::filesystem::path& folder, std::span<const std::byte> bytes) {
  const Recipe recipe = Recipe::from_json(std::string(text_of(bytes)), "store");
  const std::string toml = recipe.toml();
  const auto file = write_bytes(folder / "recipe.toml", std::as_bytes(std::span(toml)));
  if (Recipe::load(file.string()).toml() != toml)
    broken_promise("a recipe is another after its TOML");
}

void read_configuration(const std::filesystem::path& folder, std::span<const std::byte> bytes) {
  CLI::App app;
  int number = 0;
  std::vector<std::string> texts;
  bool is_set = false;
  app.add_option("--size", number);
  app.add_option("--input", texts);
  app.add_flag("--rebuild", is_set);
  app.add_option("--config");
  const std::string file = write_bytes(folder / "configuration.toml", bytes).string();
  (void)with_configuration_file({"program", "--config", file}, 1, app);
}

void read_results(const std::filesystem::path& folder, std::span<const std::byte> bytes) {
  (void)read_coco_results(write_bytes(folder / "results.json", bytes));
}

void read_ground_truth(const std::filesystem::path& folder, std::span<const std::byte> bytes) {
  (void)read_coco_ground_truth(write_bytes(folder / "coco.json", bytes));
}

void read_graph(const std::filesystem::path&, std::span<const std::byte> bytes) {
  const std::string text = to_json(graph_from_json(std::string(text_of(bytes))));
  if (to_json(graph_from_json(text)) != text) broken_promise("a graph is another after its JSON");
}

void read_onnx_metadata(const std::filesystem::path&, std::span<const std::byte> bytes) {
  std::size_t found = 0;
  const auto metadata = onnx_metadata(text_of(bytes));
  for (const auto& [key, text] : metadata) found += key.size() + text.size();
  if (found > bytes.size()) broken_promise("metadata are longer than their file");
  const std::string named = with_digest(std::string(text_of(bytes)));
  check_digest(named, onnx_metadata(named));
  check_digest(text_of(bytes), metadata);
}

}  // namespace

std::vector<FuzzTarget> texts_targets() {
  return {{"coco-ground-truth", read_ground_truth}, {"coco-results", read_results},
          {"configuration", read_configuration},    {"graph", read_graph},
          {"onnx-metadata", read_onnx_metadata},    {"recipe", read_recipe},
          {"recipe-json", read_recipe_json}};
}

}  // namespace letterpress
