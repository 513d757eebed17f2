#include "trainer/fit/log/loss_log.h"

#include <doctest/doctest.h>

#include <cmath>

#include "letterpress/base/error.h"
#include "tests/temp_dir.h"
#include "tests/trainer/fit/drawn_store.h"
#include "trainer/fit/opening/diverged.h"

using namespace letterpress;

TEST_CASE("the log sums steps, and a loss that is not finite names its step, terms and rows") {
  const TempDir dir;
  DrawnStore{.train = 4}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  LossLog log({"box", "class"}, 2, torch::kCPU, reader);
  log.record(1, torch::tensor({1.0F, 2.0F, 4.0F, 3.0F}), {{0, 0}});
  CHECK_FALSE(log.full());
  log.record(2, torch::tensor({0.5F, 0.25F, 4.0F, 3.0F}), {{0, 1}});
  CHECK(log.full());
  CHECK_FALSE(log.last_loss());
  CHECK(log.flush() == std::vector<double>{1.5, 2.25, 8});
  CHECK(*log.last_loss() == 0.1875);  // (0.5 + 0.25) / 4
  CHECK(log.flush() == std::vector<double>{0, 0, 0});
  log.record(3, torch::tensor({1.0F, 1.0F, 4.0F, 3.0F}), {{0, 0}});
  log.record(4, torch::tensor({1.0F, NAN, 4.0F, 3.0F}), {{0, 2}, {-1, -1}, {0, 3}});
  CHECK_THROWS_WITH_AS(log.flush(),
                       doctest::Contains("step 4: the loss is not finite (box 1, class nan), at "
                                         "step 3 it was 0.5; its rows: train2.png ("),
                       Diverged);
  CHECK_THROWS_WITH_AS(log.flush(), doctest::Contains(".h5 row 2), train3.png ("), Error);
  CHECK(name_rows(reader, {{0, 0}, {0, 1}, {0, 2}}, {}, 1).ends_with(".h5 row 0) and 2 more"));

  log.order_by([](const std::vector<RowPlace>& rows) {
    REQUIRE(rows.size() == 2);  // without the padding
    return std::vector<double>{0.5, 7};
  });
  CHECK_THROWS_WITH_AS(log.flush(), doctest::Contains("its rows, the worst first: train3.png ("),
                       Error);
  CHECK_THROWS_WITH_AS(log.flush(), doctest::Contains(".h5 row 3) 7, train2.png ("), Error);
  log.order_by([](const std::vector<RowPlace>&) { return std::vector<double>{NAN, 7}; });
  CHECK_THROWS_WITH_AS(log.flush(), doctest::Contains(".h5 row 2) nan, train3.png ("), Error);
  log.order_by(
      [](const std::vector<RowPlace>&) { return std::vector<double>{}; });  // they could not be had
  CHECK_THROWS_WITH_AS(log.flush(), doctest::Contains("; its rows: train2.png ("), Error);
}

TEST_CASE("steps without a target are counted in a row, over flushes; those without objects not") {
  const TempDir dir;
  DrawnStore{.train = 4}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  LossLog log({"box"}, 3, torch::kCPU, reader);
  const auto after = [&](std::int64_t before, const std::vector<float>& objects) {
    for (const float n : objects) log.record(1, torch::tensor({1.0F, 1.0F, n}), {{0, 0}});
    log.flush();
    return log.steps_without_target(before);
  };
  CHECK(after(0, {2, -1, -3}) == 2);
  CHECK(after(2, {-2, 0, -1}) == 4);
  CHECK(after(4, {0}) == 4);
  CHECK(after(4, {-5, 5, -5}) == 1);
  CHECK(after(1, {}) == 1);
}
