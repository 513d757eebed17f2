#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "letterpress/base/error.h"
#include "preprocess/inputs/contested_pictures.h"
#include "preprocess/inputs/held_out.h"
#include "preprocess/inputs/input_splits.h"
#include "preprocess/inputs/inputs.h"
#include "preprocess/inputs/unnamed_pictures.h"
#include "preprocess/inputs/unpacked_folder.h"
#include "preprocess/options/alike_names.h"
#include "preprocess/options/root_flag.h"
#include "preprocess/options/split_key.h"

namespace letterpress {
namespace {

class Gatherer {
 public:
  Gatherer(const BuildOptions& options, std::vector<std::string> classes)
      : options_(options),
        alike_by_(AlikeBy::of(options.merge_classes_by)),
        has_flags_(!options.val.empty() || !options.splits.empty()) {
    inputs_.classes = std::move(classes);
    for (std::size_t i = 0; i < inputs_.classes.size(); ++i)
      ids_.emplace(alike_form(inputs_.classes[i], alike_by_), static_cast<std::int32_t>(i));
    inputs_.lasting.assign(inputs_.classes.size(), true);
    reader_ = {.format = options.format,
               .classes = options.classes,
               .allow_outside = options.allow_outside,
               .coordinates = options.coordinates,
               .voc_origin = options.voc_origin,
               .unpacked = unpacked_folder(options)};
  }

  // As one label file for each split, where it is a folder of these.
  void read_input(const std::filesystem::path& input) {
    expect_splits("");
    const LabelParts parts =
        label_parts(std::filesystem::absolute(input).lexically_normal(), reader_);
    // A share makes train and val anew.
    const KeptSplits kept = kept_splits(options_.val);
    const bool as_one = kept != KeptSplits::all;
    const bool one_is_kept = std::ranges::any_of(
        parts.parts, [&](const LabelPart& part) { return is_kept(kept, part.split); });
    if (!has_flags_ || kept == KeptSplits::held_out) {
      for (const std::string& text : parts.list_remarks) remark(input.string() + ": " + text);
    }
    if (parts.are_lists && has_flags_) {
      const HeldOut held_out =
          as_one ? held_out_by_lists(parts, kept, reader_, inputs_.recognised) : HeldOut{};
      if (held_out.splits.empty())
        remark(input.string() + ": its lists in " + parts.parts[0].labels.parent_path().string() +
               " state splits, but --val or --split is given: all its pictures are read");
      return read(input, "", held_out);
    }
    for (const std::string& text : parts.remarks) remark(input.string() + ": " + text);
    if (parts.parts.empty()) return read(input, "");
    keep_left_out(parts.left_out);
    if (parts.are_lists)
      remark("splits by the lists in " + parts.parts[0].labels.parent_path().string() +
             "; to read all pictures as train, pass --val 0");
    if (as_one)
      remark(input.string() + ": has a label file for each split, but --val " + options_.val +
             " is given: " + (one_is_kept ? "those of train and val" : "they") +
             " are read as one split");
    for (const LabelPart& part : parts.parts)
      read(part.labels, is_kept(kept, part.split) ? part.split : "train");
  }

  void remark(const std::string& text) { inputs_.recognised.push_back(text); }

