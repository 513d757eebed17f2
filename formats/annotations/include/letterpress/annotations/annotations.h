#pragma once
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "letterpress/base/box.h"
#include "letterpress/base/reject.h"
#include "letterpress/base/split_name.h"

namespace letterpress {

/// Where a file's bytes are: in a file of their own, or within an archive or a batch of pictures.
struct FileBytes {
  std::string path = {};                 ///< what can be opened
  std::int64_t offset = 0, length = -1;  ///< length -1: all of it
};

/// One labelled picture as a label file states it. No pixels; bytes are (path, offset, length), so
/// archives need no second type.
struct Item {
  std::string path = {};  ///< resolved: what can be opened
  /// Which picture of it, when it is an archive or a batch: "a/1.jpg", "17"; else empty.
  std::string member = {};
  std::string name = {};                 ///< as the label file writes it, UTF-8
  std::string where = {};                ///< "train.txt:3"
  std::int64_t offset = 0, length = -1;  ///< length -1: the whole file
  /// Source pixels, or 0..1 when `normalised`; not yet checked against the picture.
  std::vector<LabelBox> boxes = {};
  bool normalised = false;
  std::int32_t label = -1;             ///< class of the whole picture, else -1
  std::int32_t width = 0, height = 0;  ///< as the label file states them, 0: not stated
  /// As the label file states it ("train", "val", "test"), empty: not stated.
  std::string split = {};
  std::int64_t image_id = -1;  ///< the format's own (COCO)
  /// While the set is read: of its own label file, in AnnotationSet::label_folders; -1: none.
  std::int32_t label_folder = -1;
};

/// A folder of pictures that is called after a split, of which no label file could be read.
struct LeftOutFolder {
  std::filesystem::path folder;
  std::int64_t pictures = 0;
};

/// What one --input gives. Can be moved, not copied.
struct AnnotationSet {
  std::string format;                ///< "voc"
  std::string recognised_by;         ///< "train.txt lists ids that are files in ../../Annotations"
  std::vector<std::string> classes;  ///< boxes' class_id index into this; a set's own order
  /// Whether the classes are from a list, used or not; false: from the boxes and pictures.
  bool lists_classes = true;
  /// Whether labels hold places in that list, so that its order decides what they mean.
  bool classes_by_place = false;
  /// The format's own id of each class where it has one (COCO: category ids, ascending), else
  /// empty. -1: the file has no such class.
  std::vector<std::int64_t> class_ids;
  std::deque<Item> items;  ///< in label-file order; pictures whose labels could be read
  /// Unusable pictures (scope picture: unparsable line, NaN, unknown class, more than max_boxes
  /// boxes, refused path, missing file) and boxes (scope box) that the format itself shows to be
  /// bad.
  std::vector<Reject> rejects;
  std::vector<std::string> remarks;   ///< on what was read but may mean something else, with counts
  std::set<std::string> passed_over;  ///< what systems and notebooks leave beside files: ._1.jpg
  std::set<std::string> hidden;       ///< what was passed over in hidden folders: .git/1.jpg
  std::set<std::string> links_left;   ///< links to folders that were not followed, and why
  /// While it is read: the folders of items' own label files, from the input's, for
  /// settle_folder_splits().
  std::vector<std::string> label_folders;
  std::vector<LeftOutFolder> left_out;  ///< each told by a remark
  std::int64_t unlabelled = 0;          ///< pictures without the label that the format has for each
  std::int64_t boxes_found = 0;     ///< boxes in the label file, with those of rejected pictures
  std::int64_t boxes_rejected = 0;  ///< of these: rejected here, alone or with their picture
};

/// What the numbers of a box are, in formats that do not say. YOLO, Open Images and FiftyOne have
/// shares, Label Studio percents.
enum class Coordinates {
  automatic,  ///< pixels; a label file whose boxes lie within 0..1 is refused
  pixels,
  shares,  ///< of the picture's width and height
};

/// Of the splits that are stated, in whatever way: which are read. Pictures of the others are as if
/// none were stated, and a remark counts them. held_out: those that are neither train nor val.
enum class KeptSplits { all, held_out, none };
/// Whether pictures of this split keep it; those of none ("") do.
bool is_kept(KeptSplits kept, const std::string& split);

struct AnnotationOptions {
  std::string format = "auto";  ///< auto or a name of annotation_formats()
  /// Where pictures are looked for after the label file's own folder.
  std::vector<std::filesystem::path> roots = {};
  /// File with one class name per line: the classes and their order. Keras and bare YOLO lists need
  /// it; VOC and COCO then reject pictures with another class; data.yaml has names of its own and
  /// refuses it. Empty: none.
  std::filesystem::path classes = {};
  /// Pictures outside the label file's dataset folder and root may be read.
  bool allow_outside = false;
  std::int64_t max_boxes = 10000;                    ///< a picture with more is rejected
  Coordinates coordinates = Coordinates::automatic;  ///< change it when the message says so
  /// Names of folders (train/1.json), lists beside the pictures and words in a label file state
  /// splits. False: they do not, and are told; a data.yaml and its like do.
  bool splits_by_folders = true;
  KeptSplits kept_splits = KeptSplits::all;
  int voc_origin = 1;  ///< VOC: of the first pixel, 0 or 1; change it when the remark says so
  /// Folder where a compressed tar is unpacked once, and kept. Empty: such an archive is refused.
  std::filesystem::path unpacked = {};
};

/// Reads one label file or folder. Throws Error when it cannot be read as a whole (missing, no
/// known format: the message says what is wrong with the file that looks most like labels, or which
/// formats were tried; COCO JSON cut in half; no label file at all for a YOLO set). A tar or zip,
/// or "set.zip/train.txt", is read in place. Pictures must be in the dataset's folder (the label
/// file's own; for VOC the one that holds Annotations; for data.yaml its `path`), in a folder of
/// pictures near it or in a root. Names are checked after `..` is resolved, so no label file leads
/// elsewhere; a symbolic link inside the dataset is its owner's and may point anywhere. Every
/// Item::path is absolute and was a regular file when it was read.
AnnotationSet read_annotations(const std::filesystem::path& input,
                               const AnnotationOptions& options = {});

/// A label file, or a folder of labels, and the split that its name says: "train", "val", "test".
struct LabelPart {
  std::filesystem::path labels;
  std::string split;
};
struct LabelParts {
  std::vector<LabelPart> parts;      ///< none: the input is to be read as it is
  bool are_lists = false;            ///< of the pictures of one set, which may be read whole too
  std::vector<std::string> remarks;  ///< on what else it holds, where it has parts
  std::vector<LeftOutFolder> left_out{};  ///< each told by a remark, where it has parts
  std::vector<std::string> list_remarks;  ///< on lists of a set that are not taken
};
/// The parts of a folder or archive that holds one for each split, all of one format:
/// "train/_annotations.coco.json" and "valid/_annotations.coco.json"; of a Pascal VOC set its lists
/// in ImageSets/Main, where there is one of train, or of two splits in ImageSets or its own folder.
/// Throws Error as read_annotations() does where nothing in it is of a known format.
LabelParts label_parts(const std::filesystem::path& input, const AnnotationOptions& options = {});
/// The split that a folder is called after, alone ("val2017", "test_images"), or a label file in
/// any way ("instances_val2017.json"); empty: none, or two.
std::string split_called(const std::filesystem::path& labels);
/// The word in such a name that may stand for a split and is not taken for one: "dev", "eval",
/// "holdout". Empty: none.
std::string doubtful_split_called(const std::filesystem::path& labels);

/// What identifies a picture and leads to it: its path, with the member below it
/// ("/sets/train.tar/a/1.jpg", "/cifar/data_batch_1.bin/17").
std::string picture_path(const Item& item);
/// Where the bytes of such a path are. Throws Error (no_input) when there is no such file, member
/// or record. In a zip the offset is that of the member's header: PictureFiles reads it.
FileBytes find_picture(const std::string& path, const std::filesystem::path& unpacked = {});

/// The pictures in an archive, as Item::member names them; none where the file is not an archive.
/// path: an Item's. Throws Error when it cannot be read.
std::vector<std::string> pictures_in_archive(const std::string& path,
                                             const std::filesystem::path& unpacked = {});

/// Name and one-line description of each known format, for help texts.
struct AnnotationFormatInfo {
  std::string name, help;
};
std::vector<AnnotationFormatInfo> annotation_formats();

/// Boxes in pixels of the displayed width x height frame: de-normalises, rejects (zero area,
/// inverted, wholly outside) into `rejects` with scope box, clips overhang; `clipped` counts clips
/// above 1 px and 0.5 % of the side. Rules: docs/how-to/label-formats.md.
struct CheckedBoxes {
  std::vector<LabelBox> boxes;
  std::vector<Reject> rejects;
  std::vector<std::size_t> rejected;  ///< which object of the picture each of these was, from 1
  std::int64_t clipped = 0;
};
/// width, height: of the picture as decoded and EXIF-turned; orientation: the EXIF value (1..8)
/// already applied to them. Boxes that are meant before that turn are turned too. before_turn: of
/// an item that does not say so.
CheckedBoxes check_boxes(const Item& item, std::int32_t width, std::int32_t height,
                         std::int32_t orientation = 1, bool before_turn = false);

/// Whether the boxes are meant before the EXIF turn, as the size that the item states tells where
/// the turn swaps the sides of a picture that is not square. Empty: nothing does.
std::optional<bool> are_before_turn(const Item& item, std::int32_t width, std::int32_t height,
                                    std::int32_t orientation);

}  // namespace letterpress
