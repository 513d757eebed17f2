#include "preprocess/unpack/unpack.h"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "preprocess/pipeline/threads.h"
#include "tests/preprocess/coco_set.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

struct CleanRow {
  std::string split, label;
  std::vector<LabelBox> boxes;
  std::vector<std::string> names;  // of the boxes' classes
  std::vector<std::uint8_t> image;
};

// By the picture's name without folder and extension.
std::map<std::string, CleanRow> clean_rows(const fs::path& folder) {
  const Store store = Store::open(folder);
  const SnapshotReader reader(store, store.latest().value());
  const std::vector<std::string>& classes = reader.snapshot().classes;
  std::map<std::string, CleanRow> rows;
  for (const LedgerEntry& entry : store.ledger(reader.snapshot().generation)) {
    if (entry.state != InputState::stored) continue;
    const RowRun& run = entry.rows.front();
    const ShardReader& shard = reader.shard(run.shard);
    CleanRow row{.split = entry.split, .label = {}, .boxes = {}, .names = {}, .image = {}};
    if (shard.label(run.row) >= 0)
      row.label = classes.at(static_cast<std::size_t>(shard.label(run.row)));
    row.boxes = shard.label_boxes(run.row);
    for (LabelBox& box : row.boxes)
      row.names.push_back(classes.at(static_cast<std::size_t>(std::exchange(box.class_id, 0))));
    row.image.resize(static_cast<std::size_t>(shard.image_bytes()));
    shard.read_images(run.row, 1, row.image.data());
    rows.emplace(fs::path(entry.name).stem().string(), std::move(row));
  }
  return rows;
}

UnpackReport unpack_quietly(const fs::path& folder, const UnpackOptions& options) {
  const Store store = Store::open(folder);
  const SnapshotReader reader(store, store.latest().value());
  BuildListener silent;
  return unpack(store, reader, options, silent, kNoStop);
}

// The build that the report proposes.
BuildOptions build_again(const UnpackReport& report, const fs::path& store) {
  BuildOptions options;
  options.store = store;
  options.max_rejects = 0;
  for (std::size_t i = 0; i + 1 < report.build_flags.size(); i += 2) {
    const std::string& flag = report.build_flags[i];
    const std::string& value = report.build_flags[i + 1];
    if (flag == "--input") options.inputs.emplace_back(value);
    if (flag == "--val") options.val = value;
    if (flag == "--size") options.side = std::stoi(value);
    if (flag == "--recipe") options.recipe = value;
    if (flag == "--views") options.views = std::stoi(value);
    if (flag == "--format") options.format = value;
    if (flag == "--classes") options.classes = value;
    if (flag == "--split")
      options.splits.push_back(
          {value.substr(0, value.find('=')), value.substr(value.find('=') + 1)});
  }
  return options;
}

void check_boxes_agree(const CleanRow& before, const CleanRow& after) {
  CHECK(before.split == after.split);
  CHECK(before.label == after.label);
  CHECK(before.names == after.names);
  REQUIRE(before.boxes.size() == after.boxes.size());
  for (std::size_t i = 0; i < before.boxes.size(); ++i) {
    const LabelBox &a = before.boxes[i], &b = after.boxes[i];
    for (const float off : {a.x1 - b.x1, a.y1 - b.y1, a.x2 - b.x2, a.y2 - b.y2})
      CHECK(std::abs(off) <= 0.5);
  }
}

