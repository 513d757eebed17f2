#include <toml++/toml.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "letterpress/base/error.h"
#include "letterpress/base/nesting.h"
#include "letterpress/base/suggest.h"
#include "preprocess/recipe/content.h"

namespace letterpress {
namespace {

void check_keys(const toml::table& table, const std::string& where,
                const std::vector<std::string>& known) {
  for (const auto& [key, value] : table) {
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      throw Error({.where = where, .what = unknown_name("key", key.str(), known)}, Exit::data);
  }
}

// The table of a key, or nullptr if the recipe has none.
const toml::table* section(const toml::table& recipe, const char* key, const std::string& where) {
  const toml::node* const node = recipe.get(key);
  if (node != nullptr && !node->is_table())
    throw Error({.where = where,
                 .what = std::string(key) + " is not a table",
                 .fix = "write [" + std::string(key) + "]"},
                Exit::data);
  return node == nullptr ? nullptr : node->as_table();
}

double number(const toml::node& node, const std::string& where, std::string_view key) {
  const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
  if (!value)
    throw Error({.where = where, .what = std::string(key) + " is not a number"}, Exit::data);
  return *value;
}

LetterboxRule read_letterbox(const toml::table& recipe, const std::string& file) {
  nlohmann::json merged = nlohmann::json::parse(to_json(LetterboxRule{}));
  const toml::table* const table = section(recipe, "letterbox", file);
  if (table == nullptr) return {};
  const std::string where = file + ": letterbox";
  check_keys(*table, where, {"scale", "rounding", "place", "fill", "resize"});
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    if (name == "fill") {
      const std::optional<std::int64_t> fill =
          value.is_integer() ? value.value<std::int64_t>() : std::nullopt;
      if (!fill || *fill < 0 || *fill > 255)
        throw Error({.where = where, .what = "fill must be a whole number 0..255"}, Exit::data);
      merged[name] = *fill;
    } else if (const auto text = value.value<std::string>()) {
      merged[name] = *text;
    } else {
      throw Error({.where = where, .what = name + " must be a text in quotes"}, Exit::data);
    }
  }
  try {
    return letterbox_rule_from_json(merged.dump());
  } catch (const Error& error) {
    throw Error(inside(file, error.message()), Exit::data);
  }
}

// Without a table [boxes]: as the shipped recipes of detection have it, where anything cuts boxes.
BoxRule read_boxes(const toml::table& recipe, const std::string& file) {
  const toml::table* const table = section(recipe, "boxes", file);
  if (table == nullptr) return recipe.contains("augment") ? kDetectBoxRule : BoxRule{};
  const std::string where = file + ": boxes";
  std::map<std::string, double> given;
  for (const auto& [key, value] : *table)
    given[std::string(key.str())] = number(value, where, key.str());
  Parameters parameters(where, given);
  BoxRule rule;
  rule.min_side = parameters.get({"min_side", rule.min_side, 0, 1000, "pixels of the frame"});
  rule.min_area = parameters.get({"min_area", rule.min_area, 0, 1, "share of the box"});
  parameters.check_all_known();
  return rule;
}

RecipeStep read_step(const toml::node& node, const std::string& where) {
  const toml::table* const table = node.as_table();
  const auto kind = table == nullptr ? std::nullopt : (*table)["kind"].value<std::string>();
  if (!kind)
    throw Error({.where = where, .what = "kind is missing", .fix = "write kind = \"hflip\""},
                Exit::data);
  RecipeStep step{*kind, {}, where + " (" + *kind + ")"};
  for (const auto& [key, value] : *table) {
    if (key.str() != "kind")
      step.given[std::string(key.str())] = number(value, step.where, key.str());
  }
  return step;
}

std::vector<RecipeStep> read_steps(const toml::table& recipe, const std::string& where) {
  std::vector<RecipeStep> steps;
  const toml::node* const node = recipe.get("augment");
  if (node == nullptr) return steps;
  if (!node->is_array())
    throw Error(
        {.where = where, .what = "augment is not a list", .fix = "write [[augment]] for each"},
        Exit::data);
  for (const toml::node& entry : *node->as_array())
    steps.push_back(read_step(entry, where + ": augment " + std::to_string(steps.size() + 1)));
  return steps;
}

toml::table parse(std::string_view text, const std::string& where) {
  if (longest_toml_key(text) > kDeepest)
    throw Error({.where = where,
                 .what = "has a key of more than " + std::to_string(kDeepest) +
                         " parts with dots between them",
                 .fix = "write key = value"});
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw Error({.where = where + ":" + std::to_string(error.source().begin.line),
                 .what = "not valid TOML: " + std::string(error.description())},
                Exit::data);
  }
}

}  // namespace

std::unique_ptr<RecipeContent> parse_recipe(std::string_view text, const std::string& where) {
  const toml::table recipe = parse(text, where);
  check_keys(recipe, where, {"letterbox", "boxes", "augment"});
  auto content = std::make_unique<RecipeContent>();
  content->letterbox = read_letterbox(recipe, where);
  content->boxes = read_boxes(recipe, where);
  add_steps(read_steps(recipe, where), *content);
  return content;
}

}  // namespace letterpress
