// CIFAR-10's binary version: data_batch_1.bin ... data_batch_5.bin and test_batch.bin, class names
// in batches.meta.txt (cifar.h).
#include "cifar.h"

#include <algorithm>
#include <array>
#include <optional>

#include "formats/annotations/files/archive.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"
#include "formats/annotations/shared/format.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {
extern const AnnotationFormat cifar;
namespace {
namespace fs = std::filesystem;

int label_of(char byte) { return static_cast<unsigned char>(byte); }

bool is_train_batch(std::string_view name) {
  return name.starts_with("data_batch_") && name.ends_with(".bin");
}
bool is_test_batch(std::string_view name) { return name == "test_batch.bin"; }

// The batches of a folder, by name.
std::vector<std::string> batches_in(const FileTree& files, const fs::path& folder) {
  if (!files.holds_file(folder, ".bin")) return {};
  std::vector<std::string> names = files.files_below(folder, ".bin");
  std::erase_if(
      names, [](const std::string& name) { return !is_train_batch(name) && !is_test_batch(name); });
  return names;
}

// The first label that none of the ten classes has, by its record.
std::optional<std::int64_t> wrong_label(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kCifarRecord) {
    if (label_of(bytes[at]) >= kCifarClasses) return static_cast<std::int64_t>(at) / kCifarRecord;
  }
  return std::nullopt;
}

Recognition recognise_cifar(const Input& input, const AnnotationOptions&) {
  if (input.is_folder) {
    const std::vector<std::string> names = batches_in(input.files, input.path);
    if (names.empty()) return {false, "a folder without data_batch_*.bin or test_batch.bin"};
    return {true, counted(static_cast<std::int64_t>(names.size()), "batch", "batches") +
                      " of CIFAR-10, the first is " + names.front()};
  }
  if (input.path.extension() != ".bin") return {false, "its name does not end in .bin"};
  if (input.is_whole && input.head.size() < kCifarRecord)
    return {false, "shorter than one record of 3,073 bytes"};
  if (const auto record = wrong_label(input.head)) {
    const int label = label_of(input.head[static_cast<std::size_t>(*record * kCifarRecord)]);
    return {false, "record " + std::to_string(*record) + " of 3,073 bytes begins with " +
                       std::to_string(label) + ", must be a label 0..9"};
  }
  return {true, "records of 3,073 bytes that begin with a label 0..9"};
}

class CifarReader {
 public:
  CifarReader(const FileTree& files, const AnnotationOptions& options, AnnotationSet& set)
      : files_(files), options_(options), set_(set) {}

  // folder: of the batches.
  void set_classes(const fs::path& folder) {
    set_.classes_by_place = true;
    const fs::path meta = folder / "batches.meta.txt";
    if (!options_.classes.empty()) {
      take_classes(options_.classes);
    } else if (files_.file_fault(meta.string()).empty()) {
      take_classes(meta);
    } else {
      set_.classes = {"airplane", "automobile", "bird",  "cat",  "deer",
                      "dog",      "frog",       "horse", "ship", "truck"};
    }
  }

  void read_batch(const fs::path& file) {
    if (files_.archive() && !files_.archive()->in_place()) {
      throw Error({.where = file.string(),
                   .what = "is in a zip archive, and pictures of a batch are read in place",
                   .fix = "unzip it, and name the folder"});
    }
    const std::string bytes = files_.read_text(file);
    const auto size = static_cast<std::int64_t>(bytes.size());
    if (size == 0 || size % kCifarRecord != 0) {
      throw Error({.where = file.string(),
                   .what = "holds " + counted(size, "byte", "bytes") + ", must be a multiple of " +
                           std::to_string(kCifarRecord),
                   .fix = "it is cut short, or not a binary version of CIFAR-10: fetch it again"});
    }
    const std::string name = file.filename().string();
    const std::string split = is_train_batch(name) ? "train" : is_test_batch(name) ? "test" : "";
    for (std::int64_t i = 0; i < size / kCifarRecord; ++i) {
      const int label = label_of(bytes[static_cast<std::size_t>(i * kCifarRecord)]);
      Item item{.path = file.string(), .member = std::to_string(i)};
      item.name = name + "/" + item.member;
      item.where = printable(file.string(), 1000) + ", record " + item.member;
      item.offset = i * kCifarRecord;
      item.length = kCifarRecord;
      item.label = label;
      item.split = split;
      if (label < kCifarClasses) {
        add_picture(set_, std::move(item));
      } else {
        const std::string what = "has label " + std::to_string(label) + ", must be 0..9";
        reject_picture(set_, of_picture({item.where, what, "fetch the file again"}, item), 0);
      }
    }
  }

 private:
  void take_classes(const fs::path& file) {
    set_.classes = read_class_names(files_, file);
    if (set_.classes.size() == kCifarClasses) return;
    throw Error(
        {.where = file.string(),
         .what = "names " +
                 counted(static_cast<std::int64_t>(set_.classes.size()), "class", "classes") +
                 ", CIFAR-10 has 10",
         .fix = "name all ten in the order of their labels"});
  }

  FileTree files_;
  const AnnotationOptions& options_;
  AnnotationSet& set_;
};

void read_cifar(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  const fs::path path = input.files.archive() ? input.path : fs::weakly_canonical(input.path);
  CifarReader reader(input.files, options, set);
  reader.set_classes(input.is_folder ? path : folder_of(path));
  if (!input.is_folder) return reader.read_batch(path);
  for (const std::string& name : batches_in(input.files, path)) reader.read_batch(path / name);
}

}  // namespace

constinit const AnnotationFormat cifar{"cifar",
                                       "CIFAR-10's binary version: a batch, or the folder of "
                                       "data_batch_*.bin and test_batch.bin (a label, no boxes)",
                                       recognise_cifar, read_cifar};

}  // namespace letterpress::annotations