// Pictures of many shapes, larger and smaller than the frame, in three splits.
BuildOptions many_shapes(DrawnSet& set, const std::string& recipe) {
  std::string train, val, more;
  int n = 0;
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{{80, 60},
                                                                      {60, 80},
                                                                      {64, 64},
                                                                      {333, 77},
                                                                      {77, 333},
                                                                      {20, 10},
                                                                      {5, 40},
                                                                      {641, 479},
                                                                      {127, 128},
                                                                      {65, 63},
                                                                      {200, 3},
                                                                      {99, 98},
                                                                      {98, 40},
                                                                      {40, 98}}) {
    const std::string name = "p" + std::to_string(n) + ".png";
    set.folder.write("in/" + name, drawn_png(n, width, height));
    const auto box = [&](double x1, double y1, double x2, double y2, int id) {
      const auto at = [](double share, int side) { return std::to_string(share * side); };
      return " " + at(x1, width) + "," + at(y1, height) + "," + at(x2, width) + "," +
             at(y2, height) + "," + std::to_string(id);
    };
    std::string& list = n % 4 == 3 ? val : n % 4 == 2 ? more : train;
    list += name + box(0, 0, 1, 1, n % 3) + box(0.11, 0.23, 0.57, 0.91, 1) +
            box(0.9, 0.7, 1, 0.8, 2) + "\n";
    ++n;
  }
  set.folder.write("in/none.png", drawn_png(99, 50, 50));
  set.folder.write("in/train.txt", train + "none.png\n");
  set.folder.write("in/val.txt", val);
  set.folder.write("in/more.txt", more);
  BuildOptions options = set.options();
  options.inputs = {set.folder / "in/train.txt"};
  options.val = (set.folder / "in/val.txt").string();
  options.splits = {{"more", set.folder / "in/more.txt"}};
  options.recipe = recipe;
  options.views = -1;
  return options;
}

}  // namespace

TEST_CASE(
    "a store that is unpacked and built again has every box within half a pixel, with any "
    "letterbox, as COCO and as YOLO") {
  for (const char* letterbox : {"scale = \"fit\"\nrounding = \"nearest\"\nplace = \"centre\"",
                                "scale = \"shrink\"\nplace = \"top_left\"",
                                "rounding = \"truncate\"", "resize = \"cubic\""}) {
    for (const char* format : {"coco", "yolo"}) {
      for (const bool jpeg : {false, true}) {
        CAPTURE(letterbox);
        CAPTURE(format);
        CAPTURE(jpeg);
        DrawnSet set;
        const auto recipe =
            set.folder.write("r.toml", std::string("[letterbox]\n") + letterbox + "\n");
        const BuildOptions options = many_shapes(set, recipe.string());
        build_quietly(options);
        const UnpackReport report = unpack_quietly(
            options.store, {.out = set.folder / "out", .to = format, .split = {}, .jpeg = jpeg});
        CHECK(report.pictures == 15);
        CHECK(report.boxes == 42);
        CHECK(report.pictures_per_split ==
              std::map<std::string, std::int64_t>{{"more", 3}, {"train", 9}, {"val", 3}});
        const BuildReport again = build_quietly(build_again(report, set.folder / "again"));
        CHECK(again.accounting.pictures_stored == 15);
        CHECK(again.accounting.pictures_background == 1);
        const auto before = clean_rows(options.store), after = clean_rows(set.folder / "again");
        REQUIRE(before.size() == after.size());
        for (const auto& [name, row] : before) {
          CAPTURE(name);
          REQUIRE(after.contains(name));
          check_boxes_agree(row, after.at(name));
          if (!jpeg && std::string(letterbox).find("truncate") == std::string::npos)
            CHECK(row.image == after.at(name).image);
        }
      }
    }
  }
}

TEST_CASE(
    "COCO keeps crowd and difficult flags, areas and the labels' own ids; YOLO says what it "
    "loses") {
  DrawnSet set;
  const BuildOptions options = coco_set(set, R"("difficult":1)");
  build_quietly(options);
  const UnpackReport coco =
      unpack_quietly(options.store, {.out = set.folder / "coco", .to = "coco", .split = {}});
  CHECK(coco.losses.empty());
  const auto json = nlohmann::json::parse(file_text(set.folder / "coco/train.json"));
  CHECK(json.at("images").at(0).at("id") == 4711);
  CHECK(json.at("images").at(0).at("file_name") == "images/train/p0.png");
  CHECK(json.at("images").at(0).at("width") == 64);
  CHECK(json.at("images").at(0).at("height") == 48);
  const auto& crowd = json.at("annotations").at(0);
  CHECK(crowd.at("category_id") == 90);
  CHECK(crowd.at("iscrowd") == 1);
  // 80 x 60 became 64 x 48, so areas shrink by 0.64.
  CHECK(crowd.at("area").get<double>() == doctest::Approx(123.5 * 0.64));
  CHECK(crowd.at("bbox").at(2).get<double>() == doctest::Approx(16));
  build_quietly(build_again(coco, set.folder / "again"));
  const CleanRow row = clean_rows(set.folder / "again").at("p0");
  REQUIRE(row.boxes.size() == 2);
  CHECK(row.boxes[0].flags == kCrowd);
  CHECK(row.boxes[1].flags == kDifficult);
  const UnpackReport yolo =
      unpack_quietly(options.store, {.out = set.folder / "yolo", .to = "yolo", .split = {}});
  CHECK(yolo.losses == std::vector<std::string>{"1 crowd flags", "1 difficult flags",
                                                "1 areas that the labels stated", "1 image ids"});
}

