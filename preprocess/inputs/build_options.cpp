#include "preprocess/inputs/build_options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/commandline/terminal_text.h"
#include "preprocess/inputs/split_key.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;  // splits keep their order

[[noreturn]] void refuse(const std::string& flag, const std::string& got,
                         const std::string& wanted) {
  throw Error("--" + flag + " " + got + ": wanted " + wanted, Exit::usage);
}

void require_share(const std::string& flag, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  if (!(value >= 0 && value <= 1))
    refuse(flag, text, "a share like 0.01 or a percentage like 1%, from 0 to 100%");
}

bool is_number(const std::string& text) {
  const char* end = text.data() + text.size() - (text.ends_with('%') ? 1 : 0);
  double ignored = 0;
  const auto [stop, failure] = std::from_chars(text.data(), end, ignored);
  return failure != std::errc::invalid_argument && stop == end;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// "set.tar/val.txt": what is in an archive is its reader's to say.
bool leads_into_file(fs::path path) {
  path = fs::absolute(path);
  while (!is_there(path) && path.has_relative_path()) path = path.parent_path();
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

void require_file(const std::string& flag, const fs::path& path) {
  if (!path.empty() && !is_there(path)) {
    throw Error("--" + flag + " " + path.string() +
                    ": there is no such file or folder (is a mount missing?)",
                Exit::no_input);
  }
}

void check_rename(const ClassRename& rename, const std::vector<ClassRename>& all) {
  const std::string given = rename.from + "=" + rename.to;
  if (terminal_text(rename.to) != rename.to ||
      rename.to.find_first_of("\n\t") != std::string::npos) {
    throw Error("--rename-class " + given +
                    ": the new name holds a control character; write it in printable characters",
                Exit::usage);
  }
  if (rename.from.empty() || rename.to.empty() || rename.from == rename.to) {
    refuse("rename-class", given, "OLD=NEW, for instance person=pedestrian");
  }
  const auto again = std::find_if(
      all.begin(), all.end(), [&](const ClassRename& other) { return other.from == rename.to; });
  if (again == all.end()) return;
  throw Error("--rename-class " + given + ": '" + rename.to + "' is renamed itself, to '" +
                  again->to + "'; name one last name for both",
              Exit::usage);
}

// A number is never taken for a file: a slip of the keys would be searched on the disk.
void check_val(const std::string& val) {
  if (!is_number(val)) {
    if (val.empty() || !leads_into_file(val)) require_file("val", val);
    return;
  }
  const std::optional<double> share = parse_share(val);
  if (share && *share < 1) return;
  throw Error("--val: " + val +
                  " is no share; wanted a number from 0 to below 1, a percentage, or a label file",
              Exit::usage);
}

std::string absolute_text(const fs::path& path) {
  return path.empty() ? "" : fs::absolute(path).lexically_normal().string();
}

// A recipe or --val is a name, a number or a file; only the file depends on where the program was
// started.
std::string absolute_when_file(const std::string& text) {
  return !text.empty() && (is_there(text) || leads_into_file(text)) ? absolute_text(text) : text;
}

// Recipe::load takes a shipped name before a file of that name; what is stored must lead to the
// same.
std::string recipe_text(const std::string& recipe) {
  const std::vector<std::string> shipped = Recipe::shipped();
  return std::find(shipped.begin(), shipped.end(), recipe) != shipped.end()
             ? recipe
             : absolute_when_file(recipe);
}

template <class T>
void take(const Json& json, const char* key, T& value) {
  if (json.contains(key)) json.at(key).get_to(value);
}

void take_path(const Json& json, const char* key, fs::path& path) {
  if (json.contains(key)) path = json.at(key).get<std::string>();
}

BuildOptions parse(const Json& json) {
  BuildOptions options;
  if (json.contains("input")) {
    for (const auto& input : json.at("input"))
      options.inputs.emplace_back(input.get<std::string>());
  }
  if (json.contains("split")) {
    for (const auto& [name, labels] : json.at("split").items())
      options.splits.push_back({name, labels.get<std::string>()});
  }
  if (json.contains("rename-class")) {
    for (const auto& [from, to] : json.at("rename-class").items())
      options.renames.push_back({from, to.get<std::string>()});
  }
  take_path(json, "root", options.root);
  take_path(json, "classes", options.classes);
  take(json, "format", options.format);
  take(json, "size", options.side);
  take(json, "views", options.views);
  take(json, "recipe", options.recipe);
  take(json, "depth", options.depth);
  take(json, "val", options.val);
  take(json, "group", options.group);
  take(json, "seed", options.seed);
  take(json, "max-boxes", options.max_boxes);
  if (json.value("on-overflow", "error") == "largest") options.on_overflow = Overflow::largest;
  take(json, "max-store-bytes", options.max_store_bytes);
  take(json, "shard-bytes", options.shard_bytes);
  if (json.value("compress", "none") == "deflate") options.compression = Compression::deflate;
  take(json, "max-pixels", options.max_pixels);
  take(json, "allow-outside", options.allow_outside);
  return options;
}

}  // namespace

void validate(const BuildOptions& options) {
  if (options.store.empty())
    throw Error("no --store given; name the folder that holds or shall hold the shards",
                Exit::usage);
  if (options.inputs.empty()) {
    throw Error(
        "no --input given, and the store has no earlier build to repeat; name the label files",
        Exit::usage);
  }
  if (options.side < 32 || options.side > 8192 || options.side % 32 != 0) {
    refuse("size", std::to_string(options.side),
           "a multiple of 32 from 32 to 8192, for instance 416 or 640");
  }
  if (options.views < -1 || options.views > 1024)
    refuse("views", std::to_string(options.views), "0 to 1024");
  if (options.threads < 0 || options.threads > 4096)
    refuse("threads", std::to_string(options.threads), "1 to 4096, or 0 for all cores");
  if (options.max_boxes < 0)
    refuse("max-boxes", std::to_string(options.max_boxes), "a count above 0, or 0 for no limit");
  if (options.max_store_bytes < 0)
    refuse("max-store-bytes", std::to_string(options.max_store_bytes), "bytes, or 0 for no limit");
  if (options.shard_bytes < 1)
    refuse("shard-bytes", std::to_string(options.shard_bytes), "bytes, for instance 256MiB");
  if (options.max_pixels < 1)
    refuse("max-pixels", std::to_string(options.max_pixels), "a count above 0");
  if (!options.group.empty()) SplitKey{options.group};
  require_share("max-rejects", options.max_rejects);
  require_share("max-removed", options.max_removed);
  require_share("max-drift", options.max_drift);
  for (const SplitLabels& split : options.splits) {
    // Names of folders, when the store is unpacked.
    const bool plain = !split.name.empty() && split.name != "." && split.name != ".." &&
                       split.name.find_first_of("/\\\n\t ") == std::string::npos;
    if (!plain || split.labels.empty())
      refuse("split", split.name + "=" + split.labels.string(),
             "NAME=LABELS, for instance test=test.txt");
  }
  for (const ClassRename& rename : options.renames) check_rename(rename, options.renames);
  (void)parse_depth(options.depth);
  check_val(options.val);
  require_file("root", options.root);
}

std::string to_json(const BuildOptions& options) {
  Json json;
  json["input"] = Json::array();
  for (const fs::path& input : options.inputs) json["input"].push_back(absolute_text(input));
  json["format"] = options.format;
  json["root"] = absolute_text(options.root);
  json["classes"] = absolute_text(options.classes);
  json["size"] = options.side;
  json["views"] = options.views;
  json["recipe"] = recipe_text(options.recipe);
  json["depth"] = options.depth;
  json["val"] = absolute_when_file(options.val);
  json["split"] = Json::object();
  for (const SplitLabels& split : options.splits)
    json["split"][split.name] = absolute_text(split.labels);
  if (!options.renames.empty()) json["rename-class"] = Json::object();
  for (const ClassRename& rename : options.renames) json["rename-class"][rename.from] = rename.to;
  json["group"] = options.group;
  json["seed"] = options.seed;
  json["max-boxes"] = options.max_boxes;
  json["on-overflow"] = options.on_overflow == Overflow::largest ? "largest" : "error";
  json["max-store-bytes"] = options.max_store_bytes;
  json["shard-bytes"] = options.shard_bytes;
  json["compress"] = kCompressionNames[static_cast<std::size_t>(options.compression)];
  json["max-pixels"] = options.max_pixels;
  json["allow-outside"] = options.allow_outside;
  return json.dump();
}

BuildOptions build_options_from_json(const std::string& text) {
  try {
    return parse(Json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    throw Error(std::string("the stored configuration of the last build cannot be read (") +
                error.what() + "); give all flags again");
  }
}

}  // namespace letterpress
