#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <vector>

#include "letterpress/annotations/annotations.h"
#include "letterpress/base/error.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/progress_listener.h"
#include "preprocess/pipeline/build.h"
#include "preprocess/plan/plan_folder.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {
namespace {

// Flags that are given change the options; those that are not leave what the store's last build
// had.
class BuildFlags {
 public:
  explicit BuildFlags(CLI::App& app) : app_(app) {}

  template <class T>
  void add(const std::string& flag, T initial, const std::string& help,
           std::function<void(BuildOptions&, const T&)> apply) {
    auto value = std::make_shared<T>(std::move(initial));
    const CLI::Option* option = app_.add_option(flag, *value, help);
    keep(option, value, apply);
  }
  void add_switch(const std::string& flag, const std::string& help, bool BuildOptions::*member) {
    const CLI::Option* option = app_.add_flag(flag, help);
    given_.push_back([option, member](BuildOptions& options) {
      if (option->count() > 0) options.*member = true;
    });
  }
  void apply(BuildOptions& options) const {
    for (const auto& change : given_) change(options);
  }

 private:
  template <class T, class Apply>
  void keep(const CLI::Option* option, std::shared_ptr<T> value, Apply apply) {
    given_.push_back([=](BuildOptions& options) {
      if (option->count() > 0) apply(options, *value);
    });
  }