TEST_CASE("a store of class folders is unpacked to class folders with splits and names") {
  DrawnSet set;
  for (int i = 0; i < 6; ++i) {
    const std::string folder = i < 4 ? "set/train/" : "set/val/";
    set.folder.write(folder + (i % 2 ? "cat/" : "a dog/") + std::to_string(i) + ".png",
                     drawn_png(i));
  }
  BuildOptions options = set.options_of("set");
  options.classes = set.folder.write("names.txt", "cat\nbird\na dog\n");
  build_quietly(options);
  const UnpackReport report =
      unpack_quietly(options.store, {.out = set.folder / "out", .to = "folder", .split = {}});
  CHECK(report.pictures == 6);
  CHECK(file_text(set.folder / "out/classes.txt") == "cat\nbird\na dog\n");
  CHECK(fs::exists(set.folder / "out/train/a dog/2.png"));
  CHECK(fs::exists(set.folder / "out/val/cat/5.png"));
  build_quietly(build_again(report, set.folder / "again"));
  const auto before = clean_rows(options.store), after = clean_rows(set.folder / "again");
  REQUIRE(before.size() == 6);
  for (const auto& [name, row] : before) check_boxes_agree(row, after.at(name));
}

TEST_CASE("the same files come from any number of threads") {
  DrawnSet set;
  const BuildOptions options = many_shapes(set, "none");
  build_quietly(options);
  std::map<std::string, std::string> first;
  for (const int threads : {1, 2, 7}) {
    CAPTURE(threads);
    const fs::path out = set.folder / ("out" + std::to_string(threads));
    with_threads(threads,
                 [&] { unpack_quietly(options.store, {.out = out, .to = "yolo", .split = {}}); });
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(out)) {
      if (entry.is_regular_file())
        files[fs::relative(entry.path(), out).string()] = file_text(entry.path());
    }
    CHECK(files.size() == 2 * 15 + 2);
    if (first.empty()) first = files;
    CHECK(files == first);
  }
}

TEST_CASE(
    "unpacking never replaces anything, never leaves half a set, and says what a format cannot "
    "hold") {
  DrawnSet set;
  set.pictures(2);
  const BuildOptions options = set.options();
  build_quietly(options);
  const auto message = [&](const UnpackOptions& wish) {
    return message_of([&] { unpack_quietly(options.store, wish); });
  };
  set.folder.write("full/file", "");
  CHECK(message({.out = set.folder / "full", .to = "coco", .split = {}}) ==
        "73 --out " + (set.folder / "full").string() +
            ": is there and not empty; name a new folder");
  CHECK(
      message({.out = options.store / "out", .to = "coco", .split = {}}).find("is in the store") !=
      std::string::npos);
  CHECK(message({.out = set.folder / "out", .to = "voc", .split = {}})
            .starts_with("64 unknown format 'voc'"));
  CHECK(message({.out = set.folder / "out", .to = "folder", .split = {}}) ==
        "78 --to folder: cannot hold 3 boxes; pass --to coco or --to yolo");
  CHECK(message({.out = set.folder / "out", .to = "coco", .split = "none"}).find("none") !=
        std::string::npos);
  CHECK_FALSE(fs::exists(set.folder / "out"));
  const std::string unfinished = (set.folder / "out.unfinished").string();
  CHECK_FALSE(fs::exists(unfinished));
  set.folder.write("out.unfinished/notes.txt", "");  // nothing that unpack leaves
  CHECK(message({.out = set.folder / "out", .to = "coco", .split = {}})
            .starts_with("73 " + unfinished + ": is there, from an unpack"));
}

}  // namespace letterpress
