// What every augmentation of the table must do, each in a recipe of its own.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "preprocess/augment/augmentation.h"
#include "preprocess/recipe/recipe.h"
#include "tests/temp_dir.h"

namespace letterpress {
namespace {

constexpr int kSide = 96;
using Values = std::map<std::string, double>;

// Parameters under which an augmentation does nothing. place_jitter has none: it replaces the
// letterbox.
const std::map<std::string_view, Values> kIdentity{
    {"affine", {{"scale_low", 1}, {"scale_high", 1}, {"shift", 0}}},
    {"blur", {{"sigma", 0}, {"chance", 1}}},
    {"crop", {{"share", 0}}},
    {"cutout", {{"size_low", 0}, {"size_high", 0}, {"chance", 1}}},
    {"grey", {{"chance", 0}}},
    {"hflip", {{"chance", 0}}},
    {"hsv", {{"hue", 0}, {"saturation", 1}, {"value", 1}}},
    {"jpeg", {{"chance", 0}}},
    {"noise", {{"sigma", 0}, {"chance", 1}}},
    {"shift", {{"share", 0}}},
    {"tone", {{"brightness", 0}, {"contrast", 1}, {"gamma", 1}}},
    {"turn90", {{"chance", 0}}},
    {"vflip", {{"chance", 0}}},
};

Recipe recipe_of(std::string_view kind, const Values& values) {
  TempDir dir;
  std::ostringstream toml;
  toml << "[letterbox]\nfill = 0\n[[augment]]\nkind = \"" << kind << "\"\n";
  for (const auto& [name, value] : values) toml << name << " = " << value << "\n";
  return Recipe::load(dir.write("one.toml", toml.str()).string());
}

// Black with a white rectangle, which is the box.
struct Marked {
  Picture picture{
      .width = 144, .height = 96, .rgb = std::vector<std::uint8_t>(144 * 96 * 3), .planes = {}};
  LabelBox box{60, 36, 90, 57, 0};

