// Label files of every format, and the tables of tar and zip archives. The bytes are one file of a
// small set whose other files and pictures are good.
#include <fstream>
#include <map>

#include "formats/annotations/files/archive.h"
#include "letterpress/annotations/annotations.h"
#include "letterpress/base/error.h"
#include "target.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kMostInflated = 1 << 20;  // of a member: what fuzzing has time for

struct LabelSet {
  const char* format;
  const char* input;                            // what read_annotations() is given
  const char* file;                             // which the bytes are
  std::map<std::string, std::string> others{};  // beside the pictures
};

const std::map<std::string, std::string> kYolo{
    {"data.yaml", "path: .\ntrain: [images]\nval: list.txt\nnames: {0: cat, 1: dog}\n"},
    {"list.txt", "images/2.jpg\n"},
    {"labels/1.txt", "0 0.5 0.5 0.25 0.25\n"}};

// By the name of the target.
const std::map<std::string, LabelSet>& sets() {
  static const std::map<std::string, LabelSet> all{
      {"labels-cifar", {"cifar", ".", "data_batch_1.bin"}},
      {"labels-cifar-classes",
       {"cifar",
        ".",
        "batches.meta.txt",
        {{"data_batch_1.bin", std::string(3073, 1)}, {"test_batch.bin", std::string(3073, 2)}}}},
      {"labels-coco", {"coco", "coco.json", "coco.json"}},
      {"labels-createml", {"createml", "_annotations.createml.json", "_annotations.createml.json"}},
      {"labels-csv", {"csv", "boxes.csv", "boxes.csv"}},
      {"labels-cvat", {"cvat", "annotations.xml", "annotations.xml"}},
      {"labels-darknet",
       {"yolo",
        "obj.data",
        "obj.data",
        {{"obj.names", "cat\ndog\n"}, {"train.txt", "1.jpg\n"}, {"1.txt", "0 0.5 0.5 0.2 0.2\n"}}}},
      {"labels-fiftyone", {"fiftyone", "labels.json", "labels.json"}},
      {"labels-huggingface",
       {"huggingface", "metadata.jsonl", "metadata.jsonl", {{"classes.txt", "cat\ndog\n"}}}},
      {"labels-keras", {"keras", "train.txt", "train.txt", {{"classes.txt", "cat\ndog\n"}}}},
      {"labels-kitti", {"kitti", ".", "label_2/1.txt"}},
      {"labels-label-studio", {"label-studio", "labels.json", "labels.json"}},
      {"labels-labelbox", {"labelbox", "export.ndjson", "export.ndjson"}},
      {"labels-labelme", {"labelme", ".", "1.json"}},
      {"labels-open-images",
       {"open-images",
        "set-annotations-bbox.csv",
        "set-annotations-bbox.csv",
        {{"class-descriptions-boxable.csv", "/m/1,cat\n/m/2,\"dog\"\n"}}}},
      {"labels-supervisely",
       {"supervisely", ".", "ann/1.jpg.json", {{"meta.json", R"({"classes":[]})"}}}},
      {"labels-via", {"via", "via.json", "via.json"}},
      {"labels-voc", {"voc", "Annotations", "Annotations/1.xml"}},
      {"labels-voc-lists",
       {"voc",
        "ImageSets/Main/train.txt",
        "ImageSets/Main/train.txt",
        {{"Annotations/1.xml", "<annotation><filename>1.jpg</filename></annotation>"}}}},
      {"labels-yolo", {"yolo", "data.yaml", "labels/1.txt", kYolo}},
      {"labels-yolo-data", {"yolo", "data.yaml", "data.yaml", kYolo}},
      {"labels-yolo-list", {"yolo", "data.yaml", "list.txt", kYolo}}};
  return all;
}

void write_text(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

void write_set(const fs::path& folder, const LabelSet& set) {
  for (const char* place : {"", "images/", "data/", "img/", "image_2/", "JPEGImages/"})
    for (const char* name : {"1.jpg", "2.jpg"})
      write_text(folder / (place + std::string(name)), "");
  write_text(folder / set.file, "");
  for (const auto& [name, text] : set.others)
    if (name != set.file) write_text(folder / name, text);
}

// What the header of read_annotations() promises of a set that could be read.
void check(const AnnotationSet& set) {
  std::int64_t kept = 0;
  for (const Item& item : set.items) {
    kept += static_cast<std::int64_t>(item.boxes.size());
    for (const LabelBox& box : item.boxes)
      if (static_cast<std::size_t>(box.class_id) >= set.classes.size())
        broken_promise("a box of a class that there is not");
    if (check_boxes(item, 64, 48, 6).boxes.size() > item.boxes.size())
      broken_promise("more boxes than before");
  }
  if (kept + set.boxes_rejected != set.boxes_found)
    broken_promise(std::to_string(set.boxes_found) + " boxes found, " + std::to_string(kept) +
                   " kept, " + std::to_string(set.boxes_rejected) + " rejected");
  for (const Reject& reject : set.rejects)
    if (reject.where.empty() || reject.what.empty() || reject.fix.empty())
      broken_promise("a reject without where, what or fix");
}

void read_labels(const LabelSet& set, const fs::path& folder, std::span<const std::byte> bytes) {
  write_bytes(folder / set.file, bytes);
  AnnotationOptions options{.format = set.format, .coordinates = Coordinates::pixels};
  if (set.others.contains("classes.txt")) options.classes = folder / "classes.txt";
  check(read_annotations(folder / set.input, options));
}

void check_name(const annotations::ArchiveMember& member) {
  if (member.name.starts_with("/") || ("/" + member.name + "/").find("/../") != std::string::npos)
    broken_promise("a member that leads outside: " + member.name);
}

void read_compressed_tar(const fs::path& folder, std::span<const std::byte> bytes) {
  const annotations::Archive archive(write_bytes(folder / "set.tar.gz", bytes),
                                     folder / "unpacked");
  for (const annotations::ArchiveMember& member : archive.members()) check_name(member);
}

void read_tar(const fs::path& folder, std::span<const std::byte> bytes) {
  const annotations::Archive archive(write_bytes(folder / "set.tar", bytes));
  const auto size = static_cast<std::int64_t>(bytes.size());
  for (const annotations::ArchiveMember& member : archive.members()) {
    check_name(member);
    if (!archive.in_place()) continue;
    if (member.offset < 0 || member.length < 0 || member.length > size - member.offset)
      broken_promise("a member outside the archive");
  }
}

void read_zip(const fs::path& folder, std::span<const std::byte> bytes) {
  std::vector<std::byte> whole{std::byte{'P'}, std::byte{'K'}, std::byte{3}, std::byte{4}};
  whole.insert(whole.end(), bytes.begin(), bytes.end());
  const annotations::Archive archive(write_bytes(folder / "set.zip", whole));
  for (const annotations::ArchiveMember& member : archive.members()) {
    check_name(member);
    if (member.length > kMostInflated) continue;
    try {
      std::vector<std::byte> content(static_cast<std::size_t>(member.length));
      archive.read(member, content);
    } catch (const Error&) {
    }
  }
}

}  // namespace

std::vector<FuzzTarget> labels_targets() {
  std::vector<FuzzTarget> targets{
      {"tar", read_tar}, {"tar-compressed", read_compressed_tar}, {"zip", read_zip}};
  for (const auto& [name, set] : sets()) {
    targets.push_back({name,
                       [&set](const fs::path& folder, std::span<const std::byte> bytes) {
                         read_labels(set, folder, bytes);
                       },
                       [&set](const fs::path& folder) { write_set(folder, set); }});
  }
  return targets;
}

}  // namespace letterpress
