#include "preprocess/options/build_flags.h"

#include <algorithm>
#include <charconv>

#include "letterpress/annotations/annotations.h"
#include "letterpress/base/error.h"
#include "letterpress/base/look.h"
#include "letterpress/base/side.h"
#include "letterpress/commandline/threads_flag.h"
#include "preprocess/options/label_flags.h"
#include "preprocess/options/pair_flags.h"
#include "preprocess/options/root_flag.h"
#include "preprocess/options/split_key.h"
#include "preprocess/options/tile_flags.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

using O = BuildOptions;
using F = Flag<O>;

constexpr const char* kShare = "a share like 0.01 or a percentage like 1%, from 0 to 100%";
std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string format_names() {
  std::vector<std::string> names{"auto"};
  for (const AnnotationFormatInfo& format : annotation_formats()) names.push_back(format.name);
  return list(names);
}

bool is_number(const std::string& text) {
  const char* end = text.data() + text.size() - (text.ends_with('%') ? 1 : 0);
  double ignored = 0;
  const auto [stop, failure] = std::from_chars(text.data(), end, ignored);
  return failure != std::errc::invalid_argument && stop == end;
}

// "set.tar/val.txt": what is in an archive is its reader's to say.
bool leads_into_file(fs::path path) {
  path = fs::absolute(path);
  while (!is_there(path) && path.has_relative_path()) path = path.parent_path();
  return is_regular_at(path);
}

void require_file(const std::string& flag, const fs::path& path) {
  if (path.empty() || is_there(path)) return;
  throw Error({.where = "--" + flag + " " + path.string(),
               .what = "there is no such file or folder (is a mount missing?)"},
              Exit::no_input);
}

// A number is never taken for a file: a slip of the keys would be searched on the disk.
void check_val(const std::string& val) {
  if (!is_number(val)) {
    if (val.empty() || !leads_into_file(val)) require_file("val", val);
    return;
  }
  const std::optional<double> share = parse_share(val);
  if (share && *share < 1) return;
  throw Error(
      "--val is '" + val + "', must be a number from 0 to below 1, a percentage, or a label file",
      Exit::usage);
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
  return std::ranges::find(shipped, recipe) != shipped.end() ? recipe : absolute_when_file(recipe);
}

FlagValue absolute_inputs(const O& options) {
  std::vector<std::string> inputs;
  for (const fs::path& input : options.inputs) inputs.push_back(absolute_text(input));
  return inputs;
}

void check_inputs(const O& options) {
  if (options.inputs.empty()) {
    throw Error(Message{.what = "no --input given, and the store has no earlier build to repeat",
                        .fix = "name the label files"},
                Exit::usage);
  }
  if (std::ranges::find(options.inputs, fs::path()) != options.inputs.end())
    throw Error("--input is empty, must be a label file or a folder", Exit::usage);
}

void check_store(const O& options) {
  if (!options.store.empty()) return;
  throw Error(
      Message{.what = "no --store given", .fix = "name the folder of the shards, old or new"},
      Exit::usage);
}

void add_inputs(FlagTable<O>& table) {
  table.add({
      F("store", &O::store, "folder of the shards, made when absent").once().check(check_store),
      F("input", &O::inputs, "label files or folders; may be repeated")
          .check(check_inputs)
          .stored_as(absolute_inputs),
      F("format", &O::format, "of the label files: " + format_names()),
      root_flag(),
      F("classes", &O::classes, "file with one class name per line").stored_as([](const O& o) {
        return absolute_text(o.classes);
      }),
  });
}

void add_rows(FlagTable<O>& table) {
  table.add({
      F("size", &O::side, "side of the frame, pixels")
          .must_be(kSideLimits.text + std::string(", for instance 416 or 640"),
                   [](const O& o) { return is_side(o.side); }),
  });
  add_tile_flags(table);
  table.add({
      F("views", &O::views,
        "augmented views per train picture; auto: one for every three of --epochs-planned, 4 or "
        "more, or as large a power of two as fits, so that the set can grow; "
        "0 with a recipe that augments nothing")
          .automatic()
          .between(-1, kMostViews, "auto or 0 to " + std::to_string(kMostViews)),
      F("epochs-planned", &O::epochs_planned,
        "of the trainings to come, for --views auto: a view that is seen often is memorised")
          .between(1, 1e6),
      F("recipe", &O::recipe, "TOML file or one of: " + list(Recipe::shipped()))
          .stored_as([](const O& o) { return recipe_text(o.recipe); }),
      F("depth", &O::depth,
        "of 16-bit pictures, which are rejected without it: 8, 12 or 16 bits that matter, or "
        "minmax of each picture")
          .says(kDepthNames)
          .check([](const O& o) { (void)parse_depth(o.depth); }),
      F("val", &O::val, "validation: a share of the pictures (0.1, 10%) or a label file")
          .filled()
          .says("a number from 0 to below 1, a percentage, or a label file")
          .check([](const O& o) { check_val(o.val); })
          .stored_as([](const O& o) { return absolute_when_file(o.val); }),
      split_flag(),
      rename_flag(),
      F("group", &O::group,
        "what --val SHARE keeps in one split: 'auto' (pictures that show one scene, such as a "
        "series or a burst, found by looking at them), 'none', 'folder', or a regular expression "
        "on the name")
          .filled()
          .check([](const O& o) { SplitKey{o.group}; }),
      F("seed", &O::seed, "of the augmentations; same seed, same bytes"),
      F("max-boxes", &O::max_boxes, "per picture; 0: no limit")
          .at_least(0, "a count above 0, or 0 for no limit"),
      F("on-overflow", &O::on_overflow,
        "a picture over --max-boxes: error, or largest (keeps the largest boxes)")
          .choices({"error", "largest"}),
  });
}

