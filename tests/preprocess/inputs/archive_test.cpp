// Sets in a tar archive are built again as sets in folders are.
#include <doctest/doctest.h>

#include <cstdlib>

#include "letterpress/annotations/annotations.h"
#include "letterpress/annotations/picture_files.h"
#include "preprocess/inputs/examine.h"
#include "tests/contains.h"
#include "tests/locations.h"
#include "tests/preprocess/drawn_set.h"
#include "tests/zipped.h"

namespace letterpress {
namespace {

// Six pictures in two folders as CSV, the last one without a box; packed by GNU tar.
void write_csv(const DrawnSet& set, int unlabelled) {
  std::string rows;
  for (int i = 0; i < 6; ++i) {
    const std::string name = (i < 3 ? "a/" : "b/") + std::to_string(i) + ".png";
    rows += name + (i < unlabelled ? ",10,10,40,30,cat\n" : ",,,,,\n");
  }
  set.folder.write("set/boxes.csv", rows);
}

void pack(const DrawnSet& set) {
  const std::string command = "tar -C '" + (set.folder / "set").string() + "' -cf '" +
                              (set.folder / "set.tar").string() + "' .";
  REQUIRE(std::system(command.c_str()) == 0);
}

BuildOptions archive_options(DrawnSet& set) {
  for (int i = 0; i < 6; ++i)
    set.picture("set/" + std::string(i < 3 ? "a/" : "b/") + std::to_string(i) + ".png", i);
  write_csv(set, 5);
  pack(set);
  BuildOptions options = set.options_of("set.tar/boxes.csv");
  options.max_removed = 0.05;
  return options;
}

}  // namespace

TEST_CASE(
    "building a tar with a background picture again is a no-op, and boxes that vanish from it are "
    "guarded") {
  DrawnSet set;
  const BuildOptions options = archive_options(set);
  const BuildReport first = build_quietly(options);
  CHECK(first.accounting.pictures_stored == 6);
  CHECK(first.accounting.pictures_background == 1);
  CHECK_FALSE(build_quietly(options).published);
  write_csv(set, 4);
  pack(set);
  const std::string message = message_of([&] { build_quietly(options); });
  CHECK(message.starts_with(
      "65 1 of the 5 labelled pictures of snapshot 1 have no box any more (20%)"));
}

TEST_CASE(
    "--val takes a label file in a tar, from any folder that the next build is started in, and "
    "says what the tar lacks") {
  DrawnSet set;
  BuildOptions options = archive_options(set);
  set.folder.write("set/val.csv", "b/4.png,10,10,40,30,cat\n");
  pack(set);
  options.val = (set.folder / "set.tar/val.csv").string();
  CHECK(build_quietly(options).pictures_per_split ==
        std::map<std::string, std::int64_t>{{"train", 5}, {"val", 1}});
  options.val = (set.folder / "set.tar/none.csv").string();
  CHECK(message_of([&] {
          build_quietly(options);
        }).find("none.csv: the archive has no such file") != std::string::npos);
  options.val = (set.folder / "none.tar/val.csv").string();
  CHECK(message_of([&] { build_quietly(options); }) ==
        "66 --val " + options.val + ": there is no such file or folder (is a mount missing?)");
}

TEST_CASE("pictures in an archive that no label file names are counted, as those in folders are") {
  for (const std::string archive : {"set.tar", "set.tar.gz", "set.zip"}) {
    CAPTURE(archive);
    DrawnSet set;
    BuildOptions options = archive_options(set);
    set.picture("set/a/9.png", 9);
    set.picture("set/a/0.webp", 9);  // may be the mask of 0.png
    set.picture("set/c/8.png", 8);   // beside no picture that is named
    set.picture("set/a/._1.png", 7);
    const std::string command = "cd '" + (set.folder / "set").string() + "' && " +
                                (archive == "set.zip" ? "python3 -m zipfile -c ../set.zip *"
                                                      : "tar -caf ../" + archive + " .");
    REQUIRE(std::system(command.c_str()) == 0);
    options.inputs = {set.folder / archive / "boxes.csv"};
    std::string said;
    for (const std::string& line : build_quietly(options).recognised) said += line + "\n";
    CHECK_CONTAINS(said,
                   "pictures beside these that none of the label files read names: 1, such as ");
    CHECK_CONTAINS(said, "/a/9.png; they are not read\n");
    options.max_unlabelled = 0.1;
    CHECK_CONTAINS(
        message_of([&] { build_quietly(options); }),
        "have no label file or annotation among those read, --max-unlabelled allows 10%");
    options.max_unlabelled = 0.15;  // 1 of 7
    CHECK(message_of([&] { build_quietly(options); }) == "no error");
  }
}

TEST_CASE("--group folder goes by the folders within a tar") {
  DrawnSet set;
  BuildOptions options = archive_options(set);
  options.group = "folder";
  options.val = "0.5";
  bool apart = false;
  std::string folder = "a";
  // Where a folder falls is up to its name's hash; that pictures of one folder stay together is
  // not.
  for (const char* prefix : {"a", "c", "d", "e", "f", "g", "h"}) {
    if (folder != prefix)
      std::filesystem::rename(set.folder / "set" / folder, set.folder / "set" / prefix);
    folder = prefix;
    std::string rows;
    for (int i = 0; i < 6; ++i)
      rows += (i < 3 ? folder : "b") + "/" + std::to_string(i) + ".png,10,10,40,30,cat\n";
    set.folder.write("set/boxes.csv", rows);
    pack(set);
    options.store = set.folder / ("store-" + folder);
    std::map<std::string, std::int64_t> splits;
    const std::string refused =
        message_of([&] { splits = build_quietly(options).pictures_per_split; });
    if (refused.find("no picture to train on: --val 0.5 has taken all of them, which --group puts "
                     "in too few groups") != std::string::npos)
      continue;
    CHECK_FALSE(splits.empty());
    CAPTURE(prefix);
    CHECK((splits["val"] == 0 || splits["val"] == 3 || splits["val"] == 6));
    apart = apart || splits["val"] == 3;
  }
  CHECK(apart);
}

TEST_CASE("the ledger's path of a picture in a tar names the member, and leads to its bytes") {
  DrawnSet set;
  const BuildOptions options = archive_options(set);
  build_quietly(options);
  const std::string tar = std::filesystem::canonical(set.folder / "set.tar").string();
  for (const LedgerEntry& entry : Store::open(options.store).ledger(1)) {
    CHECK(entry.path == tar + "/" + entry.name);
    const FileBytes place = find_picture(entry.path);
    std::vector<std::byte> bytes;
    PictureFiles().read(place.path, place.offset, place.length, bytes);
    CHECK(hash128(bytes) == entry.picture_hash);
  }
}

TEST_CASE("an archive that could not be opened is opened when it can be") {
  const TempDir dir;
  const std::string archive = (dir / "set.zip").string();
  const PictureFiles files;
  std::vector<std::byte> bytes;
  for (int tried = 0; tried < 2; ++tried)
    CHECK_THROWS_WITH_AS(files.read(archive, 1, 2, bytes), doctest::Contains("set.zip"), Error);
  const std::vector<std::pair<std::string, std::string>> members{{"a.jpg", "picture"}};
  dir.write("set.zip", zipped(members));
  CHECK_THROWS_WITH_AS(files.read(archive, 1, 2, bytes),
                       doctest::Contains("is not in the archive where it was"), Error);
}

TEST_CASE("only files, and members of a tar, of more than 16 MiB are read in parts") {
  const DrawnSet set;
  std::string large(std::size_t{17} << 20, 'a');
  large.back() = 'z';
  const std::string small = large.substr(0, kFileReadWhole);
  set.folder.write("set/large.jpg", large);
  set.folder.write("set/small.jpg", small);
  pack(set);
  const std::vector<std::pair<std::string, std::string>> members{{"large.jpg", large}};
  set.folder.write("set.zip", zipped(members));
  const PictureFiles files;
  const auto open = [&](const std::string& path) {
    const FileBytes place = find_picture((set.folder / path).string());
    return open_large(files, place.path, place.offset, place.length);
  };
  for (const char* path : {"set/large.jpg", "set.tar/large.jpg"}) {
    CAPTURE(path);
    std::optional<PictureFile> picture = open(path);
    REQUIRE(picture);
    CHECK(picture->size() == large.size());
    CHECK(picture->hash() == hash128(std::as_bytes(std::span(large))));
  }
  CHECK_FALSE(open("set/small.jpg"));
  CHECK_FALSE(open("set.tar/small.jpg"));
  CHECK_FALSE(open("set.zip/large.jpg"));
  CHECK_FALSE(open_large(files, set.folder.path().string(), 0, -1));
  CHECK_FALSE(open_large(files, (set.folder / "none.jpg").string(), 0, -1));
}

TEST_CASE(
    "CIFAR-10's batches are stored with the pixels that numpy reads, from a folder and from a "
    "tar") {
  const std::filesystem::path golden =
      std::filesystem::path(LETTERPRESS_SOURCE_DIR) / "tests/golden/annotations/cifar";
  const std::string pixels = file_text(golden / "pixels.rgb");
  for (const char* input : {"", "cifar-10.tar"}) {
    DrawnSet set;
    BuildOptions options = set.options();
    options.classes.clear();
    options.inputs = {golden / input};
    options.side = 32;
    options.recipe = "none";
    options.views = 0;
    const BuildReport report = build_quietly(options);
    CHECK(report.pictures_per_split ==
          std::map<std::string, std::int64_t>{{"test", 1}, {"train", 2}});
    const Store store = Store::open(options.store);
    const SnapshotReader reader(store, store.latest().value());
    const std::vector<std::string> labels{"truck", "airplane", "cat"};
    const std::vector<LedgerEntry> ledger = store.ledger(1);
    for (std::size_t i = 0; i < 3; ++i) {
      const RowRun& run = ledger[i].rows.front();
      const ShardReader& shard = reader.shard(run.shard);
      std::string image(3072, 0);
      shard.read_images(run.row, 1, reinterpret_cast<std::uint8_t*>(image.data()));
      CHECK(image == pixels.substr(3072 * i, 3072));
      CHECK(reader.snapshot().classes.at(static_cast<std::size_t>(shard.label(run.row))) ==
            labels[i]);
    }
    CHECK_FALSE(build_quietly(options).published);
  }
}

}  // namespace letterpress