  CLI::App& app_;
  std::vector<std::function<void(BuildOptions&)>> given_;
};

using Words = std::vector<std::string>;

std::string list(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string format_names() {
  std::vector<std::string> names{"auto"};
  for (const AnnotationFormatInfo& format : annotation_formats()) names.push_back(format.name);
  return list(names);
}

void set_splits(BuildOptions& options, const Words& words) {
  options.splits.clear();
  for (const std::string& word : words) {
    const std::size_t cut = word.find('=');
    if (cut == std::string::npos)
      throw Error("--split " + word + ": wanted NAME=LABELS, for instance test=test.txt",
                  Exit::usage);
    options.splits.push_back({word.substr(0, cut), word.substr(cut + 1)});
  }
}

ClassRename rename_of(const std::string& word) {
  const std::size_t cut = word.find('=');
  if (cut != std::string::npos && word.find('=', cut + 1) == std::string::npos)
    return {word.substr(0, cut), word.substr(cut + 1)};
  throw Error("--rename-class " + word + ": wanted OLD=NEW, for instance person=pedestrian",
              Exit::usage);
}

// Added to those of earlier builds, whose label files may still write the old names: what went to
// OLD goes to NEW, OLD may be the name in the label files or the store's, and NEW itself stays.
void set_renames(BuildOptions& options, const Words& words) {
  std::vector<ClassRename> given;
  for (const std::string& word : words) {
    const ClassRename rename = rename_of(word);
    const auto twice = std::ranges::find(given, rename.from, &ClassRename::from);
    if (twice != given.end() && *twice != rename)
      throw Error("--rename-class " + word + ": '" + rename.from + "' is to become '" + twice->to +
                      "', too; give it one name",
                  Exit::usage);
    given.push_back(rename);
    const auto before = std::ranges::find(options.renames, rename.from, &ClassRename::from);
    if (before != options.renames.end() && before->to != rename.to)
      given.push_back({before->to, rename.to});
  }
  for (const ClassRename& rename : given) {
    std::erase_if(options.renames, [&](const ClassRename& before) {
      return before.from == rename.from || before.from == rename.to;
    });
    for (ClassRename& before : options.renames)
      before.to = before.to == rename.from ? rename.to : before.to;
  }
  options.renames.insert(options.renames.end(), given.begin(), given.end());
}

void set_overflow(BuildOptions& options, const std::string& word) {
  if (word != "largest" && word != "error")
    throw Error("--on-overflow " + word + ": wanted largest or error", Exit::usage);
  options.on_overflow = word == "largest" ? Overflow::largest : Overflow::error;
}

void set_compression(BuildOptions& options, const std::string& word) {
  if (word != "none" && word != "deflate")
    throw Error("--compress " + word + ": wanted none or deflate", Exit::usage);
  options.compression = word == "deflate" ? Compression::deflate : Compression::none;
}

void add_input_flags(BuildFlags& flags) {
  using Options = BuildOptions;
  using Text = std::string;
  flags.add<Words>(
      "--input", {}, "label files or folders; may be repeated", [](Options& o, const Words& v) {
        if (std::ranges::find(v, "") != v.end())
          throw Error("--input: got an empty name, wanted a label file or a folder", Exit::usage);
        o.inputs = {v.begin(), v.end()};
      });
  flags.add<Text>("--format", "auto", "of the label files: " + format_names(),
                  [](Options& o, const Text& v) { o.format = v; });
  flags.add<Text>("--root", "", "folder where pictures are sought beside the label file's own",
                  [](Options& o, const Text& v) { o.root = v; });
  flags.add<Text>("--classes", "", "file with one class name per line",
                  [](Options& o, const Text& v) { o.classes = v; });
  flags.add<Text>("--val", "", "validation: a share of the pictures (0.1, 10%) or a label file",
                  [](Options& o, const Text& v) { o.val = v; });
  flags.add<Words>("--split", {},
                   "NAME=LABELS: a further split by its own label file; may be repeated",
                   set_splits);
  flags.add<Words>("--rename-class", {},
                   "OLD=NEW: the class keeps its id and rows under another name, in later builds "
                   "too; boxes go to NEW where that is a "
                   "class already; may be repeated",
                   set_renames);
  flags.add<Text>("--group", "",
                  "keep groups in one split: 'folder', or a regular expression on the name",
                  [](Options& o, const Text& v) { o.group = v; });
}

std::uint64_t parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (failure == std::errc() && end == text.data() + text.size()) return seed;
  throw Error("--seed " + text + ": wanted a whole number from 0 to 18446744073709551615",
              Exit::usage);
}

void add_row_flags(BuildFlags& flags) {
  using Options = BuildOptions;
  flags.add<int>("--size", 416, "side of the frame, pixels, a multiple of 32",
                 [](Options& o, const int& v) { o.side = v; });
  flags.add<int>(
      "--views", -1,
      "augmented views per train picture; -1: 4, or 0 with a recipe that augments nothing",
      [](Options& o, const int& v) { o.views = v; });
  flags.add<std::string>("--recipe", "detect", "TOML file or one of: " + list(Recipe::shipped()),
                         [](Options& o, const std::string& v) { o.recipe = v; });
  flags.add<std::string>("--depth", "",
                         "of 16-bit pictures, which are rejected without it: 8, 12 or 16 bits that "
                         "matter, or minmax of each picture",
                         [](Options& o, const std::string& v) { o.depth = v; });
  flags.add<std::string>("--seed", "1", "of the augmentations; same seed, same bytes",
                         [](Options& o, const std::string& v) { o.seed = parse_seed(v); });
  flags.add<std::int64_t>("--max-boxes", 0, "per picture; 0: no limit",
                          [](Options& o, const std::int64_t& v) { o.max_boxes = v; });
  flags.add<std::string>("--on-overflow", "error",
                         "a picture over --max-boxes: error, or largest (keeps the largest boxes)",
                         set_overflow);
}

void add_limit_flags(BuildFlags& flags) {
  using Options = BuildOptions;
  using Text = std::string;
  flags.add<int>("--threads", 0, "0: all cores", [](Options& o, const int& v) { o.threads = v; });
  flags.add<Text>(
      "--shard-bytes", "256MiB", "pixels per shard, of 1024 rows at most",
      [](Options& o, const Text& v) { o.shard_bytes = parse_bytes("--shard-bytes", v); });
  flags.add<Text>(
      "--compress", "none",
      "new shards: none, or deflate (smaller; slower to write and to read); those there are stay",
      set_compression);
  flags.add<Text>(
      "--max-store-bytes", "0", "of all shards; 0: no limit",
      [](Options& o, const Text& v) { o.max_store_bytes = parse_bytes("--max-store-bytes", v); });
  flags.add<Text>(
      "--max-rejects", "1%", "more rejected pictures: publish nothing; holds for this build only",
      [](Options& o, const Text& v) { o.max_rejects = parse_share_flag("--max-rejects", v); });
  flags.add<Text>(
      "--max-removed", "5%", "more vanished pictures: publish nothing; holds for this build only",
      [](Options& o, const Text& v) { o.max_removed = parse_share_flag("--max-removed", v); });
  flags.add<Text>(
      "--max-drift", "100%",
      "classes, box sizes or brightness further from the last snapshot's: publish nothing; holds "
      "for this build only",
      [](Options& o, const Text& v) { o.max_drift = parse_share_flag("--max-drift", v); });
  flags.add<std::int64_t>("--max-pixels", 100'000'000, "of a picture",
                          [](Options& o, const std::int64_t& v) { o.max_pixels = v; });
  flags.add_switch(
      "--allow-outside",
      "pictures outside the label files' folders and --root may be read, in later builds too; "
      "without it a symbolic link inside them may lead outside, a path may not",
      &Options::allow_outside);
  flags.add_switch("--refresh-views", "draw the augmented views anew", &Options::refresh_views);
  flags.add_switch("--rebuild",
                   "make every row anew, maybe with another --size, --recipe or --seed",
                   &Options::rebuild);
  flags.add_switch("--dry-run",
                   "say what would be done: pictures, rows, bytes, and how long by trying the disk "
                   "and some pictures; write nothing",
                   &Options::dry_run);
}

// What the last build of the store was told, or the first one that did not end; the defaults when
// there is none.
BuildOptions stored_options(const std::filesystem::path& store) {
  if (store.empty() || !std::filesystem::exists(store / "FORMAT")) return {};
  const Store opened = Store::open(store);
  if (const std::optional<Snapshot> snapshot = opened.latest())
    return build_options_from_json(snapshot->configuration_json);
  const std::optional<std::string> interrupted = interrupted_configuration(opened);
  return interrupted ? build_options_from_json(*interrupted) : BuildOptions{};
}

using Work = BuildReport (*)(const BuildOptions& options, BuildListener& listener,
                             const StopRequest& stop);

int run_build(const BuildOptions& options, Work work, bool json) {
  end_soon_when_stopped();
  validate(options);
  std::cout << "configuration " << to_json(options) << std::endl;
  BuildReport report;
  {
    ProgressListener listener;
    report = work(options, listener, stop_by_signal());
  }
  std::cout << summary_text(report, options);
  if (json) std::cout << summary_json(report, options) << '\n';
  return report.stopped_by ? 128 + report.stopped_by : 0;
}

Command command_of(const std::string& name, const std::string& summary, Work work) {
  return {name, summary, [work](CLI::App& app) {
            auto flags = std::make_shared<BuildFlags>(app);
            auto store = std::make_shared<std::string>();
            auto json = std::make_shared<bool>(false);
            app.add_option("--store", *store, "folder of the shards, made when absent");
            add_input_flags(*flags);
            add_row_flags(*flags);
            add_limit_flags(*flags);
            app.add_flag("--json", *json, "one JSON object as the last line of the output");
            return [=] {
              BuildOptions options = stored_options(*store);
              options.store = *store;
              flags->apply(options);
              return run_build(options, work, *json);
            };
          }};
}

}  // namespace

Command build_command() {
  return command_of("build",
                    "prepares pictures; a flag that is not given is as in the store's last build",
                    build);
}

Command plan_command() {
  return command_of("plan",
                    "first of three steps that many machines share: what `build` would do, for "
                    "`map` and `reduce`",
                    plan);
}

}  // namespace letterpress
