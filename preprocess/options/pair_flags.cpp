#include "preprocess/options/pair_flags.h"

#include <algorithm>

#include "letterpress/annotations/annotations.h"
#include "letterpress/base/error.h"
#include "letterpress/commandline/terminal_text.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

using O = BuildOptions;

const FlagInfo kSplit{.name = "split",
                      .kind = FlagKind::pairs,
                      .help = "a further split by its own label file; may be repeated",
                      .limits = "NAME=LABELS, for instance test=test.txt"};
const FlagInfo kRename{
    .name = "rename-class",
    .kind = FlagKind::pairs,
    .help =
        "the class keeps its id and rows under another name, in later builds too; boxes go to "
        "NEW where that is a class already; may be repeated",
    .limits = "OLD=NEW, for instance person=pedestrian"};

FlagPairs pairs_of(const std::vector<SplitLabels>& splits, bool absolute) {
  FlagPairs pairs;
  for (const SplitLabels& split : splits) {
    pairs.emplace_back(split.name, absolute ? absolute_text(split.labels) : split.labels.string());
  }
  return pairs;
}

FlagPairs pairs_of(const std::vector<ClassRename>& renames) {
  FlagPairs pairs;
  for (const ClassRename& rename : renames) pairs.emplace_back(rename.from, rename.to);
  return pairs;
}

// Added to those of earlier builds, whose label files may still write the old names: what went to
// OLD goes to NEW, OLD may be the name in the label files or the store's. OLD=OLD ends a rename.
void add_renames(const FlagPairs& pairs, std::vector<ClassRename>& renames) {
  std::vector<ClassRename> given;
  for (const auto& [from, to] : pairs) {
    const std::string word = from + "=" + to;
    if (from.empty() || to.empty() || to.find('=') != std::string::npos)
      refuse_value(kRename, word, kRename.limits);
    if (from == to) {
      std::erase_if(renames, [&](const ClassRename& before) { return before.from == from; });
      continue;
    }
    const auto twice = std::ranges::find(given, from, &ClassRename::from);
    if (twice != given.end() && twice->to != to) {
      throw Error({.where = "--rename-class " + word,
                   .what = "'" + from + "' is to become '" + twice->to + "', too",
                   .fix = "give it one name"},
                  Exit::usage);
    }
    given.push_back({from, to});
    const auto before = std::ranges::find(renames, from, &ClassRename::from);
    if (before != renames.end() && before->to != to) given.push_back({before->to, to});
  }
  for (const ClassRename& rename : given) {
    std::erase_if(renames, [&](const ClassRename& before) {
      const bool is_undone = before.from == rename.to && before.to == rename.from;
      return before.from == rename.from || is_undone;
    });
    for (ClassRename& before : renames)
      before.to = before.to == rename.from ? rename.to : before.to;
  }
  renames.insert(renames.end(), given.begin(), given.end());
}

void check_rename(const ClassRename& rename, const std::vector<ClassRename>& all) {
  const std::string given = rename.from + "=" + rename.to;
  if (terminal_text(rename.to) != rename.to ||
      rename.to.find_first_of("\n\t") != std::string::npos) {
    throw Error({.where = "--rename-class " + given,
                 .what = "the new name holds a control character",
                 .fix = "write it in printable characters"},
                Exit::usage);
  }
  if (rename.from.empty() || rename.to.empty() || rename.from == rename.to)
    refuse_value(kRename, given, kRename.limits);
  const auto again = std::ranges::find(all, rename.to, &ClassRename::from);
  if (again == all.end()) return;
  throw Error({.where = "--rename-class " + given,
               .what = "'" + rename.to + "' is renamed itself, to '" + again->to +
                       "', also in label files to come",
               .fix = "take another name; --rename-class " + rename.to + "=" + rename.to +
                      " ends that, if no label file writes it for '" + again->to + "'"},
              Exit::usage);
}

}  // namespace

std::string absolute_text(const fs::path& path) {
  return path.empty() ? "" : fs::absolute(path).lexically_normal().string();
}

Flag<O> split_flag() {
  return Flag<O>(
             kSplit,
             [](const FlagInfo&, const O& options) { return pairs_of(options.splits, false); },
             [](const FlagInfo&, const FlagValue& value, O& options) {
               options.splits.clear();
               for (const auto& [name, labels] : std::get<FlagPairs>(value))
                 options.splits.push_back({name, labels});
             })
      .stored_as([](const O& options) { return pairs_of(options.splits, true); })
      .check([](const O& options) {
        for (const SplitLabels& split : options.splits) {
          if (!can_name_split(split.name) || split.labels.empty())
            refuse_value(kSplit, split.name + "=" + split.labels.string(), kSplit.limits);
        }
      });
}

Flag<O> rename_flag() {
  return Flag<O>(
             kRename, [](const FlagInfo&, const O& options) { return pairs_of(options.renames); },
             [](const FlagInfo&, const FlagValue& value, O& options) {
               add_renames(std::get<FlagPairs>(value), options.renames);
             })
      .stored_as([](const O& options) {
        return options.renames.empty() ? FlagValue{} : pairs_of(options.renames);
      })
      .check([](const O& options) {
        for (const ClassRename& rename : options.renames) check_rename(rename, options.renames);
      });
}

}  // namespace letterpress
