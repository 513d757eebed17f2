#include <algorithm>
#include <cmath>
#include <optional>

#include "letterpress/base/box.h"
#include "tests/trainer/augment/batch_case.h"

using namespace letterpress;

namespace {

constexpr int kPastes = 3, kTries = 64, kNumbers = 1 + 2 * kTries;

// Pictures with room for more.
Batch with_room(std::int64_t places = 8) {
  return batch_of(
      48,
      {{{4, 8, 12, 20}}, {{0, 0, 8, 8}, {30, 30, 41, 36}}, {{2, 2, 40, 12}, {24, 32, 30, 38}}, {}},
      places);
}

struct Object {
  std::int64_t row, x1, y1, x2, y2, class_id;
};
struct Pasted {
  Object object;
  std::int64_t x, y, margin;
};

std::int64_t whole(const torch::Tensor& scalar) { return scalar.item<std::int64_t>(); }

std::vector<Object> objects_of(const Batch& batch) {
  std::vector<Object> objects;
  for (std::int64_t row = 0; row < batch.boxes.size(0); ++row)
    for (std::int64_t i = 0; i < batch.boxes.size(1); ++i) {
      const torch::Tensor box = batch.boxes[row][i];
      if (number(box[4]) >= 0)
        objects.push_back(
            {row, whole(box[0]), whole(box[1]), whole(box[2]), whole(box[3]), whole(box[4])});
    }
  return objects;
}

// Of what is around an object and around a place, over 16 points of each side of the margin.
double difference_at(const Batch& batch, const Object& object, std::int64_t margin,
                     std::int64_t row, std::int64_t x, std::int64_t y) {
  const auto image = batch.images.accessor<float, 4>();
  const std::int64_t width = object.x2 - object.x1, height = object.y2 - object.y1;
  const auto at = [&](std::int64_t of, std::int64_t channel, std::int64_t column,
                      std::int64_t line) {
    return static_cast<double>(image[of][channel][std::clamp<std::int64_t>(line, 0, 47)]
                                    [std::clamp<std::int64_t>(column, 0, 47)]);
  };
  double sum = 0;
  for (std::int64_t point = 0; point < 16; ++point) {
    const auto along = [&](std::int64_t size) {
      const double place =
          static_cast<double>(point) / 15 * static_cast<double>(size - 1 + 2 * margin);
      return std::lrint(place) - margin;
    };
    const std::int64_t u = along(width), v = along(height);
    const std::pair<std::int64_t, std::int64_t> offsets[] = {
        {u, -margin}, {u, height - 1 + margin}, {-margin, v}, {width - 1 + margin, v}};
    for (const auto& [right, down] : offsets)
      for (std::int64_t channel = 0; channel < 3; ++channel)
        sum += std::abs(at(row, channel, x + right, y + down) -
                        at(object.row, channel, object.x1 + right, object.y1 + down));
  }
  return sum / (16 * 4 * 3);
}

// By the documented rule, one after another, in loops.
std::vector<Pasted> wanted_pastes(const Batch& batch, const torch::Tensor& numbers,
                                  std::int64_t row) {
  std::vector<Object> others, here;
  for (const Object& object : objects_of(batch)) {
    if (object.row == row) here.push_back(object);
    const bool fits = object.x2 - object.x1 <= 24 && object.y2 - object.y1 <= 24;
    if (object.row != row && fits) others.push_back(object);
  }
  std::vector<Pasted> pasted;
  for (std::int64_t i = 0; i < kPastes; ++i) {
    const auto drawn = [&](std::int64_t k) { return number(numbers[row][1 + i * kNumbers + k]); };
    const Object& object =
        others[static_cast<std::size_t>(drawn(0) * static_cast<double>(others.size()))];
    const std::int64_t width = object.x2 - object.x1, height = object.y2 - object.y1,
                       margin = std::max<std::int64_t>(2, std::min(width, height) / 10);
    std::optional<Pasted> best;
    double least = 0.2;
    for (std::int64_t k = 0; k < kTries; ++k) {
      const auto x = static_cast<std::int64_t>(drawn(1 + k) * static_cast<double>(49 - width)),
                 y = static_cast<std::int64_t>(drawn(1 + kTries + k) *
                                               static_cast<double>(49 - height));
      const bool covers = std::any_of(here.begin(), here.end(), [&](const Object& other) {
        return other.x1 < x + width + margin && other.x2 > x - margin &&
               other.y1 < y + height + margin && other.y2 > y - margin;
      });
      const double difference = difference_at(batch, object, margin, row, x, y);
      if (covers || difference > least || (best && difference > least - 1e-6)) continue;
      best = Pasted{object, x, y, margin};
      least = difference;
    }
    if (!best) continue;
    pasted.push_back(*best);
    here.push_back({row, best->x, best->y, best->x + width, best->y + height, object.class_id});
  }
  return pasted;
}

double share_along(std::int64_t place, std::int64_t first, std::int64_t size, std::int64_t margin) {
  const std::int64_t outside =
      std::max({first - place, place - (first + size - 1), std::int64_t{0}});
  return std::max(0.0, 1 - static_cast<double>(outside) / static_cast<double>(margin + 1));
}

double wanted_pixel(const Batch& batch, const std::vector<Pasted>& pasted, std::int64_t row,
                    std::int64_t channel, std::int64_t x, std::int64_t y) {
  const auto image = batch.images.accessor<float, 4>();
  const double own = image[row][channel][y][x];
  double result = own;
  for (const Pasted& one : pasted) {
    const Object& object = one.object;
    const std::int64_t u = x - one.x + object.x1, v = y - one.y + object.y1;
    if (u < 0 || v < 0 || u >= 48 || v >= 48) continue;
    const double share = share_along(x, one.x, object.x2 - object.x1, one.margin) *
                         share_along(y, one.y, object.y2 - object.y1, one.margin);
    if (share > 0) result = own + share * (image[object.row][channel][v][u] - own);
  }
  return result;
}

}  // namespace

