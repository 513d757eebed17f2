#include "preprocess/inputs/splits.h"

#include <algorithm>

#include "letterpress/base/error.h"
#include "preprocess/options/split_key.h"

namespace letterpress {
namespace {

bool has_pictures(const Inputs& inputs, const std::string& split) {
  return std::ranges::any_of(inputs.candidates, [&](const Candidate& candidate) {
    return candidate.stored() && candidate.split == split;
  });
}

}  // namespace

void check_group(const Inputs& inputs, const std::string& group, BuildListener& listener) {
  const SplitKey key(group);
  std::int64_t pictures = 0, alone = 0;
  std::string example;
  for (const Candidate& candidate : inputs.candidates) {
    if (candidate.reject || candidate.split != "train") continue;
    ++pictures;
    if (key.leaves_alone(candidate.item) && alone++ == 0) example = candidate.item.name;
  }
  if (alone == 0) return;
  if (alone == pictures)
    throw Error(
        {.where = "--group " + group,
         .what = "matches the name of no picture, such as '" + example + "'; nothing was published",
         .fix = "write an expression that finds a part of these names, or pass 'auto', "
                "'none' or 'folder'"},
        Exit::usage);
  listener.note("--group " + group + " matches the names of " + std::to_string(pictures - alone) +
                " of " + std::to_string(pictures) + " pictures; of the others, such as '" +
                example + "', each is a group of its own");
}

void note_splits(const Inputs& inputs, const BuildOptions& options, BuildListener& listener) {
  for (const auto& [split, n] : inputs.moved_elsewhere)
    listener.note(std::to_string(n) + " pictures were in two splits and stay in " + split);
  const auto share = parse_share(options.val);
  if (!share || *share == 0 || has_pictures(inputs, "val")) return;
  if (inputs.stay_in_train > 1) {
    listener.note("--val " + options.val + ": no picture is in val; the last build had " +
                  std::to_string(inputs.stay_in_train) +
                  " in train, which stay there: add pictures, pass another share, which divides "
                  "all anew, or name a label file");
    return;
  }
  listener.note("--val " + options.val +
                ": no picture has fallen to val, there are too few of them" +
                (groups_by_name(options.group) ? ", or of --group's groups" : "") +
                "; raise it, or name a label file");
}

void check_train_pictures(const Inputs& inputs, const BuildOptions& options) {
  const auto is_reject_of_train = [](const Candidate& candidate) {
    return candidate.reject && candidate.split == "train";
  };
  if (has_pictures(inputs, "train") || std::ranges::any_of(inputs.candidates, is_reject_of_train))
    return;
  const auto share = parse_share(options.val);
  if (share && *share > 0 && has_pictures(inputs, "val")) {
    throw Error(
        {.where = "no picture to train on",
         .what = "--val " + options.val + " has taken all of them" +
                 (groups_by_name(options.group) ? ", which --group puts in too few groups" : "") +
                 "; nothing was published",
         .fix = "lower it, or name the label files of val"},
        Exit::no_input);
  }
  if (inputs.moved_to_val == 0 && inputs.moved_elsewhere.empty()) return;
  const bool by_flags = (!share && !options.val.empty()) || !options.splits.empty();
  // --input and --val name the same list, say, or train and val of a data.yaml the same folder.
  throw Error({.where = "no picture to train on",
               .what = "every picture of --input is also in --val or another --split, and stays "
                       "there; nothing was published",
               .fix = by_flags ? "name other label files with --input, or with --val"
                               : "state other pictures for train and val, or give --val 0.1 for a "
                                 "share of all of them"},
              Exit::no_input);
}

}  // namespace letterpress
