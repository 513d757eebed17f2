// Sets of YOLO below a folder whose classes are named, and files there that describe none.
#include "exports.h"
#include "samples.h"

namespace letterpress {
namespace {

constexpr const char* kBoxOfSet = "0 .5 .5 .25 .5\n";

void write_six(const TempDir& dir, const std::string& folder) {
  for (const char i : {'0', '1', '2', '3', '4', '5'}) {
    write_pictures(dir, {folder + "/img" + i + ".jpg"});
    dir.write(folder + "/img" + i + ".txt", kBoxOfSet);
  }
}

}  // namespace

TEST_CASE("where classes are named, a set below is read in place of all only for its splits") {
  TempDir dir;
  write_six(dir, "in/a");
  write_pictures(dir, {"in/b/more.jpg"});
  dir.write("in/b/more.txt", kBoxOfSet);
  const AnnotationOptions options{.classes = dir.write("names.txt", "dog\n")};
  const auto all = [&](const AnnotationOptions& given) {
    return read_annotations(dir / "in", given).items.size() == 7;
  };
  const auto notes = dir.write("in/a/notes.json", R"({"categories": [{"id": 0, "name": "dog"}]})");
  CHECK(all(options));
  dir.write("in/b/_darknet.labels", "dog\n");
  CHECK(all(options));
  const auto names = dir.write("in/classes.txt", "dog\n");
  CHECK(all({}));
  std::filesystem::remove(names);
  CHECK_CONTAINS(failure_of(dir / "in").message, "holds 2 sets of YOLO");
  std::filesystem::remove(notes);
  dir.write("in/a/data.yaml", "names: [dog]\ntrain: .\nval: .\n");
  CHECK_CONTAINS(failure_of(dir / "in", options).message, "in/a/data.yaml:1: has names of its own");
  CHECK(all({.classes = options.classes, .splits_by_folders = false}));
}

TEST_CASE("a folder of configurations without pictures is not the set, and is told") {
  TempDir dir;
  write_six(dir, "in/a");
  const std::string yaml =
      dir.write("in/configs/coco.yaml", "names: [cat]\npath: ../coco\ntrain: train\n").string();
  const AnnotationSet set =
      read_annotations(dir / "in", {.classes = dir.write("names.txt", "dog\n")});
  CHECK(set.items.size() == 6);
  CHECK(set.classes == std::vector<std::string>{"dog"});
  CHECK_CONTAINS(remarks_of(set), yaml + " states splits and is not read");
}

}  // namespace letterpress
