#include <iostream>

#include "preprocess/augment/augmentation.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/text.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {
namespace {

// The first comment of a shipped recipe says what it is for.
std::string purpose(const std::string& toml) {
  const std::size_t begin = toml.find("# ") + 2;
  return toml.substr(begin, toml.find('\n', begin) - begin);
}

std::string recipe_table() {
  std::string text = "| recipe | what it is |\n|---|---|\n";
  for (const std::string& name : Recipe::shipped())
    text += "| `" + name + "` | " + purpose(Recipe::shipped_toml(name)) + " |\n";
  return text;
}

std::string augmentation_table() {
  std::string text =
      "| augmentation | what it does | parameters: default (range) |\n|---|---|---|\n";
  for (const AugmentationEntry* entry : augmentations()) {
    text += joined("| `", entry->name, "` | ", entry->summary, " | ");
    bool first = true;
    for (const Parameter& p : parameters_of(*entry)) {
      text += joined(first ? "" : "; ", "`", p.name, "` ", p.otherwise, " (", p.low, "..", p.high,
                     ") ", p.meaning);
      first = false;
    }
    text += " |\n";
  }
  return text;
}

struct RecipesFlags {
  std::string name;
};

int run_recipes(const RecipesFlags& flags) {
  if (flags.name.empty()) {
    std::cout << recipe_table() << '\n' << augmentation_table();
  } else {
    std::cout << Recipe::shipped_toml(flags.name);
  }
  return 0;
}

}  // namespace

Command recipes_command() {
  FlagTable<RecipesFlags> table;
  table.add({Flag<RecipesFlags>("name", &RecipesFlags::name, "of a shipped recipe").positional()});
  return command("recipes",
                 "lists recipes and augmentations with their parameters; with a NAME prints that "
                 "recipe's TOML, to start one's own",
                 table, run_recipes);
}

}  // namespace letterpress
