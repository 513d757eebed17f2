#include "preprocess/likeness/scenes.h"

#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include "tests/preprocess/likeness/drawn_scene.h"

namespace letterpress {
namespace {

constexpr int kScenes = 200, kPhotographs = 5;

// Photographs of scenes, those of one scene beside each other.
const std::vector<Look>& looks_of_series() {
  static const std::vector<Look> looks = [] {
    std::vector<Look> all;
    std::mt19937_64 engine(3);
    for (int scene = 0; scene < kScenes; ++scene) {
      const DrawnPicture drawn = drawn_scene(1000 + static_cast<std::uint64_t>(scene));
      for (int i = 0; i < kPhotographs; ++i)
        all.push_back(look_at(photograph(drawn, engine).all()));
    }
    return all;
  }();
  return looks;
}

std::vector<AlikePair> pairs_with(int threads, std::span<const Look> looks) {
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
  return alike_pairs(looks, StopRequest());
}

}  // namespace

TEST_CASE("cuttings and other exposures of 200 scenes are grouped by scene: precision and recall") {
  const std::vector<Look>& looks = looks_of_series();
  const Scenes scenes = scenes_of(looks.size(), alike_pairs(looks, StopRequest()));
  std::int64_t right = 0, wrong = 0;
  for (std::size_t a = 0; a < looks.size(); ++a) {
    for (std::size_t b = a + 1; b < looks.size(); ++b) {
      if (scenes.first[a] != scenes.first[b]) continue;
      (a / kPhotographs == b / kPhotographs ? right : wrong) += 1;
    }
  }
  const double pairs = kScenes * kPhotographs * (kPhotographs - 1) / 2.0;
  CHECK(static_cast<double>(right) / pairs >= 0.99);
  CHECK(static_cast<double>(right) / static_cast<double>(right + wrong) >= 0.99);
  MESSAGE("precision " << static_cast<double>(right) / static_cast<double>(right + wrong)
                       << ", recall " << static_cast<double>(right) / pairs);
  CHECK(scenes.apart == 0);
}

TEST_CASE("one thread and four find the same pairs") {
  const std::span<const Look> looks = std::span(looks_of_series()).first(200);
  const std::vector<AlikePair> pairs = pairs_with(1, looks);
  CHECK(pairs.size() >= 160);  // 40 scenes hang together by 4 pairs each at least
  CHECK(pairs == pairs_with(4, looks));
}

TEST_CASE("pictures that hang together are one scene, named by its first") {
  const std::vector<AlikePair> pairs{{1, 4, 12}, {4, 6, 12}, {2, 3, 12}};
  const Scenes scenes = scenes_of(9, pairs);
  CHECK(scenes.first == std::vector<std::int32_t>{0, 1, 2, 2, 1, 5, 1, 7, 8});
  CHECK(scenes.scenes == 2);
  CHECK(scenes.pictures == 5);
  CHECK(scenes.largest == 3);
  CHECK(scenes.apart == 0);
}

TEST_CASE("more than half of all pictures are not a scene: they stay apart and are counted") {
  const std::vector<AlikePair> pairs{{0, 1, 12}, {1, 2, 12}, {3, 4, 12}};
  const Scenes scenes = scenes_of(5, pairs);
  CHECK(scenes.first == std::vector<std::int32_t>{0, 1, 2, 3, 3});
  CHECK(scenes.apart == 3);
  CHECK(scenes.group == std::vector<std::int32_t>{0, 0, 0, 3, 3});
  CHECK(scenes.scenes == 1);
  CHECK(scenes_of(6, pairs).first == std::vector<std::int32_t>{0, 0, 0, 3, 3, 5});
  CHECK(scenes_of(1, {}).apart == 0);
}

}  // namespace letterpress
