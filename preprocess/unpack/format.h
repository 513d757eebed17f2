#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "letterpress/base/box.h"
#include "letterpress/shards/store.h"
#include "preprocess/unpack/unpack_report.h"

namespace letterpress {

/// One picture on its way out.
struct UnpackedPicture {
  RowPlace row{};                      ///< its clean row
  std::string folder{};                ///< below `out`, as the format has it: "images/train"
  std::string name{};                  ///< below that folder, with its extension: "street/7.png"
  std::int32_t width = 0, height = 0;  ///< of the file
  int x = 0, y = 0;                    ///< where it begins in the row's frame
  std::vector<LabelBox> boxes{};       ///< pixels of the file, area too; class ids of the snapshot
  std::int32_t label = -1;
  std::int64_t image_id = -1;  ///< the labels' own (COCO), else -1

  std::string path() const { return folder + "/" + name; }
};

/// All that is unpacked. splits: their pictures in the reader's order.
struct UnpackedSet {
  const Snapshot& snapshot;
  std::map<std::string, std::vector<UnpackedPicture>> splits{};
};

/// One way to write a set. Its file holds everything about it and ends in this entry.
struct UnpackFormat {
  const char* name;
  const char* help;
  bool holds_boxes, holds_labels;
  /// Where a picture goes, below `out`.
  std::string (*folder)(const std::string& split, const UnpackedPicture& picture,
                        const Snapshot& snapshot);
  /// Writes the label files below `folder`; `out` is what it will be called in build_flags. Fills
  /// build_flags and losses.
  void (*write_labels)(const UnpackedSet& set, const std::filesystem::path& folder,
                       const std::filesystem::path& out, UnpackReport& report);
};
std::span<const UnpackFormat* const> unpack_entries();  ///< alphabetical

/// The flags that name label files of a set's splits: --input for train, --val for val, --split
/// NAME= for others. Without train, the first split is the --input, since a build needs one.
void add_split_flags(const std::map<std::string, std::filesystem::path>& labels,
                     UnpackReport& report);

/// Box flags of all pictures that a format without them loses.
void note_lost_flags(const UnpackedSet& set, UnpackReport& report);

/// A new file with this content. Throws Error (io).
void write_new_file(const std::filesystem::path& file, std::string_view content);

}  // namespace letterpress
