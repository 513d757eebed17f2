#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/nesting.h"
#include "preprocess/recipe/content.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {
namespace {

// JSON writes texts and numbers as TOML does.
std::string toml_lines(const nlohmann::json& values) {
  std::string text;
  for (const auto& [key, value] : values.items()) text += key + " = " + value.dump() + "\n";
  return text;
}

}  // namespace

std::string Recipe::toml() const {
  const nlohmann::json json = nlohmann::json::parse(content_->json);
  std::string text = "[letterbox]\n" + toml_lines(json.at("letterbox")) + "\n[boxes]\n" +
                     toml_lines(json.at("boxes"));
  for (const auto& step : json.at("augment")) {
    text += "\n[[augment]]\nkind = " + step.at("kind").dump() + "\n" +
            toml_lines(step.at("parameters"));
  }
  return text;
}

void add_steps(const std::vector<RecipeStep>& steps, RecipeContent& content) {
  nlohmann::json effective = nlohmann::json::array();
  for (const RecipeStep& step : steps) {
    for (const auto& earlier : effective) {
      if (earlier["kind"] == step.kind)
        throw Error({.where = step.where,
                     .what = "is in the recipe twice: both would write the same columns",
                     .fix = "keep one of them"},
                    Exit::data);
    }
    Parameters parameters(step.where, step.given);
    content.augmentations.push_back(make_augmentation(step.kind, parameters));
    content.steps.push_back({step.kind, content.parameter_names.size(),
                             content.augmentations.back()->drawn_names().size()});
    for (const std::string_view name : content.augmentations.back()->drawn_names())
      content.parameter_names.push_back(step.kind + "." + std::string(name));
    effective.push_back({{"kind", step.kind}, {"parameters", parameters.effective()}});
  }
  nlohmann::json json{
      {"augment", effective},
      {"boxes", {{"min_area", content.boxes.min_area}, {"min_side", content.boxes.min_side}}},
      {"letterbox", nlohmann::json::parse(to_json(content.letterbox))}};
  if (content.depth != Depth::unset) json["depth"] = to_string(content.depth);
  if (content.truncated == Truncated::keep) json["truncated"] = "keep";
  if (content.tiles) json["tiles"] = nlohmann::json::parse(to_json(*content.tiles));
  content.json = json.dump();
}

Recipe Recipe::with_depth(Depth depth) && {
  content_->depth = depth;
  nlohmann::json json = nlohmann::json::parse(content_->json);
  json.erase("depth");
  if (depth != Depth::unset) json["depth"] = to_string(depth);
  content_->json = json.dump();
  return std::move(*this);
}

Recipe Recipe::with_truncated(Truncated truncated) && {
  content_->truncated = truncated;
  nlohmann::json json = nlohmann::json::parse(content_->json);
  json.erase("truncated");
  if (truncated == Truncated::keep) json["truncated"] = "keep";
  content_->json = json.dump();
  return std::move(*this);
}

Recipe Recipe::with_tiles(const std::optional<TileRule>& tiles) && {
  content_->tiles = tiles;
  nlohmann::json json = nlohmann::json::parse(content_->json);
  json.erase("tiles");
  if (tiles) json["tiles"] = nlohmann::json::parse(to_json(*tiles));
  content_->json = json.dump();
  return std::move(*this);
}

Recipe Recipe::from_json(const std::string& text, const std::string& where) {
  auto content = std::make_unique<RecipeContent>();
  content->name = "stored";
  check_nesting(text, where);
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    content->letterbox = letterbox_rule_from_json(json.at("letterbox").dump());
    content->boxes = {json.at("boxes").at("min_side"), json.at("boxes").at("min_area")};
    content->depth = parse_depth(json.value("depth", ""));
    if (json.value("truncated", "") == "keep") content->truncated = Truncated::keep;
    content->tiles = tile_rule_of_recipe(text);
    std::vector<RecipeStep> steps;
    for (const auto& step : json.at("augment")) {
      const std::string kind = step.at("kind");
      steps.push_back(
          {kind, step.at("parameters"),
           where + ": augment " + std::to_string(steps.size() + 1) + " (" + kind + ")"});
    }
    add_steps(steps, *content);
  } catch (const nlohmann::json::exception& error) {
    throw Error(
        {.where = where,
         .what = std::string("holds a recipe that this program cannot read (") + error.what() + ")",
         .fix = "was it built by another version?"},
        Exit::configuration);
  }
  return Recipe(std::move(content));
}

}  // namespace letterpress
