#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "preprocess/recipe/recipe.h"
#include "tests/preprocess/golden.h"
#include "tests/temp_dir.h"

namespace letterpress {
namespace {

Picture golden_picture(const std::string& name, double min_scale = 1) {
  const std::string content = golden(name);
  const auto info = probe(bytes_of(content), name);
  REQUIRE(info);
  Picture picture;
  REQUIRE_FALSE(decode(bytes_of(content), *info, min_scale, name, picture));
  return picture;
}

struct Rendered {
  ShardRow row;
  std::vector<std::uint8_t> image;
};

struct Request {
  const Recipe& recipe;
  ViewKey key;
  const Picture& picture;
  std::vector<LabelBox> boxes;
  int side = 64;
  std::int32_t source_width = 0, source_height = 0;  ///< 0: the picture's
};

Rendered render(const Request& request) {
  Rendered result{
      {}, std::vector<std::uint8_t>(static_cast<std::size_t>(request.side * request.side * 3))};
  const auto workspace = make_render_workspace();
  render_view({request.recipe, request.key, request.picture,
               request.source_width ? request.source_width : request.picture.width,
               request.source_height ? request.source_height : request.picture.height,
               request.boxes, request.side},
              *workspace, result.row, result.image);
  return result;
}

TEST_CASE("keras-yolo3 gives what numpy, Pillow and colorsys make of the same seed") {
  const auto expected = nlohmann::json::parse(golden("recipe/keras_yolo3.json"));
  const std::string frames = golden("recipe/keras_yolo3.rgb");
  const Recipe recipe = Recipe::load("keras-yolo3");
  const Picture photo = golden_picture("recipe/photo.png");
  std::vector<LabelBox> boxes;
  for (const auto& box : expected["boxes"])
    boxes.push_back({box[0], box[1], box[2], box[3], static_cast<std::int32_t>(boxes.size())});
  const std::size_t frame_bytes = 64 * 64 * 3;
  std::int32_t view = 0;
  for (const auto& wanted : expected["views"]) {
    ++view;
    CAPTURE(view);
    const Rendered got = render(
        {recipe, {expected["seed"], expected["draw"], hash128("photo"), view}, photo, boxes});
    REQUIRE(got.row.augment.size() == recipe.parameter_names().size());
    for (std::size_t i = 0; i < got.row.augment.size(); ++i) {
      CAPTURE(recipe.parameter_names()[i]);
      CHECK(got.row.augment[i] == wanted["draws"][recipe.parameter_names()[i]].get<float>());
    }
    const auto frame =
        bytes_of(frames).subspan(frame_bytes * static_cast<std::size_t>(view - 1), frame_bytes);
    CHECK(difference(got.image, frame).mean <= 0.5);
    CHECK(difference(got.image, frame).largest <= 12);
    REQUIRE(got.row.boxes.size() == wanted["boxes"].size());
    for (std::size_t i = 0; i < got.row.boxes.size(); ++i) {
      const LabelBox& box = got.row.boxes[i];
      const auto& edges = wanted["boxes"][i];
      CHECK(std::abs(box.x1 - edges[0].get<float>()) < 1e-3);
      CHECK(std::abs(box.y1 - edges[1].get<float>()) < 1e-3);
      CHECK(std::abs(box.x2 - edges[2].get<float>()) < 1e-3);
      CHECK(std::abs(box.y2 - edges[3].get<float>()) < 1e-3);
      CHECK((box.flags & kCut) / kCut == edges[4].get<int>());
    }
  }
  CHECK(view == 12);
}

TEST_CASE("view 0 of recipe none is the letterbox, by hand") {
  const Picture photo = golden_picture("recipe/photo.png");
  const Recipe none = Recipe::load("none");
  const Rendered got =
      render({none, {}, photo, {{0, 0, 96, 64, 3}, {30, 30, 30.6f, 60, 1, kDifficult, 7}}, 96});
  // 96 x 64 in 96: scale 1, 16 grey lines above and below.
  CHECK(got.row.letterbox == Affine{{1, 0, 0, 0, 1, 16}});
  CHECK(got.row.source_width == 96);
  CHECK(got.row.source_height == 64);
  CHECK(got.row.view == 0);
  CHECK(got.row.augment.empty());
  const std::size_t band = 16 * 96 * 3;
  CHECK(std::count(got.image.begin(), got.image.begin() + static_cast<std::ptrdiff_t>(band), 114) ==
        static_cast<std::ptrdiff_t>(band));
  CHECK(std::equal(photo.rgb.begin(), photo.rgb.end(),
                   got.image.begin() + static_cast<std::ptrdiff_t>(band)));
  CHECK(got.image.back() == 114);
  // Boxes move with the picture. None is dropped or cut, however thin. The area is in source
  // pixels.
  REQUIRE(got.row.boxes.size() == 2);
  CHECK(got.row.boxes[0] == LabelBox{0, 16, 96, 80, 3, 0, 96 * 64});
  CHECK(got.row.boxes[1] == LabelBox{30, 46, 30.6f, 76, 1, kDifficult, 7});
}

TEST_CASE("view 0 is the same whether or not the picture was decoded for other views too") {
  const std::string content = golden("pictures/photo.jpg");
  const auto info = probe(bytes_of(content), "photo.jpg");
  REQUIRE(info);
  Picture planes, both;
  REQUIRE_FALSE(decode(bytes_of(content), *info, 1, "photo.jpg", planes, Pixels::planes));
  REQUIRE_FALSE(decode(bytes_of(content), *info, 1, "photo.jpg", both, Pixels::rgb));
  REQUIRE(planes.planes);
  CHECK(planes.rgb.empty());
  CHECK(both.rgb.size() == 48 * 32 * 3);
  for (const char* recipe : {"none", "keras-yolo3"}) {
    for (const int side : {32, 48, 64}) {
      const Recipe rule = Recipe::load(recipe);
      CHECK(render({rule, {}, planes, {}, side}).image == render({rule, {}, both, {}, side}).image);
    }
  }
}

TEST_CASE(
    "view 0 is the same for every seed, and the clean letterbox also of a recipe that augments") {
  const Picture photo = golden_picture("recipe/photo.png");
  const Recipe keras = Recipe::load("keras-yolo3");
  const Rendered first = render({keras, {1, 0, hash128("a"), 0}, photo, {}}),
                 second = render({keras, {2, 9, hash128("b"), 0}, photo, {}});
  CHECK(first.image == second.image);
  CHECK(first.row.augment == std::vector<float>(8, 0.0f));
  CHECK(static_cast<int>(first.image[0]) == 128);
}

TEST_CASE("another seed, draw, picture or view gives another view; the same key gives the same") {
  const Picture photo = golden_picture("recipe/photo.png");
  const Recipe keras = Recipe::load("keras-yolo3");
  const ViewKey key{1, 0, hash128("a"), 1};
  const Rendered base = render({keras, key, photo, {}});
  CHECK(render({keras, key, photo, {}}).image == base.image);
  for (const ViewKey& other : {ViewKey{2, 0, hash128("a"), 1}, ViewKey{1, 1, hash128("a"), 1},
                               ViewKey{1, 0, hash128("b"), 1}, ViewKey{1, 0, hash128("a"), 2}})
    CHECK(render({keras, other, photo, {}}).row.augment != base.row.augment);
}

TEST_CASE("a box is kept or dropped by the recipe's rule, and flagged if it was cut") {
  TempDir dir;
  const Picture photo = golden_picture("recipe/photo.png");
  const std::string place =
      "[[augment]]\nkind = \"place_jitter\"\naspect = 0\nscale_low = 2\nscale_high = 2\n";
  const Recipe loose = Recipe::load(dir.write("loose.toml", place).string());
  const Recipe strict =
      Recipe::load(dir.write("strict.toml", place + "[boxes]\nmin_area = 0.9\n").string());
  const std::vector<LabelBox> boxes{{0, 0, 96, 64, 0}, {47, 31, 49, 33, 1}};
  for (std::int32_t view = 1; view <= 30; ++view) {
    const Rendered all = render({loose, {1, 0, hash128("a"), view}, photo, boxes}),
                   most = render({strict, {1, 0, hash128("a"), view}, photo, boxes});
    // The picture is two frames large: the whole-picture box always loses three quarters.
    REQUIRE(!all.row.boxes.empty());
    CHECK(all.row.boxes[0].class_id == 0);
    CHECK((all.row.boxes[0].flags & kCut) != 0);
    for (const LabelBox& box : most.row.boxes) CHECK(box.class_id == 1);
    for (const LabelBox& box : all.row.boxes) {
      CHECK(box.x1 >= 0);
      CHECK(box.x2 <= 64);
      CHECK(box.x1 < box.x2);
    }
  }
}

TEST_CASE("the stored affine maps source to frame, mirrored or not") {
  const Picture photo = golden_picture("recipe/photo.png");
  const Recipe keras = Recipe::load("keras-yolo3");
  for (std::int32_t view = 1; view <= 20; ++view) {
    const Rendered got = render({keras, {4, 0, hash128("a"), view}, photo, {{40, 20, 50, 30, 0}}});
    if (got.row.boxes.empty() || (got.row.boxes[0].flags & kCut)) continue;
    const auto [x, y] = apply(got.row.letterbox, 45, 25);
    CHECK(x == doctest::Approx((got.row.boxes[0].x1 + got.row.boxes[0].x2) / 2).epsilon(1e-4));
    CHECK(y == doctest::Approx((got.row.boxes[0].y1 + got.row.boxes[0].y2) / 2).epsilon(1e-4));
    CHECK((got.row.letterbox.m[0] < 0) == (got.row.augment[4] != 0));
  }
}

TEST_CASE("a picture decoded at a reduced scale lies where the full one lies") {
  const Recipe none = Recipe::load("none");
  const Picture full = golden_picture("pictures/photo.jpg"),
                half = golden_picture("pictures/photo.jpg", 0.5);
  REQUIRE(half.width == 24);
  const Rendered first = render({none, {}, full, {{4, 4, 44, 28, 0}}, 32}),
                 second = render({none, {}, half, {{4, 4, 44, 28, 0}}, 32, 48, 32});
  CHECK(first.row.letterbox == second.row.letterbox);
  CHECK(first.row.boxes == second.row.boxes);
  CHECK(difference(first.image, std::as_bytes(std::span(second.image))).mean < 6);
}

TEST_CASE("1 and 4 threads render the same bytes") {
  const Picture photo = golden_picture("recipe/photo.png");
  const Recipe keras = Recipe::load("keras-yolo3");
  std::vector<std::vector<std::uint8_t>> single(24), parallel(24);
  for (std::size_t i = 0; i < single.size(); ++i)
    single[i] =
        render({keras, {1, 0, hash128("a"), static_cast<std::int32_t>(i)}, photo, {}, 96}).image;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < parallel.size(); i += 4)
        parallel[i] =
            render({keras, {1, 0, hash128("a"), static_cast<std::int32_t>(i)}, photo, {}, 96})
                .image;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(single == parallel);
}

}  // namespace
}  // namespace letterpress
