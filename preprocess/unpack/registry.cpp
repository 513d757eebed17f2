#include "letterpress/base/registry.h"

#include <array>

#include "letterpress/base/file.h"
#include "preprocess/unpack/format.h"
#include "preprocess/unpack/unpack.h"

namespace letterpress {

extern const UnpackFormat unpack_coco, unpack_folder, unpack_yolo;

namespace {

constexpr std::array entries{&unpack_coco, &unpack_folder, &unpack_yolo};

}  // namespace

std::span<const UnpackFormat* const> unpack_entries() { return entries; }

std::vector<EntryInfo> unpack_formats() { return infos_of(entries); }

void add_split_flags(const std::map<std::string, std::filesystem::path>& labels,
                     UnpackReport& report) {
  const std::string first = labels.contains("train") ? "train" : labels.begin()->first;
  report.build_flags.insert(report.build_flags.end(), {"--input", labels.at(first).string()});
  for (const auto& [split, file] : labels) {
    if (split == first) continue;
    if (split == "val") {
      report.build_flags.insert(report.build_flags.end(), {"--val", file.string()});
    } else {
      report.build_flags.insert(report.build_flags.end(), {"--split", split + "=" + file.string()});
    }
  }
}

void note_lost_flags(const UnpackedSet& set, UnpackReport& report) {
  std::int64_t crowds = 0, difficult = 0, areas = 0, ids = 0;
  for (const auto& [split, pictures] : set.splits) {
    for (const UnpackedPicture& picture : pictures) {
      ids += picture.image_id >= 0;
      for (const LabelBox& box : picture.boxes) {
        crowds += (box.flags & kCrowd) != 0;
        difficult += (box.flags & kDifficult) != 0;
        const float own = (box.x2 - box.x1) * (box.y2 - box.y1);
        areas += box.area < 0.999F * own || box.area > 1.001F * own;
      }
    }
  }
  const auto note = [&](std::int64_t n, const char* what) {
    if (n > 0) report.losses.push_back(std::to_string(n) + " " + what);
  };
  note(crowds, "crowd flags");
  note(difficult, "difficult flags");
  note(areas, "areas that the labels stated");
  note(ids, "image ids");
}

void write_new_file(const std::filesystem::path& file, std::string_view content) {
  File::create(file).write_at(0, std::as_bytes(std::span(content)));
}

}  // namespace letterpress