  // split: of all pictures of this label file; empty: as it states, else train. lists: what lists
  // beside it state of some pictures. by_flag: --split names it.
  void read(const std::filesystem::path& labels, const std::string& split,
            const HeldOut& lists = {}, bool by_flag = false) {
    by_flag_ = by_flag;
    // As an absolute path, so that the next build, wherever it is started, tells the same rejects
    // by the same words.
    const std::filesystem::path whole = std::filesystem::absolute(labels).lexically_normal();
    expect_splits(split);
    splits_.insert(split.empty() ? "train" : split);
    AnnotationSet set = read_annotations(whole, reader_);
    hold_out(lists, set);
    inputs_.recognised.push_back(labels.string() + ": " + set.format + " (" + set.recognised_by +
                                 ")");
    for (const std::string& remark : set.remarks)
      inputs_.recognised.push_back(labels.string() + ": " + remark);
    inputs_.label_files.push_back(whole.string());
    inputs_.label_folders.push_back(std::filesystem::is_directory(whole) ? whole
                                                                         : whole.parent_path());
    keep_written(set, inputs_.written_lists[whole.string()]);
    rename(set.classes);
    const std::vector<std::int32_t> ids = store_ids(set);
    if (set.classes_by_place) {
      std::vector<std::string>& list = inputs_.class_lists[whole.string()];
      for (const std::int32_t id : ids)
        list.push_back(inputs_.classes[static_cast<std::size_t>(id)]);
    }
    for (std::size_t i = 0; i < set.class_ids.size(); ++i) {
      if (set.class_ids[i] < 0) continue;
      const std::string& name = inputs_.classes[static_cast<std::size_t>(ids[i])];
      inputs_.category_ids.emplace(name, set.class_ids[i]);
      inputs_.category_lists[whole.string()].emplace(set.class_ids[i], name);
    }
    check_counts(set, labels);
    keep_left_out(set.left_out);
    inputs_.unlabelled += set.unlabelled;
    inputs_.boxes_found += set.boxes_found;
    inputs_.boxes_rejected += set.boxes_rejected;
    const bool states_splits =
        std::ranges::any_of(set.items, [](const Item& item) { return !item.split.empty(); });
    for (; !set.items.empty(); set.items.pop_front()) add(std::move(set.items.front()), ids, split);
    for (Reject& reject : set.rejects) {
      const std::string stated = !split.empty() ? split : reject.split;
      const bool is_known =
          !stated.empty() || (states_splits && is_kept(reader_.kept_splits, "train"));
      refuse(std::move(reject), is_known ? stated : "train");
    }
  }

  Inputs take() {
    check_root_splits(options_, splits_);
    if (inputs_.candidates.empty()) {
      std::string files;
      for (const std::string& text : inputs_.recognised) files += "\n  " + text;
      throw Error("no picture at all in" + files +
                      "\n  is the right label file named, and is its disk mounted?",
                  Exit::no_input);
    }
    std::vector<std::string> names;
    for (const std::int32_t id : named_)
      names.push_back(inputs_.classes[static_cast<std::size_t>(id)]);
    const std::string alike = alike_names_text(names);
    if (!alike.empty()) inputs_.recognised.push_back(alike);
    reject_contested(inputs_);
    note_unnamed_pictures();
    count_left_out();
    return std::move(inputs_);
  }

 private:
  // Of what is read next; split as of read().
  void expect_splits(const std::string& split) {
    const KeptSplits kept = kept_splits(options_.val);
    reader_.roots = roots_of(options_, split);
    reader_.splits_by_folders = split.empty() && (!has_flags_ || kept == KeptSplits::held_out);
    reader_.kept_splits = split.empty() ? kept : KeptSplits::all;
  }

  void rename(std::vector<std::string>& classes) {
    const std::vector<std::string> written = classes;
    for (std::string& name : classes) {
      const std::string& now = renamed(name, options_);
      if (now == name) continue;
      inputs_.renamed_classes.insert(name);
      if (std::ranges::find(written, now) != written.end())
        inputs_.united_classes.emplace(name, now);
      name = now;
    }
  }

  static void keep_written(const AnnotationSet& set, std::map<std::int64_t, std::string>& list) {
    const bool by_id = std::ranges::any_of(set.class_ids, [](std::int64_t id) { return id >= 0; });
    for (std::size_t i = 0; i < set.classes.size(); ++i) {
      const std::int64_t id = !by_id                     ? static_cast<std::int64_t>(i)
                              : i < set.class_ids.size() ? set.class_ids[i]
                                                         : -1;
      if (id >= 0) list.emplace(id, set.classes[i]);
    }
  }

  void keep_left_out(const std::vector<LeftOutFolder>& folders) {
    for (const auto& [folder, pictures] : folders) left_out_[folder.string() + "/"] = pictures;
  }

  // Another --input or --val may have read them.
  void count_left_out() {
    for (const auto& [folder, pictures] : left_out_) {
      const bool is_read = std::ranges::any_of(inputs_.candidates, [&](const Candidate& candidate) {
        return candidate.item.path.starts_with(folder);
      });
      if (!is_read) inputs_.unnamed += pictures;
    }
  }

  void note_unnamed_pictures() {
    const UnnamedPictures unnamed = unnamed_pictures(inputs_, reader_.unpacked);
    inputs_.unnamed = unnamed.n;
    if (unnamed.n > 0) {
      remark("pictures beside these that none of the label files read names: " +
             std::to_string(unnamed.n) + ", such as " + unnamed.first + "; they are not read");
    }
    if (unnamed.in_other_folders.empty()) return;
    std::int64_t n = 0;
    for (const auto& [folder, pictures] : unnamed.in_other_folders) n += pictures;
    remark("folders among theirs of which the label files read name no picture: " +
           std::to_string(unnamed.in_other_folders.size()) + ", with " + std::to_string(n) +
           " pictures, the first " + unnamed.in_other_folders.begin()->first +
           "; they are not read");
  }

