#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/read_by_python.h"
#include "tests/temp_dir.h"
#include "tests/trainer/augment/batch_case.h"
#include "trainer/augment/draws.h"

using namespace letterpress;

namespace {

// All kinds of colours: drawn ones, greys, black, white, and those in which two channels are the
// same.
Batch colours() {
  torch::Tensor pixels =
      (torch::arange(4 * 3 * 32 * 32, torch::kLong) * 7919).remainder(10007).to(torch::kFloat) /
      10006;
  pixels = pixels.view({4, 3, 32, 32}).clone();
  pixels.narrow(2, 0, 2).copy_(
      pixels.narrow(2, 0, 2).narrow(1, 0, 1).expand({-1, 3, -1, -1}).clone());
  pixels.narrow(2, 2, 1).fill_(0);
  pixels.narrow(2, 3, 1).fill_(1);
  pixels.narrow(2, 4, 1).select(1, 1).copy_(pixels.narrow(2, 4, 1).select(1, 0));
  pixels.narrow(2, 5, 1).select(1, 2).copy_(pixels.narrow(2, 5, 1).select(1, 1));
  pixels.narrow(2, 6, 1).select(1, 0).copy_(pixels.narrow(2, 6, 1).select(1, 2));
  Batch batch = four_pictures();
  batch.images = pixels.contiguous(torch::MemoryFormat::ChannelsLast);
  return batch;
}

nlohmann::json rows_of(const torch::Tensor& images) {
  const torch::Tensor rows =
      images.permute({0, 2, 3, 1}).contiguous().view({images.size(0), -1, 3});
  nlohmann::json json = nlohmann::json::array();
  for (std::int64_t i = 0; i < rows.size(0); ++i) {
    const float* numbers = rows[i].const_data_ptr<float>();
    json.push_back(std::vector<float>(numbers, numbers + rows[i].numel()));
  }
  return json;
}

nlohmann::json rows_of_numbers(const torch::Tensor& numbers) {
  nlohmann::json json = nlohmann::json::array();
  for (std::int64_t i = 0; i < numbers.size(0); ++i) {
    const float* row = numbers[i].const_data_ptr<float>();
    json.push_back(std::vector<float>(row, row + numbers.size(1)));
  }
  return json;
}

}  // namespace

TEST_CASE(
    "hue, saturation and value change as in Python's colorsys, by the drawn amounts, in the ranges "
    "of recipe detect" *
    doctest::test_suite("needs Python")) {
  const TempDir dir;
  const Batch batch = colours();
  nlohmann::json cases = nlohmann::json::array();
  for (std::int64_t step = 0; step < 5; ++step) {
    const BatchPosition position = at_step(step, batch);
    cases.push_back({{"drawn", rows_of_numbers(draw("hsv", batch, position, 5))},
                     {"before", rows_of(batch.images)},
                     {"after", rows_of(apply("hsv", batch, position).images)}});
  }
  std::ofstream(dir.path() / "hsv.json") << cases;
  check_read_by_python("tests/trainer/augment/check_hsv.py", dir.path() / "hsv.json");
}

TEST_CASE("colours change, boxes do not; grey stays grey, black stays black") {
  const Batch batch = colours();
  const Batch changed = apply("hsv", batch, at_step(1, batch));
  for (std::int64_t row = 0; row < 4; ++row) CHECK_FALSE(same_pixels(changed, batch, row));
  CHECK(torch::equal(changed.boxes, batch.boxes));
  const torch::Tensor grey = changed.images.narrow(2, 0, 2);
  CHECK(torch::allclose(grey.select(1, 0), grey.select(1, 1), 0, 1e-6));
  CHECK(torch::allclose(grey.select(1, 0), grey.select(1, 2), 0, 1e-6));
  CHECK(number(changed.images.narrow(2, 2, 1).abs().max()) == 0);
  CHECK(number(changed.images.min()) >= 0);
  CHECK(number(changed.images.max()) <= 1);
}
