#include "preprocess/likeness/candidates.h"

#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "preprocess/likeness/scenes.h"

namespace letterpress {
namespace {

using Engine = std::mt19937_64;
constexpr int kLooksOfScene = 5;

std::uint64_t flipped(std::uint64_t bits, int n, Engine& engine) {
  for (int i = 0; i < n; ++i) bits ^= std::uint64_t{1} << (engine() % 64);
  return bits;
}

// Parts of all scenes are of few kinds, as those of boards and of drawings are.
Look drawn_look(Engine& engine) {
  static const auto kinds = [] {
    Engine own(77);
    std::array<std::uint64_t, 14> drawn;
    for (std::uint64_t& bits : drawn) bits = own();
    return drawn;
  }();
  Look look(kLookCorners);
  for (Corner& corner : look) {
    corner.bits = flipped(kinds[engine() % kinds.size()], 4, engine);
    corner.x = static_cast<std::uint8_t>(10 + engine() % 140);
    corner.y = static_cast<std::uint8_t>(10 + engine() % 100);
  }
  return look;
}

// Three of four corners are found again, moved by a pixel, with three other bits.
Look seen_again(const Look& scene, Engine& engine) {
  Look look;
  for (Corner corner : scene) {
    if (engine() % 4 == 0) continue;
    corner.bits = flipped(corner.bits, 3, engine);
    corner.x = static_cast<std::uint8_t>(corner.x + engine() % 2);
    corner.y = static_cast<std::uint8_t>(corner.y + engine() % 2);
    look.push_back(corner);
  }
  std::ranges::shuffle(look, engine);
  return look;
}

struct Series {
  std::vector<Look> looks;
  std::vector<int> scenes;  // of each look
};

// In any order, as pictures lie whose names say nothing.
Series shuffled_series(int scenes) {
  Engine engine(9);
  std::vector<int> order;
  for (int i = 0; i < scenes * kLooksOfScene; ++i) order.push_back(i / kLooksOfScene);
  std::ranges::shuffle(order, engine);
  std::vector<Look> drawn;
  for (int i = 0; i < scenes; ++i) drawn.push_back(drawn_look(engine));
  Series series;
  for (const int scene : order) {
    series.looks.push_back(seen_again(drawn[static_cast<std::size_t>(scene)], engine));
    series.scenes.push_back(scene);
  }
  return series;
}

}  // namespace

TEST_CASE("4,000 scenes of much the same parts are found in 20,000 shuffled pictures") {
  const Series series = shuffled_series(4000);
  const Scenes scenes = scenes_of(series.looks.size(), alike_pairs(series.looks, StopRequest()));
  std::set<std::int32_t> wrong;
  std::set<std::pair<int, std::int32_t>> groups;
  for (std::size_t i = 0; i < series.looks.size(); ++i) {
    const auto first = static_cast<std::size_t>(scenes.first[i]);
    if (series.scenes[i] != series.scenes[first]) wrong.insert(scenes.first[i]);
    groups.emplace(series.scenes[i], scenes.first[i]);
  }
  CHECK(wrong.empty());
  CHECK(groups.size() <= 4080);  // 2 % of the scenes in two parts
}

TEST_CASE("candidates are later pictures, each once, the same for one thread and four") {
  const Series series = shuffled_series(200);
  const auto found_by = [&](std::size_t threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    return candidates_of(series.looks, StopRequest());
  };
  const auto candidates = found_by(1);
  CHECK(candidates == found_by(4));
  REQUIRE(candidates.size() == 1000);
  int with_later = 0, first_is_right = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    CHECK(candidates[i].size() <= kCandidates);
    const std::set<std::int32_t> once(candidates[i].begin(), candidates[i].end());
    CHECK(once.size() == candidates[i].size());
    if (!once.empty()) CHECK(*once.begin() > static_cast<std::int32_t>(i));
    const auto later = series.scenes.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    if (std::find(later, series.scenes.end(), series.scenes[i]) == series.scenes.end()) continue;
    ++with_later;
    first_is_right +=
        !once.empty() &&
        series.scenes[static_cast<std::size_t>(candidates[i].front())] == series.scenes[i];
  }
  CHECK(with_later == 800);  // all but the last of each scene
  CHECK(first_is_right >= 740);
}

TEST_CASE("pictures without corners, or with one, have no candidates") {
  const Look one{{.bits = 5, .x = 20, .y = 20, .level = 0}};
  CHECK(candidates_of({}, StopRequest()).empty());
  const std::vector<Look> looks{{}, one, one, {}};
  for (const auto& candidates : candidates_of(looks, StopRequest())) CHECK(candidates.empty());
}

TEST_CASE("equal looks, and those of boards, whose parts lie in rows, are found") {
  Engine engine(8);
  std::vector<Look> looks;
  for (int scene = 0; scene < 300; ++scene) {
    Look board = drawn_look(engine);
    for (Corner& corner : board) {
      corner.x = static_cast<std::uint8_t>(corner.x / 16 * 16);
      corner.y = static_cast<std::uint8_t>(corner.y / 16 * 16);
    }
    looks.push_back(board);
    looks.push_back(board);
    looks.push_back(seen_again(board, engine));
  }
  const std::vector<std::int32_t> first =
      scenes_of(looks.size(), alike_pairs(looks, StopRequest())).first;
  int found = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto scene = static_cast<std::int32_t>(i / 3 * 3);
    if (i % 3 == 1) CHECK(first[i] == scene);
    if (i % 3 == 2) found += first[i] == scene;
  }
  CHECK(found >= 297);
}

TEST_CASE("who asks to stop gets what there is") {
  StopRequest stop;
  stop.make(2);
  const Series series = shuffled_series(20);
  for (const auto& candidates : candidates_of(series.looks, stop)) CHECK(candidates.empty());
  CHECK(alike_pairs(series.looks, stop).empty());
}

TEST_CASE("of many pictures of one scene each leads on to others") {
  Engine engine(4);
  const Look scene = drawn_look(engine);
  std::vector<Look> looks;
  for (int i = 0; i < 3000; ++i) looks.push_back(seen_again(scene, engine));
  const Scenes scenes = scenes_of(looks.size(), alike_pairs(looks, StopRequest()));
  CHECK(scenes.apart == 3000);  // all of them are one, which is too many to keep together
}

}  // namespace letterpress
