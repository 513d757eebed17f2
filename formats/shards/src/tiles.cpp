#include "letterpress/shards/tiles.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/nesting.h"
#include "letterpress/shards/shard.h"

namespace letterpress {
namespace {

double field(const nlohmann::json& rule, const char* name, double low, double high) {
  const nlohmann::json value = rule.value(name, nlohmann::json());
  if (value.is_number() && value.get<double>() >= low && value.get<double>() <= high)
    return value.get<double>();
  throw Error({.where = "tile rule",
               .what = std::string(name) + " is " + (value.is_null() ? "missing" : value.dump()) +
                       ", must be " + nlohmann::json(low).dump() + ".." +
                       nlohmann::json(high).dump()});
}

}  // namespace

std::string to_json(const TileRule& rule) {
  return "{\"overlap\":" + nlohmann::json(rule.overlap).dump() +
         ",\"scale\":" + nlohmann::json(rule.scale).dump() +
         ",\"background\":" + nlohmann::json(rule.background).dump() + "}";
}

TileRule tile_rule_from_json(const std::string& text) {
  check_nesting(text, "tile rule");
  const nlohmann::json rule = nlohmann::json::parse(text, nullptr, false);
  if (!rule.is_object())
    throw Error({.where = "tile rule",
                 .what = "'" + text + "' is not a JSON object like " + to_json(TileRule{})});
  return {.overlap = field(rule, "overlap", 0, 0.9),
          .scale = field(rule, "scale", 1.0 / 64, 1),
          .background = field(rule, "background", 0, 1)};
}

std::optional<TileRule> tile_rule_of_recipe(const std::string& recipe_json) {
  check_nesting(recipe_json, "recipe");
  const nlohmann::json recipe = nlohmann::json::parse(recipe_json, nullptr, false);
  if (!recipe.is_object() || !recipe.contains("tiles")) return std::nullopt;
  return tile_rule_from_json(recipe["tiles"].dump());
}

std::string tile_text(const ShardReader& shard, std::int64_t row) {
  const std::optional<TileRule> rule = tile_rule_of_recipe(shard.spec().recipe_json);
  if (!rule) return "";
  const auto [width, height] = shard.source_size(row);
  const TilePlace place =
      TileGrid(width, height, shard.spec().side, *rule, LetterboxRule{}).place(shard.tile(row));
  return " tile " + std::to_string(shard.tile(row)) + " at " + std::to_string(place.x) + "," +
         std::to_string(place.y);
}

TileGrid::TileGrid(int source_width, int source_height, int side, const TileRule& rule,
                   const LetterboxRule& letterbox)
    : side_(side),
      span_(std::max(1, static_cast<int>(side / rule.scale))),
      overlap_(std::min(span_ - 1, static_cast<int>(std::ceil(span_ * rule.overlap)))),
      scale_(rule.scale),
      centred_(letterbox.place == LetterboxRule::Alignment::centre) {
  const int step = span_ - overlap_;
  const auto axis = [&](int length) {
    return Axis{length, length <= span_ ? 1 : (length - span_ + step - 1) / step + 1};
  };
  across_ = axis(source_width);
  down_ = axis(source_height);
}

int TileGrid::start(const Axis& axis, int index) const {
  if (axis.n == 1) return 0;
  return static_cast<int>(std::int64_t{index} * (axis.length - span_) / (axis.n - 1));
}

double TileGrid::padding(int length) const {
  return centred_ && length < span_ ? std::floor((side_ - length * scale_) / 2) : 0;
}

TilePlace TileGrid::place(int number) const {
  TilePlace place{.x = start(across_, number % across_.n),
                  .y = start(down_, number / across_.n),
                  .width = std::min(span_, across_.length),
                  .height = std::min(span_, down_.length)};
  place.source_to_frame = {{scale_, 0, padding(across_.length) - scale_ * place.x, 0, scale_,
                            padding(down_.length) - scale_ * place.y}};
  return place;
}

}  // namespace letterpress
