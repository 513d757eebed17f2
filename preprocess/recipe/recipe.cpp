#include "preprocess/recipe/recipe.h"

#include <algorithm>
#include <filesystem>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/suggest.h"
#include "preprocess/augment/augmentation.h"
#include "preprocess/recipe/content.h"

namespace letterpress {

Recipe::Recipe(std::unique_ptr<RecipeContent> content) : content_(std::move(content)) {}
Recipe::~Recipe() = default;
Recipe::Recipe(Recipe&&) noexcept = default;
Recipe& Recipe::operator=(Recipe&&) noexcept = default;

std::vector<std::string> Recipe::shipped() {
  std::vector<std::string> names;
  for (const ShippedRecipe& recipe : kShippedRecipes) names.emplace_back(recipe.name);
  return names;
}

std::string Recipe::shipped_toml(const std::string& name) {
  for (const ShippedRecipe& recipe : kShippedRecipes) {
    if (recipe.name == name) return std::string(recipe.toml);
  }
  throw Error(unknown_name("recipe", name, shipped()), Exit::usage);
}

Recipe Recipe::load(const std::string& name_or_file) {
  for (const ShippedRecipe& recipe : kShippedRecipes) {
    if (recipe.name != name_or_file) continue;
    auto content = parse_recipe(recipe.toml, "recipe " + name_or_file);
    content->name = name_or_file;
    return Recipe(std::move(content));
  }
  const std::filesystem::path path = name_or_file;
  std::error_code ignored;
  if (path.extension() != ".toml" && !std::filesystem::is_regular_file(path, ignored))
    throw Error({.what = unknown_name("recipe", name_or_file, shipped()),
                 .fix = "or give the path of a .toml file"},
                Exit::usage);
  auto content = parse_recipe(read_file(path), name_or_file);
  content->name = path.stem().string();
  return Recipe(std::move(content));
}

Recipe Recipe::clean(const LetterboxRule& rule) {
  auto content = std::make_unique<RecipeContent>();
  content->name = "clean";
  content->letterbox = rule;
  add_steps({}, *content);
  return Recipe(std::move(content));
}

const std::string& Recipe::name() const noexcept { return content_->name; }
const std::string& Recipe::json() const noexcept { return content_->json; }
const std::vector<std::string>& Recipe::parameter_names() const noexcept {
  return content_->parameter_names;
}
const std::vector<RecipeStepInfo>& Recipe::steps() const noexcept { return content_->steps; }
const LetterboxRule& Recipe::letterbox() const noexcept { return content_->letterbox; }
Depth Recipe::depth() const noexcept { return content_->depth; }
Truncated Recipe::truncated() const noexcept { return content_->truncated; }
const std::optional<TileRule>& Recipe::tiles() const noexcept { return content_->tiles; }
const BoxRule& Recipe::boxes() const noexcept { return content_->boxes; }
bool Recipe::augments() const noexcept { return !content_->augmentations.empty(); }
std::span<const std::unique_ptr<Augmentation>> Recipe::augmentations() const noexcept {
  return content_->augmentations;
}

double Recipe::largest_zoom() const noexcept {
  double zoom = 1;
  for (const auto& augmentation : content_->augmentations) zoom *= augmentation->largest_zoom(1, 1);
  return zoom;
}

std::string Recipe::fault_of_order() const {
  using Moves = AugmentationEntry::Moves;
  const auto moves_of = [](const RecipeStepInfo& step) {
    for (const AugmentationEntry* entry : letterpress::augmentations())
      if (entry->name == step.kind) return entry->moves;
    return Moves::no;
  };
  const auto moved = std::ranges::find(steps(), Moves::after, moves_of);
  const auto anew = std::find_if(moved, steps().end(), [&](const RecipeStepInfo& step) {
    return moves_of(step) == Moves::anew;
  });
  if (anew == steps().end()) return {};
  return "recipe '" + name() + "': " + anew->kind + " places the picture anew, so that " +
         moved->kind + " before it does nothing; put it before all of affine, crop, flips, shift " +
         "and turn90";
}

}  // namespace letterpress
