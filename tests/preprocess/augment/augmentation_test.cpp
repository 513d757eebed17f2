#include "preprocess/augment/augmentation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "letterpress/base/error.h"
#include "tests/preprocess/augment/make_augmentation.h"

namespace letterpress {
namespace {

void check_message(const std::string& name, std::map<std::string, double> given,
                   const char* message) {
  try {
    make(name, std::move(given));
    FAIL("no error: " << message);
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == message);
    CHECK(error.exit() == Exit::data);
  }
}

TEST_CASE("wrong names and values are refused with where they are and what they must be") {
  check_message("hsv", {{"hue", 0.9}}, "mine.toml: augment 1 (hsv): hue is 0.9, must be 0..0.5");
  check_message("hflip", {{"chance", -1}},
                "mine.toml: augment 1 (hflip): chance is -1, must be 0..1");
  check_message("hsv", {{"heu", 0.1}},
                "mine.toml: augment 1 (hsv): unknown parameter 'heu'; did you mean 'hue'? known: "
                "hue, value, saturation");
  check_message(
      "hfilp", {},
      "mine.toml: augment 1 (hfilp): unknown augmentation 'hfilp'; did you mean 'hflip'? "
      "known: hflip, vflip, "
      "affine, crop, hsv, noise, shift, blur, grey, jpeg, tone, cutout, turn90, place_jitter");
  check_message("place_jitter", {{"scale_low", 3}},
                "mine.toml: augment 1 (place_jitter): scale_low 3 is above scale_high 2; give "
                "both, one of them is the default");
}

TEST_CASE("each kind says whether it moves the picture") {
  for (const AugmentationEntry* entry : augmentations()) {
    CAPTURE(entry->name);
    const auto step = make(std::string(entry->name));
    std::vector<float> drawn(step->drawn_names().size());
    const Affine letterbox{{0.65, 0, 0, 0, 0.65, 52}};
    const std::vector<LabelBox> boxes{{200, 100, 300, 200, 0}};
    bool moves = false;
    for (std::int32_t view = 1; view <= 50; ++view) {
      RandomEngine engine(StreamKey{1, 0, hash128("a"), view});
      step->draw(engine, drawn);
      ViewFrame frame{640, 480, 416, letterbox, boxes};
      step->place(drawn, frame);
      moves = moves || frame.source_to_frame != letterbox;
    }
    CHECK(moves == (entry->moves != AugmentationEntry::Moves::no));
  }
}

TEST_CASE("the table is alphabetical and each kind describes itself") {
  const auto entries = augmentations();
  CHECK(std::is_sorted(entries.begin(), entries.end(),
                       [](const auto* a, const auto* b) { return a->name < b->name; }));
  for (const AugmentationEntry* entry : entries) CHECK(entry->summary.size() > 10);
}

TEST_CASE(
    "each parameter of each kind has a default in its range, a meaning, and a message for a value "
    "outside") {
  for (const AugmentationEntry* entry : augmentations()) {
    const std::string kind(entry->name);
    CHECK_FALSE(parameters_of(*entry).empty());
    for (const Parameter& parameter : parameters_of(*entry)) {
      CAPTURE(kind);
      CAPTURE(parameter.name);
      CHECK(parameter.low <= parameter.otherwise);
      CHECK(parameter.otherwise <= parameter.high);
      CHECK(parameter.meaning.size() > 5);
      for (const double wrong : {parameter.low - 1, parameter.high + 1, std::nan("")}) {
        const std::string begin =
            "mine.toml: augment 1 (" + kind + "): " + std::string(parameter.name) + " is ";
        CHECK_THROWS_WITH_AS(make(kind, {{std::string(parameter.name), wrong}}),
                             doctest::Contains(begin.c_str()), Error);
        CHECK_THROWS_WITH_AS(make(kind, {{std::string(parameter.name), wrong}}),
                             doctest::Contains(", must be "), Error);
      }
    }
  }
}

TEST_CASE(
    "every kind draws the same values for the same key, multiples of 1/65536, and fills each one") {
  for (const AugmentationEntry* entry : augmentations()) {
    CAPTURE(entry->name);
    const auto augmentation = make(std::string(entry->name));
    const std::size_t n = augmentation->drawn_names().size();
    std::set<std::string_view> names(augmentation->drawn_names().begin(),
                                     augmentation->drawn_names().end());
    CHECK(names.size() == n);
    for (std::int32_t view = 1; view <= 50; ++view) {
      std::vector<float> first(n, -99), second(n, -77);
      RandomEngine a({.seed = 1, .view = view}), b({.seed = 1, .view = view});
      augmentation->draw(a, first);
      augmentation->draw(b, second);
      CHECK(first == second);
      for (const float value : first) CHECK(round_drawn(value) == value);
    }
  }
}

TEST_CASE("no view of any kind enlarges more than largest_zoom") {
  for (const AugmentationEntry* entry : augmentations()) {
    CAPTURE(entry->name);
    const auto augmentation = make(std::string(entry->name));
    std::vector<float> drawn(augmentation->drawn_names().size());
    for (const auto& [width, height] :
         {std::pair{640, 480}, std::pair{100, 900}, std::pair{320, 320}}) {
      const double fit = 320.0 / std::max(width, height),
                   largest = fit * augmentation->largest_zoom(width, height) + 1e-9;
      for (std::int32_t view = 1; view <= 200; ++view) {
        RandomEngine engine({.seed = 3, .view = view});
        augmentation->draw(engine, drawn);
        const Affine map =
            placed(*augmentation, drawn, {width, height, 320, {{fit, 0, 0, 0, fit, 0}}, {}});
        CHECK(std::hypot(map.m[0], map.m[3]) <= largest);
        CHECK(std::hypot(map.m[1], map.m[4]) <= largest);
      }
    }
  }
}

TEST_CASE("place_jitter places as keras-yolo3 does, by hand") {
  const auto augmentation = make("place_jitter");
  // aspect .8 < 1: height int(1.5 * 64) = 96, width int(76.8) = 76; x int(.5 * -12) = -6, y int(.25
  // * -32) = -8.
  ViewFrame frame{152, 48, 64, {}, {}};
  augmentation->place(std::vector<float>{0.8f, 1.5f, 0.5f, 0.25f}, frame);
  CHECK(frame.source_to_frame == Affine{{0.5, 0, -6, 0, 2, -8}});
  // aspect 1.25: width int(.5 * 64) = 32, height int(25.6) = 25; x int(.9 * 32) = 28, y int(.1 *
  // 39) = 3.
  augmentation->place(std::vector<float>{1.25f, 0.5f, 0.9f, 0.1f}, frame);
  CHECK(frame.source_to_frame == Affine{{32.0 / 152, 0, 28, 0, 25.0 / 48, 3}});
  // truncated toward zero: -0.5 is 0, not -1.
  augmentation->place(std::vector<float>{1.0f, 65.0f / 64, 0.5f, 0.5f}, frame);
  CHECK(frame.source_to_frame.m[2] == 0);
}

TEST_CASE("hflip mirrors the frame, not the picture") {
  const auto augmentation = make("hflip");
  ViewFrame frame{100, 100, 64, {{0.5, 0, 10, 0, 0.5, 3}}, {}};
  augmentation->place(std::vector<float>{0}, frame);
  CHECK(frame.source_to_frame == Affine{{0.5, 0, 10, 0, 0.5, 3}});
  augmentation->place(std::vector<float>{1}, frame);
  CHECK(frame.source_to_frame == Affine{{-0.5, 0, 54, 0, 0.5, 3}});
}

TEST_CASE("chances and ranges of a recipe reach the draws") {
  RandomEngine engine({.seed = 9});
  std::vector<float> drawn(3);
  make("hflip", {{"chance", 1}})->draw(engine, drawn);
  CHECK(drawn[0] == 1);
  make("hsv", {{"hue", 0}, {"saturation", 1}, {"value", 1}})->draw(engine, drawn);
  CHECK(drawn == std::vector<float>{0, 1, 1});
}

}  // namespace
}  // namespace letterpress
