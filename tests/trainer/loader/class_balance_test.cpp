#include "trainer/loader/class_balance.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "letterpress/base/error.h"
#include "tests/temp_dir.h"
#include "tests/trainer/fit/drawn_store.h"

using namespace letterpress;

namespace {

const DrawnStore kOdd{
    .train = 16, .val = 2, .odd = 5, .class_names = {"red", "green", "blue", "black"}};

std::vector<std::set<std::int32_t>> classes_shown(const SnapshotReader& reader,
                                                  const std::vector<PictureRows>& pictures) {
  std::vector<std::set<std::int32_t>> shown;
  for (const PictureRows& picture : pictures) {
    shown.emplace_back();
    for (const LabelBox& box : reader.shard(picture.clean.shard).label_boxes(picture.clean.row))
      shown.back().insert(box.class_id);
  }
  return shown;
}

}  // namespace

TEST_CASE("a picture's factor is the largest of sqrt(t / share) of its classes, 1 at least") {
  const TempDir dir;
  kOdd.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, store.snapshot(1));
  const std::vector<PictureRows> pictures = reader.pictures("train");
  const auto shown = classes_shown(reader, pictures);
  for (const double t : {0.25, 0.75, 1.0}) {
    CAPTURE(t);
    const ClassBalance balance = balance_classes(reader, pictures, t);
    REQUIRE(balance.factors.size() == 16);
    int repeated = 0;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      double wanted = 1;
      for (const std::int32_t class_id : shown[i]) {
        int n = 0;
        for (const auto& classes : shown) n += static_cast<int>(classes.count(class_id));
        wanted = std::max(wanted, std::sqrt(t * 16 / n));
      }
      repeated += wanted > 1 ? 1 : 0;
      CHECK(static_cast<double>(balance.factors[i]) == doctest::Approx(wanted).epsilon(1e-6));
    }
    CHECK(repeated >= 1);
    // Of the class that one picture of sixteen shows.
    CHECK(balance.factor(3) == doctest::Approx(std::sqrt(t * 16)));
  }
}

TEST_CASE("without a limit the middle class is the limit, and it is said what is rare") {
  const TempDir dir;
  kOdd.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, store.snapshot(1));
  const ClassBalance balance = balance_classes(reader, reader.pictures("train"), 0);
  std::vector<std::int64_t> sorted = balance.pictures;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted[0] == 1);
  CHECK(balance.rare_below == static_cast<double>(sorted[2]) / 16);
  const std::string text = to_string(balance, reader.snapshot().classes);
  CHECK(text.starts_with("classes in fewer than "));
  CHECK(text.find(" % of the pictures count as rare: black (6.2 %) ") != std::string::npos);
}

TEST_CASE("classes of whole pictures count as those of boxes") {
  const TempDir dir;
  DrawnStore{.side = 32, .train = 12, .val = 2, .whole_pictures = true}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, store.snapshot(1));
  const ClassBalance balance = balance_classes(reader, reader.pictures("train"), 1);
  CHECK(balance.pictures[0] + balance.pictures[1] + balance.pictures[2] == 12);
}

TEST_CASE("--sample knows all and balanced") {
  CHECK(is_balanced("balanced"));
  CHECK_FALSE(is_balanced("all"));
  CHECK_THROWS_WITH_AS(is_balanced("rare"), "--sample is 'rare', must be all or balanced", Error);
}