TEST_CASE(
    "half of all pictures get objects of others where they cover none and their surroundings are "
    "most alike, with soft edges and their boxes; no place is like enough in some") {
  const Batch batch = with_room();
  batch.images[0].narrow(1, 30, 18).fill_(0.9);
  batch.images[3].fill_(0.9);  // like the surroundings of no object
  int n = 0, refused = 0;
  const std::int64_t places = batch.boxes.size(1);
  for (std::int64_t step = 0; step < 16; ++step) {
    const BatchPosition position = at_step(step, batch);
    const Batch result = apply("paste", batch, position);
    const torch::Tensor numbers = draw("paste", batch, position, 1 + kPastes * kNumbers);
    for (std::int64_t row = 0; row < 4; ++row) {
      CAPTURE(step);
      CAPTURE(row);
      std::vector<Pasted> pasted;
      if (number(numbers[row][0]) < 0.5) pasted = wanted_pastes(batch, numbers, row);
      n += static_cast<int>(pasted.size());
      if (number(numbers[row][0]) < 0.5) refused += kPastes - static_cast<int>(pasted.size());
      double furthest = 0;
      const auto image = result.images.accessor<float, 4>();
      for (std::int64_t channel = 0; channel < 3; ++channel)
        for (std::int64_t y = 0; y < 48; ++y)
          for (std::int64_t x = 0; x < 48; ++x)
            furthest =
                std::max(furthest, std::abs(static_cast<double>(image[row][channel][y][x]) -
                                            wanted_pixel(batch, pasted, row, channel, x, y)));
      CHECK(furthest < 1e-6);
      std::vector<std::vector<double>> wanted, got;
      const auto take = [places](const Batch& of, std::int64_t at, auto& list) {
        for (std::int64_t i = 0; i < places; ++i) {
          if (number(of.boxes[at][i][4]) < 0) continue;
          list.emplace_back();
          for (std::int64_t k = 0; k < 5; ++k) list.back().push_back(number(of.boxes[at][i][k]));
          CHECK(number(of.flags[at][i]) == 0);
        }
        std::sort(list.begin(), list.end());
      };
      take(batch, row, wanted);
      for (const Pasted& one : pasted)
        wanted.push_back({static_cast<double>(one.x), static_cast<double>(one.y),
                          static_cast<double>(one.x + one.object.x2 - one.object.x1),
                          static_cast<double>(one.y + one.object.y2 - one.object.y1),
                          static_cast<double>(one.object.class_id)});
      std::sort(wanted.begin(), wanted.end());
      take(result, row, got);
      CHECK(got == wanted);
    }
  }
  CHECK(n > 40);
  CHECK(refused > 0);
}

TEST_CASE("a pasted box lies on the pixels of its rectangle") {
  const Batch batch = with_room();
  int boxes = 0;
  for (std::int64_t step = 0; step < 12; ++step) {
    const Batch result = apply("paste", batch, at_step(step, batch));
    for (std::int64_t row = 0; row < 4; ++row) {
      // The rectangles of an object that is there twice are found around both.
      std::vector<double> classes;
      for (std::int64_t i = 0; i < 8; ++i)
        if (number(result.boxes[row][i][4]) >= 0)
          classes.push_back(number(result.boxes[row][i][4]));
      std::sort(classes.begin(), classes.end());
      if (std::adjacent_find(classes.begin(), classes.end()) == classes.end())
        boxes += check_boxes_lie_on_pixels(result, row);
    }
  }
  CHECK(boxes > 40);
}

