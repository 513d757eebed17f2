#include "trainer/augment/batch_augmentation.h"

#include "letterpress/base/error.h"
#include "tests/trainer/augment/batch_case.h"
#include "tests/trainer/waiting_operators.h"

using namespace letterpress;

namespace {

const std::string kAll[] = {"affine",
                            "flip",
                            "hsv",
                            "mixup",
                            "mosaic",
                            "paste",
                            "flip,affine,hsv,paste,mosaic,mixup",
                            "mixup,mosaic,paste,hsv,affine,flip"};

Batch rows_of(const Batch& batch, std::int64_t first, std::int64_t n) {
  Batch part;
  part.images = batch.images.narrow(0, first, n);
  part.boxes = batch.boxes.narrow(0, first, n);
  part.flags = batch.flags.narrow(0, first, n);
  part.label = batch.label.narrow(0, first, n);
  part.weight = batch.weight.narrow(0, first, n);
  return part;
}

bool equal(const Batch& a, const Batch& b) {
  return torch::equal(a.images, b.images) && torch::equal(a.boxes, b.boxes) &&
         torch::equal(a.flags, b.flags);
}

}  // namespace

TEST_CASE("names make a list in their order; unknown ones and repeated ones are refused") {
  CHECK(batch_augmentations("none").empty());
  const auto list = batch_augmentations("mosaic,flip");
  REQUIRE(list.size() == 2);
  CHECK(std::string(list[0]->name) == "mosaic");
  CHECK(std::string(list[1]->name) == "flip");
  CHECK_THROWS_WITH_AS(batch_augmentations("flip,mosiac"),
                       "unknown --on-device operation 'mosiac'; did you mean 'mosaic'? known: "
                       "mosaic, affine, flip, hsv, mixup, paste",
                       Error);
  CHECK_THROWS_WITH_AS(batch_augmentations(""),
                       doctest::Contains("unknown --on-device operation ''"), Error);
  CHECK_THROWS_WITH_AS(batch_augmentations("flip,hsv,flip"),
                       "--on-device: flip is named twice in 'flip,hsv,flip'; name each once",
                       Error);
  CHECK(batch_augmentation_infos().size() == 6);
}

TEST_CASE(
    "each operation keeps shapes, types and layout, pixels in 0..1, padding as padding, and the "
    "batch that it was given") {
  for (const std::string& names : kAll) {
    CAPTURE(names);
    for (const torch::Dtype type : {torch::kFloat, torch::kBFloat16}) {
      Batch batch = four_pictures(32);
      batch.images = batch.images.to(type);
      batch.flags[2][1] = 2;
      const Batch before = batch;
      const torch::Tensor pixels = batch.images.clone(), boxes = batch.boxes.clone(),
                          flags = batch.flags.clone();
      bool changed = false;
      for (std::int64_t step = 0; step < 6; ++step) {
        const Batch result = apply(names, batch, at_step(step, batch));
        changed = changed || !torch::equal(result.images, pixels);
        CHECK(result.images.sizes() == batch.images.sizes());
        CHECK((result.images.scalar_type() == type));
        CHECK(result.images.is_contiguous(torch::MemoryFormat::ChannelsLast));
        CHECK(number(result.images.min()) >= 0);
        CHECK(number(result.images.max()) <= 1);
        REQUIRE(result.boxes.sizes() == boxes.sizes());
        REQUIRE(result.flags.sizes() == flags.sizes());
        CHECK((result.flags.scalar_type() == torch::kByte));
        for (std::int64_t row = 0; row < 4; ++row) {
          for (std::int64_t i = 0; i < 32; ++i) {
            const torch::Tensor box = result.boxes[row][i];
            if (number(box[4]) >= 0) {
              CHECK(number(box[0]) >= 0);
              CHECK(number(box[2]) > number(box[0]));
              CHECK(number(box[3]) <= 32);
              continue;
            }
            CHECK(torch::equal(box, torch::tensor({0.f, 0.f, 0.f, 0.f, -1.f})));
            CHECK(number(result.flags[row][i]) == 0);
          }
        }
      }
      CHECK(changed);
      CHECK(torch::equal(before.images, pixels));
      CHECK(torch::equal(before.boxes, boxes));
      CHECK(torch::equal(before.flags, flags));
    }
  }
}

TEST_CASE(
    "the same seed and step draw the same numbers, others differ; rows of epochs without "
    "augmentation keep every bit") {
  const Batch batch = four_pictures(32);
  for (const std::string& names : kAll) {
    CAPTURE(names);
    int other_step = 0, other_seed = 0;
    for (std::int64_t step = 0; step < 8; ++step) {
      const BatchPosition position = at_step(step, batch);
      const Batch result = apply(names, batch, position);
      CHECK(equal(result, apply(names, batch, position)));
      if (!equal(result, apply(names, batch, at_step(step + 1, batch)))) ++other_step;
      BatchPosition seeded = position;
      seeded.seed = 4;
      if (!equal(result, apply(names, batch, seeded))) ++other_seed;
      BatchPosition partly = position;
      partly.augmented = 2;
      const Batch half = apply(names, batch, partly);
      CHECK(equal(rows_of(half, 2, 2), rows_of(batch, 2, 2)));
      partly.augmented = 0;
      CHECK(equal(apply(names, batch, partly), batch));
    }
    CHECK(other_step > 4);
    CHECK(other_seed > 4);
  }
}

TEST_CASE("what does not mix rows is the same for a batch in one piece and in parts") {
  const Batch batch = four_pictures(32);
  for (std::int64_t step = 0; step < 8; ++step) {
    const BatchPosition position = at_step(step, batch);
    const Batch whole = apply("flip,hsv,affine", batch, position);
    for (const std::int64_t first : {0, 1, 3}) {
      const Batch rows = rows_of(batch, first, 4 - first);
      BatchPosition part = position;
      part.first = first;
      CHECK(equal(apply("flip,hsv,affine", rows, part), rows_of(whole, first, 4 - first)));
    }
  }
}

TEST_CASE("nothing in an operation waits for the device") {
  const Batch batch = four_pictures(32);
  for (const std::string& names : kAll) {
    CAPTURE(names);
    CHECK(waiting_operators([&] { apply(names, batch, at_step(1, batch)); }).empty());
  }
}
