#include <doctest/doctest.h>

#include "preprocess/pictures/picture.h"
#include "preprocess/recipe/recipe.h"
#include "tests/preprocess/drawn_jpeg.h"
#include "tests/preprocess/drawn_set.h"
#include "tests/preprocess/golden.h"

namespace letterpress {
namespace {

// By the picture's hash: the pixels of its clean row.
std::map<std::string, std::string> clean_pixels(const DrawnSet& set, const std::string& recipe,
                                                int views) {
  BuildOptions options = set.options(recipe + std::to_string(views));
  options.recipe = recipe;
  options.views = views;
  options.side = 96;
  build_quietly(options);
  std::map<std::string, std::string> pixels;
  for (const auto& [key, content] : row_contents(options.store)) {
    if (std::get<2>(key) == 0) pixels[std::get<1>(key)] = content.substr(0, 32);
  }
  return pixels;
}

// As predict makes the model's input of a picture.
std::string predicted_pixels(const std::string& bytes, const Recipe& recipe, int side) {
  const auto view = std::as_bytes(std::span(bytes));
  const Expected<PictureInfo> info = probe(view, "picture");
  REQUIRE(info);
  Picture picture;
  REQUIRE_FALSE(decode(view, *info, needed_scale(recipe, info->width, info->height, side, 0),
                       "picture", picture, Pixels::planes));
  const RenderWorkspacePointer workspace = make_render_workspace();
  ShardRow row;
  std::vector<std::uint8_t> image(3 * static_cast<std::size_t>(side * side));
  render_view({.recipe = recipe,
               .picture = picture,
               .source_width = info->width,
               .source_height = info->height,
               .side = side},
              *workspace, row, image);
  return hash128(std::as_bytes(std::span(image))).hex();
}

}  // namespace

TEST_CASE("a picture's clean row is the same under every recipe, and is what predict makes of it") {
  DrawnSet set;
  std::map<std::string, std::string> bytes_of;
  std::string lines;
  const auto add = [&](const std::string& name, const std::string& bytes) {
    set.folder.write(name, bytes);
    bytes_of[hash128(std::as_bytes(std::span(bytes))).hex()] = bytes;
    lines += name + " 2,3,15,12,1\n";
  };
  // Around the sizes at which a JPEG is decoded at another scale, for view 0 or for the others.
  for (const int width : {60, 95, 96, 97, 130, 150, 190, 193, 260, 300, 383, 385, 500, 770, 900})
    add("w" + std::to_string(width) + ".jpg", drawn_jpeg(width % 7, width, width * 3 / 4));
  for (const char* name :
       {"photo.jpg", "progressive.jpg", "grey.jpg", "cmyk.jpg", "exif.jpg", "rgb.png",
        "palette.png", "rgba.png", "photo.tiff", "photo.bmp", "photo.webp", "exif.webp"})
    add(name, golden(std::string("pictures/") + name));
  set.list("train.txt", lines);

  const auto alone = clean_pixels(set, "detect", 0);
  CHECK(alone.size() == bytes_of.size());
  for (const std::string recipe : {"detect", "inspect", "classify", "none"})
    CHECK(clean_pixels(set, recipe, recipe == "none" ? 0 : 2) == alone);
  const auto keras = clean_pixels(set, "keras-yolo3", 2);  // has a letterbox of its own
  for (const auto& [hash, bytes] : bytes_of) {
    CHECK(predicted_pixels(bytes, Recipe::clean(Recipe::load("detect").letterbox()), 96) ==
          alone.at(hash));
    CHECK(predicted_pixels(bytes, Recipe::clean(Recipe::load("keras-yolo3").letterbox()), 96) ==
          keras.at(hash));
  }
}

}  // namespace letterpress
