// YOLO: images/SPLIT and labels/SPLIT with a text file per picture, data.yaml above them
// (docs.ultralytics.com/datasets/detect: class cx cy w h, shares of the picture).
#include <cstdio>

#include "letterpress/base/file.h"
#include "preprocess/unpack/format.h"

namespace letterpress {
extern const UnpackFormat unpack_yolo;
namespace {
namespace fs = std::filesystem;

std::string yolo_folder(const std::string& split, const UnpackedPicture&, const Snapshot&) {
  return "images/" + split;
}

// Nine digits bring a float back as it was.
std::string line(const LabelBox& box, const UnpackedPicture& picture) {
  const double width = picture.width, height = picture.height;
  char text[128];
  std::snprintf(text, sizeof text, "%d %.9g %.9g %.9g %.9g\n", box.class_id,
                (double{box.x1} + box.x2) / 2 / width, (double{box.y1} + box.y2) / 2 / height,
                (double{box.x2} - box.x1) / width, (double{box.y2} - box.y1) / height);
  return text;
}

void write_pictures(const std::vector<UnpackedPicture>& pictures, const fs::path& labels) {
  fs::path made;
  for (const UnpackedPicture& picture : pictures) {
    std::string text;
    for (const LabelBox& box : picture.boxes) text += line(box, picture);
    const fs::path file = (labels / picture.name).replace_extension(".txt");
    if (file.parent_path() != made) make_folders(made = file.parent_path());
    write_new_file(file, text);
  }
}

// A double-quoted scalar, YAML 1.2, 7.3.1.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\x%02X",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    if (c == '"' || c == '\\') {
      result += std::string("\\") + c;
    } else {
      result += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? std::string(escape)
                                                                  : std::string(1, c);
    }
  }
  return result + "\"";
}

std::string names_text(const Snapshot& snapshot) {
  std::string text = "nc: " + std::to_string(snapshot.classes.size()) + "\nnames:\n";
  for (std::size_t i = 0; i < snapshot.classes.size(); ++i)
    text += "  " + std::to_string(i) + ": " + quoted(snapshot.classes[i]) + "\n";
  return text;
}

bool stands_in_data_yaml(const std::string& split) {
  return split == "train" || split == "val" || split == "test";
}

void write_yolo_labels(const UnpackedSet& set, const fs::path& folder, const fs::path& out,
                       UnpackReport& report) {
  std::map<std::string, fs::path> others;
  std::string standard;
  for (const auto& [split, pictures] : set.splits) {
    write_pictures(pictures, folder / "labels" / split);
    if (stands_in_data_yaml(split)) {
      standard += split + ": images/" + split + "\n";
    } else {
      write_new_file(folder / (split + ".yaml"),
                     "train: images/" + split + "\n" + names_text(set.snapshot));
      others[split] = out / (split + ".yaml");
    }
  }
  if (!standard.empty()) {
    write_new_file(folder / "data.yaml", standard + names_text(set.snapshot));
    report.build_flags = {"--input", (out / "data.yaml").string()};
    for (const auto& [split, file] : others)
      report.build_flags.insert(report.build_flags.end(), {"--split", split + "=" + file.string()});
  } else {
    add_split_flags(others, report);
  }
  note_lost_flags(set, report);
}

}  // namespace

constinit const UnpackFormat unpack_yolo{
    "yolo",
    "data.yaml, images/SPLIT and labels/SPLIT; no crowd or difficult flags, areas or image ids",
    true,
    false,
    yolo_folder,
    write_yolo_labels};

}  // namespace letterpress
