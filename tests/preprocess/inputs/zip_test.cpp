// An export as people download it, a .zip, is built as its folder is.
#include <doctest/doctest.h>

#include <cstdlib>

#include "letterpress/shards/unpacked_folder.h"
#include "preprocess/inputs/unpacked_folder.h"
#include "preprocess/upkeep/garbage.h"
#include "tests/contains.h"
#include "tests/preprocess/drawn_set.h"
#include "tests/zipped.h"

namespace letterpress {
namespace {

// Roboflow's layout for YOLO without a test folder: eight pictures, six of them to train on.
void write_export(const DrawnSet& set) {
  set.folder.write("set/data.yaml",
                   "train: ../train/images\nval: ../valid/images\ntest: ../test/images\n\nnc: 2\n"
                   "names: ['cat', 'dog']\n");
  set.folder.write("set/README.roboflow.txt", "eight pictures\n");
  for (int i = 0; i < 8; ++i) {
    const std::string split = i < 6 ? "set/train/" : "set/valid/";
    const std::string name = "p" + std::to_string(i);
    set.picture(split + "images/" + name + ".png", i);
    set.folder.write(split + "labels/" + name + ".txt",
                     std::to_string(i % 2) + " 0.5 0.5 0.25 0.5\n1 0.25 0.25 0.125 0.125\n");
  }
}

// By Python's zipfile, deflated.
void pack_zip(const DrawnSet& set) {
  const std::string command = "cd '" + (set.folder / "set").string() +
                              "' && /usr/bin/python3 -m zipfile -c ../set.zip README.roboflow.txt "
                              "data.yaml train valid";
  REQUIRE(std::system(command.c_str()) == 0);
}

BuildOptions export_options(const DrawnSet& set, const std::string& input, const std::string& store,
                            int threads) {
  BuildOptions options = set.options_of(input, store);
  options.threads = threads;
  return options;
}

}  // namespace

TEST_CASE(
    "a Roboflow export as .zip gives the rows of its folder, by one thread and by three, and again "
    "nothing new") {
  DrawnSet set;
  write_export(set);
  pack_zip(set);
  const BuildReport folder = build_quietly(export_options(set, "set/data.yaml", "folder", 2));
  for (const int threads : {1, 3}) {
    CAPTURE(threads);
    const BuildOptions options =
        export_options(set, "set.zip", "zip-" + std::to_string(threads), threads);
    const BuildReport zip = build_quietly(options);
    CHECK(zip.accounting.pictures_stored == 8);
    CHECK(zip.pictures_per_split == std::map<std::string, std::int64_t>{{"train", 6}, {"val", 2}});
    CHECK(zip.pictures_per_split == folder.pictures_per_split);
    CHECK(row_text(options.store) == row_text(set.folder / "folder"));
    CHECK_FALSE(build_quietly(options).published);
  }
}

TEST_CASE(
    "a .tar.gz gives the rows of its folder; its tar is in the store's cache, may go, and a dry "
    "run "
    "leaves none") {
  DrawnSet set;
  write_export(set);
  const std::string command = "tar -C '" + (set.folder / "set").string() + "' -czf '" +
                              (set.folder / "set.tar.gz").string() + "' .";
  REQUIRE(std::system(command.c_str()) == 0);
  build_quietly(export_options(set, "set/data.yaml", "folder", 2));
  BuildOptions options = export_options(set, "set.tar.gz", "store", 2);
  options.dry_run = true;
  CHECK(build_quietly(options).estimate.value().pictures_tried > 0);
  CHECK_FALSE(std::filesystem::exists(options.store));
  CHECK_FALSE(std::filesystem::exists(unpacked_folder(options)));
  options.dry_run = false;
  CHECK(build_quietly(options).accounting.pictures_stored == 8);
  CHECK(row_text(options.store) == row_text(set.folder / "folder"));
  CHECK(std::filesystem::exists(unpacked_folder(options.store)));
  std::filesystem::remove_all(options.store / "cache");
  CHECK_FALSE(build_quietly(options).published);
  CHECK(collect_garbage(Store::open(options.store), {}).unpacked.size() == 1);
  CHECK(collect_garbage(Store::open(options.store), {}).unpacked.empty());
  CHECK_FALSE(build_quietly(options).published);
}

TEST_CASE("a picture of a .zip whose bytes do not match its CRC-32 is rejected, by name") {
  DrawnSet set;
  write_export(set);
  std::vector<std::pair<std::string, std::string>> files;
  for (const char* name :
       {"data.yaml", "train/images/p0.png", "train/images/p1.png", "train/labels/p0.txt",
        "train/labels/p1.txt", "valid/images/p6.png", "valid/labels/p6.txt"})
    files.emplace_back(name, file_text(set.folder / "set" / name));
  std::string zip = zipped(files);
  zip[zip.find(files[2].second) + files[2].second.size() / 2] ^= 1;
  set.folder.write("set.zip", zip);
  BuildOptions options = export_options(set, "set.zip", "store", 2);
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.pictures_stored == 2);
  CHECK(report.accounting.pictures_rejected == 1);
  CHECK_CONTAINS(file_text(options.store / "quarantine.jsonl"),
                 "set.zip: not a readable zip archive: entry 'train/images/p1.png' does not match "
                 "its CRC-32; the file was cut or damaged, copy it again");
  options.max_rejects = 0.01;
  options.store = set.folder / "guarded";
  CHECK_CONTAINS(message_of([&] { build_quietly(options); }), "65 1 of 3 pictures");
}

TEST_CASE("a picture that has changed in a .zip gets new rows") {
  DrawnSet set;
  write_export(set);
  pack_zip(set);
  const BuildOptions options = export_options(set, "set.zip", "store", 2);
  build_quietly(options);
  set.picture("set/train/images/p0.png", 40);
  pack_zip(set);
  const BuildReport report = build_quietly(options);
  CHECK(report.published);
  CHECK(report.accounting.pictures_stored == 8);
}

}  // namespace letterpress