  Marked() {
    for (std::size_t y = 36; y < 57; ++y)
      std::fill_n(picture.rgb.begin() + static_cast<std::ptrdiff_t>(3 * (144 * y + 60)), 90, 255);
  }
};

struct View {
  ShardRow row;
  std::vector<std::uint8_t> image = std::vector<std::uint8_t>(kSide * kSide * 3);
};

View view_of(const Recipe& recipe, std::int32_t number, const Marked& marked) {
  View view;
  const auto workspace = make_render_workspace();
  render_view(
      {recipe, {3, 0, hash128("marked"), number}, marked.picture, 144, 96, {&marked.box, 1}, kSide},
      *workspace, view.row, view.image);
  return view;
}

// The bounding rectangle of what is nearer to white than to black.
LabelBox found_in(const std::vector<std::uint8_t>& image) {
  LabelBox box{kSide, kSide, 0, 0};
  for (std::size_t i = 0; i < image.size(); i += 3) {
    if (image[i] + image[i + 1] + image[i + 2] < 3 * 128) continue;
    const auto x = static_cast<float>(i / 3 % kSide), y = static_cast<float>(i / 3 / kSide);
    box = {std::min(box.x1, x), std::min(box.y1, y), std::max(box.x2, x + 1),
           std::max(box.y2, y + 1)};
  }
  return box;
}

TEST_CASE("with its identity parameters every augmentation changes no byte and no box") {
  const Marked marked;
  const View clean = view_of(recipe_of("hflip", {}), 0, marked);
  for (const AugmentationEntry* entry : augmentations()) {
    CAPTURE(entry->name);
    if (entry->name == "place_jitter") continue;
    REQUIRE(kIdentity.contains(entry->name));
    const Recipe recipe = recipe_of(entry->name, kIdentity.at(entry->name));
    for (std::int32_t number = 1; number <= 10; ++number) {
      const View view = view_of(recipe, number, marked);
      CHECK(view.image == clean.image);
      CHECK(view.row.boxes == clean.row.boxes);
      CHECK(view.row.letterbox == clean.row.letterbox);
    }
  }
}

TEST_CASE("with its defaults every augmentation changes something in some view") {
  const Marked marked;
  const View clean = view_of(recipe_of("hflip", {}), 0, marked);
  for (const AugmentationEntry* entry : augmentations()) {
    CAPTURE(entry->name);
    if (entry->name == "grey") continue;  // the picture has no colours
    const Recipe recipe = recipe_of(entry->name, {});
    int changed = 0;
    for (std::int32_t number = 1; number <= 20; ++number)
      changed += view_of(recipe, number, marked).image != clean.image;
    CHECK(changed > 5);
  }
}

TEST_CASE("the same seed gives the same bytes, and boxes stay in the frame") {
  const Marked marked;
  for (const AugmentationEntry* entry : augmentations()) {
    CAPTURE(entry->name);
    const Recipe recipe = recipe_of(entry->name, {});
    for (std::int32_t number = 1; number <= 30; ++number) {
      const View view = view_of(recipe, number, marked), again = view_of(recipe, number, marked);
      CHECK(view.image == again.image);
      CHECK(view.row.boxes == again.row.boxes);
      for (const LabelBox& box : view.row.boxes) {
        CHECK(box.x1 >= 0);
        CHECK(box.y1 >= 0);
        CHECK(box.x2 <= kSide);
        CHECK(box.y2 <= kSide);
        CHECK(box.x1 < box.x2);
        CHECK(box.y1 < box.y2);
      }
    }
  }
}

void check_follows(std::string_view kind, const Values& values) {
  constexpr float kTolerance =
      1.5;  // pixels: an edge between two of them is neither black nor white
  const Marked marked;
  const Recipe recipe = recipe_of(kind, values);
  for (std::int32_t number = 1; number <= 40; ++number) {
    CAPTURE(kind);
    CAPTURE(number);
    const View view = view_of(recipe, number, marked);
    const LabelBox found = found_in(view.image);
    if (view.row.boxes.empty()) {
      CHECK(found.x2 - found.x1 <= kTolerance);
      continue;
    }
    const LabelBox& box = view.row.boxes[0];
    if (box.x2 - box.x1 < 4 || box.y2 - box.y1 < 4) continue;
    CHECK(found.x1 >= box.x1 - kTolerance);
    CHECK(found.y1 >= box.y1 - kTolerance);
    CHECK(found.x2 <= box.x2 + kTolerance);
    CHECK(found.y2 <= box.y2 + kTolerance);
    if (kind == "cutout") continue;  // hides parts of it
    CHECK(found.x1 <= box.x1 + kTolerance);
    CHECK(found.y1 <= box.y1 + kTolerance);
    CHECK(found.x2 >= box.x2 - kTolerance);
    CHECK(found.y2 >= box.y2 - kTolerance);
  }
}

TEST_CASE("what is in a box moves with it, for every augmentation") {
  for (const AugmentationEntry* entry : augmentations()) check_follows(entry->name, {});
}

TEST_CASE("what is in a box moves with it when it turns and shears, enlarged and reduced") {
  check_follows("affine", {{"rotation", 180}});
  // Nothing is shifted here: where a corner leaves the frame, the box is larger than what is left
  // of the rectangle.
  check_follows("affine",
                {{"rotation", 30}, {"scale_low", 0.4}, {"scale_high", 0.6}, {"shift", 0}});
  check_follows("affine", {{"shear", 30}, {"shift", 0}, {"scale_high", 1}});
  check_follows("crop", {{"share", 1}, {"zoom", 10}});
}

TEST_CASE(
    "a row can be rendered again from what it stores, to the byte, for every augmentation and "
    "shipped recipe") {
  const Marked marked;
  std::vector<Recipe> recipes;
  for (const AugmentationEntry* entry : augmentations())
    recipes.push_back(recipe_of(entry->name, {}));
  for (const std::string& name : Recipe::shipped()) recipes.push_back(Recipe::load(name));
  recipes.push_back(recipe_of("affine", {{"rotation", 45}, {"shear", 10}}));
  for (const Recipe& made : recipes) {
    CAPTURE(made.json());
    const Recipe stored = Recipe::from_json(made.json(), "a.h5");
    CHECK(stored.json() == made.json());
    for (std::int32_t number = 0; number <= 10; ++number) {
      const View view = view_of(made, number, marked);
      ShardRow row;  // what a shard gives back: the affine as float32
      row.view = number;
      row.augment = view.row.augment;
      for (std::size_t i = 0; i < 6; ++i)
        row.letterbox.m[i] = static_cast<float>(view.row.letterbox.m[i]);
      std::vector<std::uint8_t> image(view.image.size());
      const auto workspace = make_render_workspace();
      std::vector<std::size_t> steps;
      render_stored({stored, row, marked.picture, kSide}, *workspace, image,
                    [&](std::size_t step) { steps.push_back(step); });
      CHECK(image == view.image);
      CHECK(steps.size() == (number == 0 ? 1 : 1 + made.steps().size()));
    }
  }
}

}  // namespace
}  // namespace letterpress
