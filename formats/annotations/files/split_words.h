#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace letterpress::annotations {

/// What a name is made of, in small letters and without the digits at a word's end:
/// "instances_Train2017.json" -> instances, train, json; "ValidationImages" -> validation, images.
std::vector<std::string> words_of(std::string_view name);

/// The split that a word of words_of() stands for: "train", "val" or "test"; empty: none.
std::string split_of_word(std::string_view word);

/// The split that a whole name stands for, in any case: "Valid" -> val. Empty: none.
std::string split_of_name(std::string_view name);

/// A name, and the split that it stands for.
struct SplitName {
  std::string name, split;
};
/// Those of `names` that are split_of_name() and `ending`, in any case: of train, then val, then
/// test; of one split "val" before "Val" before "valid".
std::vector<SplitName> called_after_splits(const std::vector<std::string>& names,
                                           std::string_view ending = "");

/// The one split that the words of a path name: "valid/labels.csv" -> val. Empty: none, or two.
std::string split_in(std::string_view path);

/// The first word of a path that people call splits by, not always the same one, so that it is not
/// taken: "c/eval_images" -> eval. Empty: none.
std::string doubtful_split_in(std::string_view path);

/// words_of() but for those of splits: "Validation_annots" -> annots.
std::vector<std::string> words_without_split(std::string_view name);

/// Whether a word of words_of() is what people call folders of pictures: images, IMAGES, imgs.
bool is_word_for_pictures(std::string_view word);

/// Whether a folder is called after splits and pictures, not after what is in them: "train2017",
/// "Validation_Images".
bool is_named_by_splits_and_pictures(std::string_view name);

/// The one split that folders of a path are called after, of those folders whose names are of
/// splits, pictures and labels alone: "train/images" and "labels/val2017", not "train_station".
/// Empty: none, or two.
std::string split_of_folders(std::string_view folders);

}  // namespace letterpress::annotations
