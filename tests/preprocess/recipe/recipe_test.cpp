#include "preprocess/recipe/recipe.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "tests/temp_dir.h"

namespace letterpress {
namespace {

std::string message(const std::string& toml) {
  TempDir dir;
  const std::string path = dir.write("mine.toml", toml).string();
  try {
    Recipe::load(path);
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::data);
    const std::string text = error.what();
    CHECK(text.substr(0, path.size()) == path);
    return "mine.toml" + text.substr(path.size());
  }
  return "accepted";
}

TEST_CASE("the shipped recipes load under their names") {
  CHECK(Recipe::shipped() ==
        std::vector<std::string>{"none", "keras-yolo3", "detect", "inspect", "classify"});
  for (const std::string& name : Recipe::shipped()) CHECK(Recipe::load(name).name() == name);
  CHECK_FALSE(Recipe::load("none").augments());
  CHECK(Recipe::load("none").letterbox() == LetterboxRule{});
  CHECK(Recipe::load("none").largest_zoom() == 1);
}

TEST_CASE(
    "a recipe of one's own without [boxes] drops slivers as detect does, unless it cuts nothing") {
  TempDir dir;
  const auto rule = [&](const std::string& toml) {
    return Recipe::load(dir.write("mine.toml", toml).string()).boxes();
  };
  const std::string step = "[[augment]]\nkind = \"affine\"\n";
  CHECK(rule(step) == Recipe::load("detect").boxes());
  CHECK(rule("[boxes]\nmin_side = 0\n" + step) == BoxRule{});
  CHECK(rule("") == BoxRule{});
  CHECK(Recipe::load("classify").boxes() == BoxRule{});
}

TEST_CASE("keras-yolo3 is the recipe of its reference") {
  const Recipe recipe = Recipe::load("keras-yolo3");
  CHECK(recipe.augments());
  CHECK(recipe.parameter_names() ==
        std::vector<std::string>{"place_jitter.aspect", "place_jitter.scale", "place_jitter.x",
                                 "place_jitter.y", "hflip.flip", "hsv.hue", "hsv.saturation",
                                 "hsv.value"});
  CHECK(recipe.letterbox().fill == 128);
  CHECK(recipe.letterbox().rounding == LetterboxRule::Rounding::truncate);
  CHECK(recipe.letterbox().resize == LetterboxRule::Resize::cubic);
  CHECK(recipe.boxes() == BoxRule{1, 0});
  CHECK(recipe.largest_zoom() == 2);
}

TEST_CASE("detect, inspect and classify have their steps and keep the picture's aspect") {
  const auto kinds = [](const Recipe& recipe) {
    std::string text;
    for (const RecipeStepInfo& step : recipe.steps()) text += step.kind + " ";
    return text;
  };
  const Recipe detect = Recipe::load("detect"), inspect = Recipe::load("inspect"),
               classify = Recipe::load("classify");
  CHECK(kinds(detect) == "affine hflip hsv ");
  CHECK(kinds(inspect) == "affine hflip vflip tone ");
  CHECK(kinds(classify) == "affine hflip ");
  CHECK(detect.boxes().min_area == 0.15);
  CHECK(inspect.boxes().min_area == 0.15);
  for (const Recipe* recipe : {&detect, &inspect, &classify})
    CHECK(recipe->letterbox() == LetterboxRule{});
  CHECK(detect.largest_zoom() == 1.5);
  CHECK(inspect.largest_zoom() == 1.1);
  CHECK(classify.largest_zoom() == 1);
  CHECK(detect.steps()[2].first == 7);
  CHECK(detect.parameter_names()[7] == "hsv.hue");
}

TEST_CASE("a stored recipe that cannot be read is refused with where it is") {
  CHECK_THROWS_WITH_AS(Recipe::from_json("{\"augment\":[]}", "a.h5"),
                       doctest::Contains("a.h5: holds a recipe that this program cannot read ("),
                       Error);
  CHECK_THROWS_WITH_AS(
      Recipe::from_json(
          R"({"augment":[{"kind":"warp","parameters":{}}],"boxes":{"min_area":0,"min_side":0},"letterbox":{"fill":114,)"
          R"("place":"centre","resize":"linear","rounding":"nearest","scale":"fit"}})",
          "a.h5"),
      doctest::Contains("a.h5: augment 1 (warp): unknown augmentation 'warp'"), Error);
}

TEST_CASE("the canonical JSON has the defaults, but neither the name nor the order of keys") {
  TempDir dir;
  const Recipe first = Recipe::load(
      dir.write("a.toml",
                "[[augment]]\nkind = \"hsv\"\nvalue = 1.5\nhue = 0.1\n[letterbox]\nfill = 114\n")
          .string());
  const Recipe second =
      Recipe::load(dir.write("b.toml", "[[augment]]\nhue = 0.1\nkind = \"hsv\"\n").string());
  CHECK(first.name() == "a");
  CHECK(first.json() == second.json());
  CHECK(
      first.json() ==
      R"({"augment":[{"kind":"hsv","parameters":{"hue":0.1,"saturation":1.5,"value":1.5}}],"boxes":{"min_area":0.15,"min_side":2.0},)"
      R"("letterbox":{"fill":114,"place":"centre","resize":"linear","rounding":"nearest","scale":"fit"}})");
  const Recipe third =
      Recipe::load(dir.write("c.toml", "[[augment]]\nhue = 0.2\nkind = \"hsv\"\n").string());
  CHECK(third.json() != first.json());
}

TEST_CASE("a clean recipe by recipe none's rule has the JSON of recipe none") {
  const Recipe none = Recipe::load("none");
  const Recipe clean = Recipe::clean(none.letterbox());
  CHECK(clean.json() == none.json());
  CHECK(!clean.augments());
}

TEST_CASE("an unknown recipe lists the shipped ones, nearest first, and offers a file") {
  CHECK_THROWS_WITH_AS(Recipe::load("nnoe"),
                       "unknown recipe 'nnoe'; did you mean 'none'? known: none, detect, inspect, "
                       "classify, keras-yolo3; or give the path of a .toml file",
                       Error);
  CHECK_THROWS_WITH_AS(Recipe::load("/nowhere/x.toml"), doctest::Contains("/nowhere/x.toml"),
                       Error);
}

TEST_CASE("a step that undoes what steps before it have moved is told") {
  TempDir dir;
  const auto fault_of = [&](const std::vector<std::string>& kinds) {
    std::string toml;
    for (const std::string& kind : kinds) toml += "[[augment]]\nkind = \"" + kind + "\"\n";
    return Recipe::load(dir.write("mine.toml", toml).string()).fault_of_order();
  };
  CHECK(fault_of({"hsv", "turn90", "hflip", "place_jitter"})
            .ends_with("mine': place_jitter places the picture anew, so that turn90 before it "
                       "does nothing; put it before all of affine, crop, flips, shift and turn90"));
  CHECK(fault_of({"hsv", "place_jitter", "hflip", "turn90"}).empty());
  CHECK(fault_of({"affine", "hflip"}).empty());
  CHECK(Recipe::load("keras-yolo3").fault_of_order().empty());
  CHECK(Recipe::load("none").fault_of_order().empty());
}

TEST_CASE("a wrong recipe is refused with file, place, what it has and what it must have") {
  CHECK(message("[[augment]]\nkind = \"hvs\"\n") ==
        "mine.toml: augment 1 (hvs): unknown augmentation 'hvs'; did you mean 'hsv'? known: hsv, "
        "blur, crop, grey, hflip, jpeg, noise, shift, "
        "tone, vflip, affine, cutout, turn90, place_jitter");
  CHECK(message("[[augment]]\nkind = \"hflip\"\n[[augment]]\nkind = \"hsv\"\nhue = 0.9\n") ==
        "mine.toml: augment 2 (hsv): hue is 0.9, must be 0..0.5");
  CHECK(message("[[augment]]\nkind = \"hsv\"\nhue = \"much\"\n") ==
        "mine.toml: augment 1 (hsv): hue is not a number");
  CHECK(message("[[augment]]\nhue = 1\n") ==
        "mine.toml: augment 1: kind is missing; write kind = \"hflip\"");
  CHECK(message("[[augment]]\nkind = \"hsv\"\n[[augment]]\nkind = \"hsv\"\n") ==
        "mine.toml: augment 2 (hsv): is in the recipe twice: both would write the same columns; "
        "keep one of them");
  CHECK(message("augment = 3\n") == "mine.toml: augment is not a list; write [[augment]] for each");
  CHECK(message("[letterbxo]\n") ==
        "mine.toml: unknown key 'letterbxo'; did you mean 'letterbox'? known: letterbox, boxes, "
        "augment");
  CHECK(message("letterbox = 3\n") == "mine.toml: letterbox is not a table; write [letterbox]");
  CHECK(message("[letterbox]\nfill = 300\n") ==
        "mine.toml: letterbox: fill must be a whole number 0..255");
  CHECK(message("[letterbox]\nplace = 3\n") ==
        "mine.toml: letterbox: place must be a text in quotes");
  CHECK(message("[letterbox]\nplace = \"center\"\n").find("centre") != std::string::npos);
  CHECK(message("[boxes]\nmin_area = 15\n") == "mine.toml: boxes: min_area is 15, must be 0..1");
  CHECK(message("[boxes]\nmin_are = 0.1\n") ==
        "mine.toml: boxes: unknown parameter 'min_are'; did you mean 'min_area'? known: min_area, "
        "min_side");
  CHECK(message("[letterbox\nfill = 3\n").substr(0, 29) == "mine.toml:1: not valid TOML: ");
  std::string key = "a";
  for (int part = 1; part < 100'000; ++part) key += ".a";
  CHECK(message(key + " = 1\n") ==
        "mine.toml: has a key of more than 64 parts with dots between them; write key = value");
}

TEST_CASE(
    "the decode scale follows from picture, side and the recipe's largest zoom; of clean rows from "
    "picture and side alone") {
  const Recipe none = Recipe::load("none"), keras = Recipe::load("keras-yolo3");
  for (const Recipe* recipe : {&none, &keras}) {
    CHECK(needed_scale(*recipe, 1664, 1248, 416, 0) == doctest::Approx(0.25));
    CHECK(needed_scale(*recipe, 100, 100, 416, 0) == 1);
    CHECK(needed_scale(*recipe, 4160, 4160, 416, 0) == doctest::Approx(0.1));
  }
  CHECK(needed_scale(none, 4160, 4160, 416, 1) == doctest::Approx(0.1));
  CHECK(needed_scale(keras, 4160, 4160, 416, 1) == doctest::Approx(0.2));
  CHECK(needed_scale(keras, 8320, 4160, 416, 4) ==
        doctest::Approx(0.2));  // its height may become two frames as well
}

}  // namespace
}  // namespace letterpress