void add_limits(FlagTable<O>& table) {
  table.add({
      F("max-store-bytes", &O::max_store_bytes, "of all shards; 0: no limit")
          .bytes()
          .at_least(0, "bytes, or 0 for no limit"),
      F("shard-bytes", &O::shard_bytes, "pixels per shard, of 1024 rows at most")
          .bytes()
          .at_least(1, "bytes, for instance 256MiB"),
      F("compress", &O::compression,
        "new shards: none, or deflate (smaller; slower to write and to read); those there are "
        "stay")
          .choices({std::begin(kCompressionNames), std::end(kCompressionNames)}),
      F("max-pixels", &O::max_pixels, "of a picture").at_least(1, "a count above 0"),
      F("allow-outside", &O::allow_outside,
        "pictures outside the label files' folders and --root may be read, in later builds too; "
        "without it a symbolic link inside them may lead outside, a path may not"),
      threads_flag<O>(&O::threads).once(),
  });
}

// What nobody watches at night; each is closed again in the next build.
void add_gates(FlagTable<O>& table) {
  table.add({
      F("max-rejects", &O::max_rejects,
        "more rejected pictures: publish nothing; for this build only")
          .share()
          .once()
          .between(0, 1, kShare),
      F("max-rejected-boxes", &O::max_rejected_boxes,
        "more boxes rejected from pictures that stay: publish nothing; for this build only")
          .share()
          .once()
          .between(0, 1, kShare),
      F("max-unlabelled", &O::max_unlabelled,
        "more pictures that no label file names, or that nobody has labelled (in YOLO without a "
        "label file, in Label Studio, FiftyOne and Labelbox not annotated): publish nothing; for "
        "this build only")
          .share()
          .once()
          .between(0, 1, kShare),
      F("max-removed", &O::max_removed,
        "more vanished pictures: publish nothing; for this build only")
          .share()
          .once()
          .between(0, 1, kShare),
      F("max-moved", &O::max_moved,
        "more of the pictures of val or test, two at least, that are in train now, or of test in "
        "val, though --input, --val, --split and --group are the same: publish nothing; for this "
        "build only")
          .share()
          .once()
          .between(0, 1, kShare),
      F("max-drift", &O::max_drift,
        "classes, box sizes or brightness further from the last snapshot's: publish nothing; "
        "for this build only")
          .share()
          .once()
          .between(0, 1, kShare),
  });
}

// What this build does otherwise.
void add_ways(FlagTable<O>& table) {
  table.add({
      F("refresh-views", &O::refresh_views, "draw the augmented views anew").once(),
      F("redraw-views", &O::redraw_views,
        "draw so many of the augmented views anew, those that were drawn longest ago; see refresh")
          .once()
          .at_least(0, "0 or more"),
      F("rebuild", &O::rebuild,
        "make every row anew, maybe with another --size, --recipe or --seed")
          .once(),
      F("dry-run", &O::dry_run,
        "say what would be done: pictures, rows, bytes, and how long by trying the disk and some "
        "pictures; write nothing")
          .once(),
  });
}

}  // namespace

const FlagTable<BuildOptions>& build_flags() {
  static const FlagTable<BuildOptions> table = [] {
    FlagTable<BuildOptions> all(FlagLife::kept);
    add_inputs(all);
    add_label_flags(all);
    add_rows(all);
    add_limits(all);
    add_gates(all);
    add_ways(all);
    return all;
  }();
  return table;
}

void validate(const BuildOptions& options) {
  build_flags().check(options);
  to_json(options);  // what cannot be stored is refused before pictures are examined
}

std::string to_json(const BuildOptions& options) { return build_flags().to_json(options); }

BuildOptions build_options_from_json(const std::string& text) {
  BuildOptions options;
  build_flags().take_over(text, {}, {.what = "the last build", .fix = "give all flags again"},
                          options);
  return options;
}

}  // namespace letterpress
