#include "trainer/parity/golden_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/page/png.h"
#include "letterpress/shards/store.h"

namespace letterpress {
namespace {

using Random = std::mt19937;  // whose numbers the standard fixes, which it does not do for ranges

int drawn(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

struct Canvas {
  int width, height;
  std::vector<std::uint8_t> rgb;
  std::uint8_t* pixel(int x, int y) {
    return rgb.data() + 3 * (static_cast<std::ptrdiff_t>(y) * width + x);
  }
};

// From one colour to another, down and across.
void draw_ground(Random& random, Canvas& canvas) {
  std::array<int, 6> ground{};
  for (int& value : ground) value = drawn(random, 0, 127);
  for (int y = 0; y < canvas.height; ++y) {
    for (int x = 0; x < canvas.width; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        const int level = ground[c] * y / canvas.height + ground[c + 3] * x / canvas.width;
        canvas.pixel(x, y)[c] = static_cast<std::uint8_t>(level);
      }
    }
  }
}

// A disc, a ring or a rectangle.
void draw_shape(Random& random, Canvas& canvas) {
  const int least = std::min(canvas.width, canvas.height);
  const int radius = drawn(random, std::max(2, least / 30), std::max(3, least / 4)),
            at_x = drawn(random, 0, canvas.width), at_y = drawn(random, 0, canvas.height),
            kind = drawn(random, 0, 2);
  std::array<std::uint8_t, 3> colour{};
  for (std::uint8_t& level : colour) level = static_cast<std::uint8_t>(drawn(random, 0, 255));
  for (int y = std::max(0, at_y - radius); y < std::min(canvas.height, at_y + radius); ++y) {
    for (int x = std::max(0, at_x - radius); x < std::min(canvas.width, at_x + radius); ++x) {
      const int away = (x - at_x) * (x - at_x) + (y - at_y) * (y - at_y);
      if (kind < 2 && (away > radius * radius || (kind == 1 && 4 * away < radius * radius)))
        continue;
      std::copy(colour.begin(), colour.end(), canvas.pixel(x, y));
    }
  }
}

// And can be a line of a list.
bool is_there(const std::string& path) {
  if (path.find('\n') != std::string::npos) return false;
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

struct ValPicture {
  std::filesystem::path file;
  int tiles = 1;
};

int tiles_of(const LedgerEntry& entry, const std::optional<Tiling>& tiling) {
  if (!tiling) return 1;
  return TileGrid(entry.width, entry.height, tiling->side, tiling->rule, {}).n();
}

// Files of n of them, evenly over all; of fewer, where these have too many tiles.
std::vector<std::filesystem::path> chosen(const std::vector<ValPicture>& all, std::size_t n) {
  std::vector<std::filesystem::path> files;
  std::size_t tiles = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const ValPicture& one = all[i * all.size() / n];
    files.push_back(one.file);
    tiles += static_cast<std::size_t>(one.tiles);
  }
  return tiles > kGoldenTiles && n > 1 ? chosen(all, n / 2) : files;
}

std::string depth_of(const Snapshot& snapshot) {
  const auto recipe = nlohmann::json::parse(snapshot.identity.recipe_json, nullptr, false);
  if (!recipe.is_object() || !recipe.contains("depth") || !recipe["depth"].is_string()) return {};
  return recipe["depth"].get<std::string>();
}

}  // namespace

GoldenPictures golden_pictures(const std::filesystem::path& folder,
                               const std::optional<Tiling>& tiling) {
  const Store store = Store::open(folder);
  const std::optional<Snapshot> snapshot = store.latest();
  if (!snapshot) return {};
  std::vector<ValPicture> all;
  for (const LedgerEntry& entry : store.ledger(snapshot->generation)) {
    if (entry.split == "val" && entry.state == InputState::stored && is_there(entry.path))
      all.push_back({std::filesystem::absolute(entry.path), tiles_of(entry, tiling)});
  }
  return {.files = chosen(all, std::min(kGoldenPictures, all.size())),
          .store = folder,
          .generation = snapshot->generation,
          .snapshot_digest = snapshot->logical_digest.hex(),
          .depth = depth_of(*snapshot)};
}

GoldenPictures draw_golden_pictures(const std::filesystem::path& folder) {
  constexpr std::array<std::array<int, 2>, 8> kSizes{{{640, 480},
                                                      {480, 640},
                                                      {333, 500},
                                                      {97, 41},
                                                      {512, 512},
                                                      {1280, 720},
                                                      {250, 251},
                                                      {800, 113}}};
  constexpr int kShapes = 12;
  Random random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same pictures at every call
  GoldenPictures golden;
  for (std::size_t i = 0; i < kGoldenPictures; ++i) {
    const auto [width, height] = kSizes[i % kSizes.size()];
    Canvas canvas{width, height,
                  std::vector<std::uint8_t>(static_cast<std::size_t>(3 * width * height))};
    draw_ground(random, canvas);
    for (int shape = 0; shape < kShapes; ++shape) draw_shape(random, canvas);
    const std::vector<std::byte> png = encode_png(canvas.rgb, width, height);
    golden.files.push_back(folder / ("drawn-" + std::to_string(i) + ".png"));
    replace_file(golden.files.back(), {reinterpret_cast<const char*>(png.data()), png.size()});
  }
  return golden;
}

GoldenPictures choose_golden_pictures(const GoldenStores& stores,
                                      const std::filesystem::path& folder, std::string& note) {
  if (!stores.named.empty()) {
    GoldenPictures golden = golden_pictures(stores.named, stores.tiling);
    if (!golden.files.empty()) return golden;
    throw Error({.where = "--store " + stores.named.string(),
                 .what = "has no picture of split val whose file is still where it was",
                 .fix = "name another store, or leave it out"},
                Exit::no_input);
  }
  try {
    GoldenPictures golden;
    if (!stores.guessed.empty()) golden = golden_pictures(stores.guessed, stores.tiling);
    if (!golden.files.empty()) return golden;
  } catch (const Error& failure) {
    note =
        std::string("pictures are drawn, the training's store cannot be opened: ") + failure.what();
  }
  return draw_golden_pictures(folder);
}

}  // namespace letterpress
