#include "trainer/augment/resize.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/locations.h"
#include "tests/trainer/waiting_operators.h"

using namespace letterpress;

namespace {

// As the golden's script draws them, one picture.
torch::Tensor drawn(std::int64_t side) {
  const torch::Tensor count = torch::arange(3 * side * side, torch::kLong);
  const torch::Tensor values = (count * 7919).remainder(10007).to(torch::kDouble) / 10007;
  return values.to(torch::kFloat)
      .view({1, 3, side, side})
      .contiguous(torch::MemoryFormat::ChannelsLast);
}

Batch batch_of(std::int64_t side) {
  Batch batch;
  batch.images = drawn(side).repeat({2, 1, 1, 1}).contiguous(torch::MemoryFormat::ChannelsLast);
  batch.boxes = torch::tensor({8.f, 16.f, 24.f, 40.f, 2.f, 0.f, 0.f, 0.f, 0.f, -1.f})
                    .view({1, 2, 5})
                    .repeat({2, 1, 1});
  batch.flags = torch::ones({2, 2}, torch::kByte);
  return batch;
}

}  // namespace

TEST_CASE(
    "pictures at another side are Pillow's, smaller ones anti-aliased, larger ones bilinear") {
  const auto golden = nlohmann::json::parse(
      std::ifstream(std::string(LETTERPRESS_SOURCE_DIR) + "/tests/golden/augment/resize.json"));
  REQUIRE(golden.size() == 5);
  for (const auto& one : golden) {
    const auto from = one["from"].get<std::int64_t>(), to = one["to"].get<std::int64_t>();
    CAPTURE(from);
    CAPTURE(to);
    const torch::Tensor got = resize(drawn(from), to);
    const torch::Tensor wanted =
        torch::tensor(one["values"].get<std::vector<float>>()).view({1, 3, to, to});
    CHECK(got.is_contiguous(torch::MemoryFormat::ChannelsLast));
    CHECK(torch::allclose(got, wanted, 0, 2e-6));
    const torch::Tensor half = resize(drawn(from).to(torch::kBFloat16), to);
    CHECK((half.scalar_type() == torch::kBFloat16));
    CHECK(half.is_contiguous(torch::MemoryFormat::ChannelsLast));
    CHECK(
        torch::allclose(half.to(torch::kFloat), wanted, 0, 1.0 / 128));  // two roundings to 8 bits
  }
  const torch::Tensor same = drawn(9);
  CHECK(resize(same, 9).is_same(same));
}

TEST_CASE("boxes follow: a drawn rectangle lies where its box says, and unused rows stay unused") {
  Batch batch = batch_of(64);
  batch.images.zero_();
  batch.images.narrow(2, 16, 24).narrow(3, 8, 16).fill_(1);  // y 16..40, x 8..24
  for (const std::int64_t side : {32, 96}) {
    CAPTURE(side);
    const Batch result = resized(batch, side);
    REQUIRE(result.images.size(3) == side);
    const auto box = [&](std::int64_t i) { return result.boxes[1][0][i].item<double>(); };
    CHECK(box(0) == 8.0 * static_cast<double>(side) / 64);
    CHECK(box(1) == 16.0 * static_cast<double>(side) / 64);
    CHECK(box(2) == 24.0 * static_cast<double>(side) / 64);
    CHECK(box(3) == 40.0 * static_cast<double>(side) / 64);
    CHECK(box(4) == 2);
    CHECK(torch::equal(result.boxes[1][1], batch.boxes[1][1]));
    // Over a half at all pixels inside and at none outside.
    const torch::Tensor bright = result.images[1][0] > 0.5;
    const torch::Tensor inside =
        bright.narrow(0, side / 4, 3 * side / 8).narrow(1, side / 8, side / 4);
    CHECK(inside.all().item<bool>());
    CHECK(bright.sum().item<std::int64_t>() == 3 * side / 8 * side / 4);
  }
  CHECK(batch.boxes[0][0][0].item<float>() == 8);  // the prepared batch stays as it is
  CHECK(resized(batch, 64).images.is_same(batch.images));
}

TEST_CASE("nothing in the change of side waits for the device") {
  const Batch batch = batch_of(64);
  CHECK(waiting_operators([&] { resized(batch, 32); }).empty());
  CHECK(waiting_operators([&] { resized(batch, 96); }).empty());
}
