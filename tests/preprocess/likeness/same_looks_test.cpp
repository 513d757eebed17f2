// Runs once more with LETTERPRESS_CPU=baseline: every processor sees the same.
#include <doctest/doctest.h>

#include <algorithm>

#include "letterpress/base/hash.h"
#include "preprocess/likeness/agreement.h"
#include "preprocess/likeness/scenes.h"
#include "tests/preprocess/likeness/drawn_scene.h"

namespace letterpress {
namespace {

// Cuttings of twelve scenes, three of each.
std::vector<Look> looks_of_cuttings() {
  std::vector<Look> looks;
  for (std::uint64_t seed = 50; seed < 62; ++seed) {
    const DrawnPicture scene = drawn_scene(seed);
    for (const int cut : {0, 9, 22})
      looks.push_back(look_at(
          {scene.rgb, scene.width, cut, cut / 2, scene.width - 2 * cut, scene.height - 2 * cut}));
  }
  return looks;
}

}  // namespace

// The digests are those of the first version, which was written without vectors: caches of looks
// last while they are met.
TEST_CASE("looks and what agrees are those of the first version, to the bit") {
  const std::vector<Look> looks = looks_of_cuttings();
  Hasher seen, alike;
  for (const Look& look : looks) {
    seen.add_value(static_cast<std::uint64_t>(look.size()));
    for (const Corner& corner : look)
      seen.add_value(corner.bits).add_value(corner.x).add_value(corner.y).add_value(corner.level);
  }
  std::vector<AlikePair> pairs;
  for (std::int32_t a = 0; a < 36; ++a) {
    for (std::int32_t b = a + 1; b < 36; ++b) {
      const Agreement agreement = agreeing_corners(looks[static_cast<std::size_t>(a)],
                                                   looks[static_cast<std::size_t>(b)], kAgreeing);
      if (agreement.is_of_one_scene()) pairs.push_back({a, b, agreement.corners});
    }
  }
  for (const AlikePair& pair : pairs)
    alike.add_value(pair.a).add_value(pair.b).add_value(pair.corners);
  CHECK(pairs.size() == 36);
  CHECK(seen.digest128().hex() == "bcd42d673f6a8fe26f6c4cc28f81d0ca");
  CHECK(alike.digest128().hex() == "583ca5d91924abb3367dd59db56665a2");
  const std::vector<AlikePair> found = alike_pairs(looks, StopRequest());
  for (const AlikePair& pair : found) CHECK(std::ranges::find(pairs, pair) != pairs.end());
  const std::vector<std::int32_t> first = scenes_of(looks.size(), found).first;
  for (std::int32_t i = 0; i < 36; ++i) CHECK(first[static_cast<std::size_t>(i)] == i / 3 * 3);
}

}  // namespace letterpress
