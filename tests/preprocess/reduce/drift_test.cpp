#include "preprocess/reduce/drift.h"

#include <doctest/doctest.h>

#include "preprocess/pipeline/build.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {

TEST_CASE("drift: shares of classes and sizes by total variation, brightness by luma") {
  Statistics before, now;
  before.boxes_per_class = {{"cat", 30}, {"dog", 10}};
  now.boxes_per_class = {{"cat", 5}, {"dog", 10}, {"fish", 5}};
  before.box_side_histogram = {8, 2, 0};
  now.box_side_histogram = {1, 0, 1};
  before.channel_mean = {100, 100, 100};
  now.channel_mean = {100, 151, 100};
  const Drift drift = drift_between(before, now);
  CHECK(drift.classes == doctest::Approx(0.5));    // |3/4 - 1/4| + |1/4 - 1/2| + |0 - 1/4|, halved
  CHECK(drift.box_sizes == doctest::Approx(0.5));  // |.8 - .5| + .2 + .5, halved
  CHECK(drift.brightness == doctest::Approx(0.587 * 51 / 255));
  CHECK(drift.largest() == doctest::Approx(0.5));
  CHECK(drift_between(before, before).largest() == 0);
}

TEST_CASE(
    "drift: where whole pictures have classes their shares count, beside those of boxes the larger "
    "one") {
  Statistics before, now;
  before.boxes_per_class = now.boxes_per_class = {{"cat", 0}, {"dog", 0}};
  before.pictures_per_class = {{"cat", 3}, {"dog", 1}};
  now.pictures_per_class = {{"cat", 1}, {"dog", 1}};
  CHECK(drift_between(before, now).classes ==
        doctest::Approx(0.25));  // |3/4 - 1/2| + |1/4 - 1/2|, halved
  before.boxes_per_class = {{"cat", 1}, {"dog", 0}};
  now.boxes_per_class = {{"cat", 1}, {"dog", 1}};
  CHECK(drift_between(before, now).classes == doctest::Approx(0.5));
}

TEST_CASE("drift: a set without boxes, and frames of another side, are not drift of boxes") {
  Statistics before, now;
  before.boxes_per_class = {{"cat", 30}};
  before.box_side_histogram = {30};
  now.boxes_per_class = {{"cat", 0}};
  now.box_side_histogram = {0};
  CHECK(drift_between(before, now).largest() == 0);
  now.boxes_per_class = {{"cat", 3}};
  now.box_side_histogram = {0, 3};
  CHECK(drift_between(before, now).largest() == 0);
}

TEST_CASE(
    "--max-drift: new labels of another class publish nothing, exit 65 with the numbers; allowed, "
    "the finished shards are taken") {
  DrawnSet set;
  set.pictures(8);
  std::string lines;
  for (int i = 0; i < 4; ++i) lines += "p" + std::to_string(i) + ".png 10,10,40,34,0\n";
  set.list("train.txt", lines);
  BuildOptions options = set.options();
  const BuildReport first = build_quietly(options);
  CHECK_FALSE(first.drift);
  const auto before = Store::open(options.store).generations();
  for (int i = 4; i < 8; ++i) lines += "p" + std::to_string(i) + ".png 10,10,40,34,2\n";
  set.list("train.txt", lines);
  options.max_drift = 0.2;
  const std::string message = message_of([&] { build_quietly(options); });
  CHECK(message.starts_with(
      "65 the pictures have moved from snapshot 1's: classes 50%, box sizes 0%, brightness "));
  CHECK(message.find("; --max-drift allows 20%; nothing was published. Look at the new pictures "
                     "and labels; if they are right, raise "
                     "--max-drift: what is made is kept") != std::string::npos);
  CHECK(Store::open(options.store).generations() == before);
  options.max_drift = 1;
  const BuildReport report = build_quietly(options);
  CHECK(report.published);
  CHECK(report.rows_resumed == 12);
  REQUIRE(report.drift);
  CHECK(report.drift->classes == doctest::Approx(0.5));
}

TEST_CASE(
    "--max-drift sees the classes of class folders: new pictures of one class alone publish "
    "nothing") {
  DrawnSet set;
  for (int i = 0; i < 8; ++i)
    set.picture(std::string("set/") + (i % 2 ? "dog/" : "cat/") + std::to_string(i) + ".png", i);
  BuildOptions options = set.options_of("set");
  build_quietly(options);
  for (int i = 8; i < 16; ++i) set.picture("set/cat/" + std::to_string(i) + ".png", i);
  options.max_drift = 0.2;
  // 4 of 8 were cats, 12 of 16 are.
  CHECK(message_of([&] { build_quietly(options); })
            .starts_with("65 the pictures have moved from snapshot 1's: classes 25%, box sizes 0%, "
                         "brightness "));
  options.max_drift = 0.25;
  const BuildReport report = build_quietly(options);
  REQUIRE(report.drift);
  CHECK(report.drift->classes == doctest::Approx(0.25));
}

}  // namespace letterpress
