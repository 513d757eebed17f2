#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/shards/letterbox.h"
#include "letterpress/shards/tiles.h"
#include "preprocess/augment/augmentation.h"
#include "preprocess/pictures/picture.h"
#include "preprocess/recipe/recipe_parts.h"

namespace letterpress {

struct RecipeContent {
  std::string name, json;
  LetterboxRule letterbox;
  BoxRule boxes;
  Depth depth = Depth::unset;
  Truncated truncated = Truncated::reject;
  std::optional<TileRule> tiles;
  std::vector<std::unique_ptr<Augmentation>> augmentations;
  std::vector<std::string> parameter_names;
  std::vector<RecipeStepInfo> steps;
};

/// An augmentation as a recipe writes it. where: "mine.toml: augment 2 (hsv)", for messages.
struct RecipeStep {
  std::string kind;
  std::map<std::string, double> given;
  std::string where;
};

/// A recipe that comes with the program: CMake embeds preprocess/recipe/shipped/<name>.toml.
struct ShippedRecipe {
  std::string_view name, toml;
};
extern const std::vector<ShippedRecipe> kShippedRecipes;

/// Makes the augmentations and the canonical JSON of a content that has its letterbox and boxes
/// already. Throws Error (data).
void add_steps(const std::vector<RecipeStep>& steps, RecipeContent& content);

/// Reads the TOML of a recipe. where: names it in messages. Throws Error (data).
std::unique_ptr<RecipeContent> parse_recipe(std::string_view toml, const std::string& where);

}  // namespace letterpress
