#include "preprocess/options/root_flag.h"

#include <algorithm>

#include "letterpress/base/error.h"
#include "letterpress/base/look.h"
#include "preprocess/options/pair_flags.h"
#include "preprocess/options/split_key.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

using O = BuildOptions;

// A folder whose own name has a = is that folder.
PictureRoot parsed(const std::string& word) {
  const std::size_t sign = word.find('=');
  if (sign == std::string::npos || sign > word.find('/') || is_there(word)) return {{}, word};
  return {word.substr(0, sign), word.substr(sign + 1)};
}

std::string word_of(const PictureRoot& root, const std::string& folder) {
  return root.split.empty() ? folder : root.split + "=" + folder;
}

[[noreturn]] void refuse_root(const PictureRoot& root) {
  throw Error({.where = "--root " + word_of(root, root.folder.string()),
               .what = "no label file is of split '" + root.split + "'",
               .fix = "give its labels by --val or --split, or leave '" + root.split + "=' out"},
              Exit::usage);
}

void check_roots(const O& options) {
  for (const PictureRoot& root : options.roots) {
    const std::string word = "--root " + word_of(root, root.folder.string());
    if (root.folder.empty())
      throw Error(word + " names no folder, must be FOLDER, or SPLIT=FOLDER", Exit::usage);
    if (!is_there(root.folder))
      throw Error({.where = word, .what = "there is no such file or folder (is a mount missing?)"},
                  Exit::no_input);
    if (is_regular_at(root.folder))
      throw Error({.where = word,
                   .what = "is a file, must be a folder",
                   .fix = "unpack an archive of pictures first; pictures in one archive with their "
                          "labels are found by --input alone"},
                  Exit::usage);
    // A share makes a split of pictures, not of label files. Else a folder may hold those of
    // several.
    if (root.split == "val" && parse_share(options.val)) refuse_root(root);
  }
}

FlagValue stored_roots(const O& options) {
  std::vector<std::string> words;
  for (const PictureRoot& root : options.roots)
    words.push_back(word_of(root, absolute_text(root.folder)));
  if (words.empty()) return std::string();
  if (words.size() == 1 && options.roots.front().split.empty()) return words.front();
  return words;
}

}  // namespace

Flag<O> root_flag() {
  return Flag<O>(
             {.name = "root",
              .kind = FlagKind::list,
              .help = "where pictures are sought beside the label file's own folder, maybe of "
                      "one split only; may be repeated",
              .limits = "FOLDER, or SPLIT=FOLDER"},
             [](const FlagInfo&, const O& options) {
               std::vector<std::string> words;
               for (const PictureRoot& root : options.roots)
                 words.push_back(word_of(root, root.folder.string()));
               return words;
             },
             // --root '' takes back those of the build before.
             [](const FlagInfo&, const FlagValue& value, O& options) {
               options.roots.clear();
               for (const std::string& word : std::get<std::vector<std::string>>(value)) {
                 if (!word.empty()) options.roots.push_back(parsed(word));
               }
             })
      .stored_as(stored_roots)
      .check(check_roots);
}

void check_root_splits(const O& options, const std::set<std::string>& splits) {
  for (const PictureRoot& root : options.roots) {
    if (!root.split.empty() && !splits.contains(root.split)) refuse_root(root);
  }
}

std::vector<fs::path> roots_of(const O& options, const std::string& split) {
  const std::string own = split.empty() ? "train" : split;
  std::vector<fs::path> folders;
  for (const PictureRoot& root : options.roots) {
    if (root.split.empty() || root.split == own) folders.push_back(root.folder);
  }
  return folders;
}

}  // namespace letterpress
