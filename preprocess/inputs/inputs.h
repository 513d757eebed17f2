#pragma once
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "letterpress/annotations/annotations.h"
#include "letterpress/base/hash.h"
#include "letterpress/base/reject.h"
#include "letterpress/shards/snapshot.h"
#include "preprocess/options/build_options.h"

namespace letterpress {

/// One picture of the label files on its way into the plan. Filled from top to bottom by the steps
/// below.
struct Candidate {
  Item item;  ///< class ids are the store's; no boxes once checked; of a refused picture what is
              ///< known
  std::string split;                     ///< "train", "val", ...
  std::size_t label_file = 0;            ///< index into Inputs::label_folders
  std::shared_ptr<const Reject> reject;  ///< why it cannot be stored; apart, since most can
  Hash128 picture_hash;                  ///< of its bytes; zero when unread
  std::int32_t width = 0, height = 0;    ///< displayed frame
  std::int32_t orientation = 1;          ///< EXIF
  std::int32_t bit_depth = 8;            ///< per channel
  bool cmyk = false, alpha = false;
  bool several = false;            ///< pages or frames, of which this is the first
  bool truncated = false;          ///< a JPEG that ends early and is kept
  bool split_by_flag = false;      ///< --split names the label file
  std::vector<LabelBox> boxes;     ///< checked and clipped, pixels of the displayed frame
  std::int64_t clipped = 0;        ///< of the picture's own, by more than the tolerance
  std::string boxes_out;           ///< which boxes are not among these and why, a line each
  std::int32_t duplicate_of = -1;  ///< index of the candidate that holds the same bytes and is kept
  Hash128 labels_hash;             ///< of boxes, flags and class names

  bool stored() const noexcept { return !reject && duplicate_of < 0; }
};

/// Everything that the label files of a build say, one candidate per picture found, in the files'
/// order.
struct Inputs {
  std::deque<Candidate>
      candidates;  ///< taken off the front for the plan, so that no picture is in memory twice
  std::vector<std::string> classes;  ///< the store's, new names at the end
  std::vector<bool>
      lasting{};  ///< of each class: the store's, or listed by a label file; stays without a box
  std::map<std::string, std::int64_t>
      category_ids{};  ///< the label format's own id of a class, by name
  /// Of label files whose boxes hold places in a list of classes: that list, by the file's path.
  std::map<std::string, std::vector<std::string>> class_lists{};
  /// Of label files that have an id of their own for each class: the classes by these ids.
  std::map<std::string, std::map<std::int64_t, std::string>> category_lists{};
  /// Of both, by place or id: the names as the label file writes them.
  std::map<std::string, std::map<std::int64_t, std::string>> written_lists{};
  std::vector<std::string> label_files{};  ///< their absolute paths
  std::vector<std::filesystem::path>
      label_folders{};  ///< of each label file: the folder that holds it
  std::vector<Reject> box_rejects;
  std::vector<std::string> recognised;  ///< "train.txt: voc (...)", and remarks on it
  std::int64_t boxes_found = 0, boxes_merged = 0,
               boxes_rejected = 0;  ///< the last: alone or with a picture that the reader refused
  std::int64_t boxes_unusable = 0;  ///< of these: rejected alone, for what they are
  std::int64_t unlabelled = 0;      ///< candidates that nobody has labelled
  /// Pictures that no label file names: beside the candidates, and of splits that are left out.
  std::int64_t unnamed = 0;
  std::int64_t moved_to_val = 0;
  std::int64_t stay_in_train = 0;  ///< that the last build had there, with the same --val SHARE
  std::map<std::string, std::int64_t>
      moved_elsewhere{};  ///< the same of other splits, by the one that the pictures stay in
  std::set<std::string>
      renamed_classes{};  ///< names in the label files that --rename-class has replaced
  std::map<std::string, std::string>
      united_classes{};  ///< of these, those whose new names one label file has too
};

/// What a label file's or the store's class is called now. Names that merge_classes_by makes one
/// have one rename.
const std::string& renamed(const std::string& name, const BuildOptions& options);

/// Reads the label files of options.inputs and of the splits. classes: the store's so far, renamed
/// as options say. Throws Error as read_annotations does, and (no_input) when no picture is found.
Inputs gather(const BuildOptions& options, std::vector<std::string> classes);

/// Adds a line to the candidate's boxes_out, up to a length that the ledger can bear.
void add_box_out(Candidate& candidate, const std::string& line);

/// Takes out the classes that only rejected boxes and pictures name: a class id is for life, and
/// such a name is often a slip.
void drop_unused_classes(Inputs& inputs);

/// Pictures with equal bytes: the first stays and takes the labels of the others (identical boxes
/// once, counted as merged); in two splits it stays in val, else in the one that is not train. One
/// labelled as another class than the first is rejected. Those whose boxes differ are named in
/// `recognised`. Throws Error (data) naming two of them when `differing` is error.
void merge_duplicates(Inputs& inputs, Duplicates differing = Duplicates::unite);

/// Applies --max-boxes. Throws Error naming the picture when it has more and on_overflow is error.
void limit_boxes(Inputs& inputs, const BuildOptions& options);

/// Of pictures, then of boxes; each once, although a list may be named twice, as --input and --val.
std::vector<Reject> all_rejects(const Inputs& inputs);

/// What a ledger's `reason` keeps of a reject, whose `where` it has apart: "what; fix".
std::string ledger_reason(const Reject& reject);

/// XXH3-128 over boxes, flags, areas, label and class *names*: equal labels have equal hashes,
/// however the classes are numbered.
Hash128 hash_labels(const std::vector<LabelBox>& boxes, std::int32_t label,
                    const std::vector<std::string>& classes);

/// Both identities, as the candidates stand now. A picture that is not stored takes its boxes with
/// it.
Accounting account(const Inputs& inputs);
/// Throws Error (bug) with both sums unless pictures found = stored + duplicates + rejected, and
/// the same of boxes.
void check_identities(const Accounting& accounting);

}  // namespace letterpress
