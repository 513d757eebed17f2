#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "preprocess/augment/augmentation.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {

struct Recipe::Content {
  std::string name, json;
  LetterboxRule letterbox;
  BoxRule boxes;
  std::vector<std::unique_ptr<Augmentation>> augmentations;
  std::vector<std::string> parameter_names;
};

/// A recipe that comes with the program: preprocess/recipe/shipped/<name>.toml, embedded by CMake.
struct ShippedRecipe {
  std::string_view name, toml;
};
extern const std::vector<ShippedRecipe> kShippedRecipes;

/// The text that is part of a row's identity: letterbox and box rules of `content`, and its augmentations as `steps` state them.
std::string canonical_json(const Recipe::Content& content, const nlohmann::json& steps);

/// Reads the TOML of a recipe. where: names it in messages. Throws Error (configuration).
std::unique_ptr<Recipe::Content> parse_recipe(std::string_view toml, const std::string& where);

}  // namespace letterpress
