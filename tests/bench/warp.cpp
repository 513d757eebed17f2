#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "preprocess/recipe/recipe.h"
#include "tests/bench/registry.h"

namespace letterpress {
namespace {

// Recipe detect reduced to its affine: scale and shift, no mirror, no colours.
Recipe affine_alone() {
  nlohmann::json recipe = nlohmann::json::parse(Recipe::load("detect").json());
  nlohmann::json& steps = recipe.at("augment");
  for (std::size_t i = steps.size(); i-- > 0;)
    if (steps[i].at("kind") != "affine") steps.erase(i);
  return Recipe::from_json(recipe.dump(), "micro-benchmark");
}

// Renders one view of a decoded 640 x 480 picture by a recipe.
class Render final : public Benchmark {
 public:
  Render(const BenchmarkSetting& setting, Recipe recipe, std::int32_t view)
      : recipe_(std::move(recipe)), view_(view), side_(setting.side), rows_(setting.rows) {
    picture_.width = 640;
    picture_.height = 480;
    picture_.rgb.resize(std::size_t{3} * 640 * 480);
    for (std::size_t i = 0; i < picture_.rgb.size(); ++i)
      picture_.rgb[i] = static_cast<std::uint8_t>((i / 1920 + i % 1920) & 255);
  }
  std::int64_t items() const override { return rows_; }
  std::int64_t bytes_per_item() const override { return std::int64_t{3} * side_ * side_; }
  void run(std::int64_t item) override {
    thread_local std::vector<std::uint8_t> image;
    thread_local const RenderWorkspacePointer workspace = make_render_workspace();
    thread_local ShardRow row;
    image.resize(static_cast<std::size_t>(bytes_per_item()));
    const ViewKey key{static_cast<std::uint64_t>(item), 0, {}, view_};
    render_view({recipe_, key, picture_, picture_.width, picture_.height, {}, side_}, *workspace,
                row, image);
    keep(image.data());
  }

 private:
  Recipe recipe_;
  Picture picture_;
  std::int32_t view_;
  int side_;
  std::int64_t rows_;
};

}  // namespace

constinit const BenchmarkEntry kLetterbox{
    "letterbox", "renders the clean row of a decoded 640 x 480 picture: recipe none",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> {
      return std::make_unique<Render>(setting, Recipe::load("none"), 0);
    }};

constinit const BenchmarkEntry kWarp{
    "warp",
    "scales and shifts a decoded 640 x 480 picture to a row: only the affine of recipe detect",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> {
      return std::make_unique<Render>(setting, affine_alone(), 1);
    }};

constinit const BenchmarkEntry kAugmentedRow{
    "augmented_row",
    "renders an augmented row of a decoded 640 x 480 picture with its colours: recipe keras-yolo3",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> {
      return std::make_unique<Render>(setting, Recipe::load("keras-yolo3"), 1);
    }};

}  // namespace letterpress