  std::vector<std::int32_t> store_ids(const AnnotationSet& set) {
    std::vector<std::int32_t> ids;
    for (const std::string& name : set.classes) {
      const auto [known, is_new] = ids_.emplace(alike_form(name, alike_by_),
                                                static_cast<std::int32_t>(inputs_.classes.size()));
      if (is_new) {
        inputs_.classes.push_back(name);
        inputs_.lasting.push_back(false);
      }
      if (set.lists_classes) inputs_.lasting[static_cast<std::size_t>(known->second)] = true;
      ids.push_back(known->second);
      named_.insert(known->second);
    }
    return ids;
  }

  static void check_counts(const AnnotationSet& set, const std::filesystem::path& labels) {
    std::int64_t readable = 0;
    for (const Item& item : set.items) readable += static_cast<std::int64_t>(item.boxes.size());
    if (set.boxes_found == set.boxes_rejected + readable) return;
    throw Error(
        {.where = labels.string(),
         .what = "boxes found " + std::to_string(set.boxes_found) + ", but read " +
                 std::to_string(readable) + " and rejected " + std::to_string(set.boxes_rejected),
         .fix = "a bug of ours, please report it"},
        Exit::bug);
  }

  void add(Item item, const std::vector<std::int32_t>& ids, const std::string& split) {
    for (LabelBox& box : item.boxes) box.class_id = ids.at(static_cast<std::size_t>(box.class_id));
    if (item.label >= 0) item.label = ids.at(static_cast<std::size_t>(item.label));
    Candidate candidate;
    candidate.split = !split.empty() ? split : item.split.empty() ? "train" : item.split;
    candidate.item = std::move(item);
    candidate.label_file = inputs_.label_folders.size() - 1;
    candidate.split_by_flag = by_flag_;
    inputs_.candidates.push_back(std::move(candidate));
  }

  // split: empty where the label file has several, and the reject does not say which.
  void refuse(Reject reject, const std::string& split) {
    if (reject.scope == Reject::Scope::box) {
      inputs_.box_rejects.push_back(std::move(reject));
      ++inputs_.boxes_unusable;
      return;
    }
    Candidate candidate;
    candidate.item.where = reject.where;
    candidate.item.name = reject.name;
    candidate.item.path = reject.path;
    candidate.split = split;
    candidate.reject = std::make_shared<const Reject>(std::move(reject));
    inputs_.candidates.push_back(std::move(candidate));
  }

  const BuildOptions& options_;
  AnnotationOptions reader_;
  const AlikeBy alike_by_;
  const bool has_flags_;  // of splits
  bool by_flag_ = false;  // of what is read
  Inputs inputs_;
  std::unordered_map<std::string, std::int32_t> ids_;  // by alike_form
  std::set<std::int32_t> named_;                       // those of the label files
  std::set<std::string> splits_;                       // that label files are of
  std::map<std::string, std::int64_t> left_out_;       // pictures of folders without labels
};

}  // namespace

const std::string& renamed(const std::string& name, const BuildOptions& options) {
  if (options.renames.empty()) return name;
  const AlikeBy by = AlikeBy::of(options.merge_classes_by);
  const std::string form = alike_form(name, by);
  const auto rename = std::ranges::find_if(
      options.renames, [&](const ClassRename& one) { return alike_form(one.from, by) == form; });
  return rename == options.renames.end() ? name : rename->to;
}

Inputs gather(const BuildOptions& options, std::vector<std::string> classes) {
  Gatherer gatherer(options, std::move(classes));
  const InputSplits named = splits_of_inputs(options);
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    if (named.splits[i].empty()) {
      gatherer.read_input(options.inputs[i]);
    } else {
      gatherer.read(options.inputs[i], named.splits[i]);
    }
  }
  for (const std::string& text : named.remarks) gatherer.remark(text);
  if (!options.val.empty() && !parse_share(options.val)) gatherer.read(options.val, "val");
  for (const SplitLabels& split : options.splits) gatherer.read(split.labels, split.name, {}, true);
  return gatherer.take();
}

}  // namespace letterpress