TEST_CASE("objects of rare classes are pasted first, in inverse proportion to their number") {
  CHECK(torch::equal(rarity_of({400, 30, 0, 60}),
                     torch::tensor({std::int64_t{78643}, std::int64_t{1} << 20, std::int64_t{1},
                                    std::int64_t{1} << 19})));
  const Batch batch = with_room();
  const auto pasted_of = [&](const torch::Tensor& rarity) {
    std::vector<int> pasted(32);
    for (std::int64_t step = 0; step < 40; ++step) {
      BatchPosition position = at_step(step, batch);
      position.rarity = rarity;
      const Batch result = apply("paste", batch, position);
      for (std::int64_t row = 0; row < 4; ++row)
        for (std::int64_t i = 0; i < 8; ++i)
          if (const double id = number(result.boxes[row][i][4]);
              id >= 0 && static_cast<std::int64_t>(id) / 8 != row)
            ++pasted[static_cast<std::size_t>(id)];
    }
    return pasted;
  };
  // Objects 0, 8, 9 and 17 fit; the first one is a thousand times as likely.
  torch::Tensor rarity = torch::ones({32}, torch::kLong);
  rarity[0] = 1000;
  const std::vector<int> alike = pasted_of({}), rare = pasted_of(rarity);
  CHECK(alike[8] > 10);
  CHECK(alike[9] > 10);
  CHECK(alike[17] > 10);
  CHECK(alike[16] == 0);  // wider than half the frame
  CHECK(rare[0] > 2 * alike[0]);
  // Row 0 gets what is not its own.
  CHECK(rare[8] + rare[9] + rare[17] < alike[8] + alike[9] + alike[17]);
}

TEST_CASE("nothing is pasted without a place for its box, of crowds, difficult or cut objects") {
  Batch full = with_room(2);
  full.boxes.narrow(2, 0, 5).select(1, 1).copy_(
      torch::tensor({0.f, 44.f, 3.f, 47.f, 5.f}).expand({4, 5}));
  full.boxes.select(1, 0).copy_(torch::tensor({20.f, 20.f, 24.f, 24.f, 6.f}).expand({4, 5}));
  Batch flagged = with_room();
  for (std::int64_t row = 0; row < 4; ++row)
    flagged.flags[row].fill_(row == 0 ? kCrowd : row == 1 ? kDifficult : kCut);
  for (const Batch& batch : {full, flagged}) {
    for (std::int64_t step = 0; step < 8; ++step) {
      const Batch result = apply("paste", batch, at_step(step, batch));
      CHECK(torch::equal(result.images, batch.images));
      CHECK(torch::equal(result.boxes, batch.boxes));
    }
  }
}

TEST_CASE(
    "an object that shows another one is not pasted, which would have no label; that one is") {
  // A board with a quarter of a part on it, and a picture without any.
  const Batch batch = batch_of(48, {{{4, 4, 20, 20}, {18, 10, 26, 16}}, {}}, 6);
  int parts = 0;
  for (std::int64_t step = 0; step < 24; ++step) {
    const Batch result = apply("paste", batch, at_step(step, batch));
    for (std::int64_t i = 0; i < 6; ++i) {
      CHECK(number(result.boxes[1][i][4]) != 0);
      if (number(result.boxes[1][i][4]) == 1) ++parts;
    }
  }
  CHECK(parts > 4);
}

TEST_CASE("nothing is pasted into the grey beside a picture, nor into a picture alone") {
  for (const double grey : {114.0, 82.0, 155.0, 210.0}) {  // as it is, and as colours change it
    CAPTURE(grey);
    const Batch batch = with_room();
    batch.images.narrow(3, 24, 24).fill_(grey / 255);
    int pasted = 0;
    for (std::int64_t step = 0; step < 24; ++step) {
      const Batch result = apply("paste", batch, at_step(step, batch));
      for (std::int64_t i = 0; i < 8; ++i) {
        if (number(result.boxes[3][i][4]) < 0) continue;
        ++pasted;
        CHECK(number(result.boxes[3][i][2]) <= 24);
      }
    }
    CHECK(pasted > 4);
  }
  const Batch alone = batch_of(48, {{{4, 8, 12, 20}}}, 4);
  for (std::int64_t step = 0; step < 4; ++step)
    CHECK(torch::equal(apply("paste", alone, at_step(step, alone)).images, alone.images));
}
