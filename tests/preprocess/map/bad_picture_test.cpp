// Every bad picture that a run must survive: it goes on, and the reject names the line, what was
// got and how to fix it.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>

#include "preprocess/pipeline/build.h"
#include "tests/preprocess/drawn_jpeg.h"
#include "tests/preprocess/trial.h"

namespace letterpress {
namespace {

std::function<void(DrawnSet&)> second_line(const std::string& line) {
  return [line](DrawnSet& set) { set.list("train.txt", DrawnSet::line(0) + line + "\n"); };
}

// The first 33 bytes of a PNG: its header says width x height. The checksum is that of these very
// bytes.
std::string png_header(std::uint32_t width, std::uint32_t height) {
  std::string text = drawn_png(1).substr(0, 33);
  for (int i = 0; i < 4; ++i) {
    text[static_cast<std::size_t>(16 + i)] = static_cast<char>(width >> (24 - 8 * i) & 0xff);
    text[static_cast<std::size_t>(20 + i)] = static_cast<char>(height >> (24 - 8 * i) & 0xff);
  }
  std::uint32_t crc = 0xffffffff;
  for (std::size_t i = 12; i < 29; ++i) {
    crc ^= static_cast<unsigned char>(text[i]);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  crc = ~crc;
  for (int i = 0; i < 4; ++i)
    text[static_cast<std::size_t>(29 + i)] = static_cast<char>(crc >> (24 - 8 * i) & 0xff);
  return text;
}

}  // namespace

TEST_CASE("a missing picture is rejected with the line, the path that was tried and what to do") {
  const Trial trial(second_line("gone.png 1,1,5,5,0"));
  CHECK(trial.report.accounting.pictures_rejected == 1);
  CHECK(trial.report.accounting.boxes_rejected == 1);
  CHECK(trial.says("train.txt:2: there is no picture 'gone.png'"));
  CHECK(trial.says("restore it, correct the path, or give --root"));
}

TEST_CASE("an empty file, a text file and a file of noise are not pictures") {
  for (const std::string content :
       {"", "hello, this is text\n", "\x01\x02\x03\x04\x05\x06\x07\x08"}) {
    CAPTURE(content);
    const Trial trial([&](DrawnSet& set) {
      set.folder.write("bad.png", content);
      set.list("train.txt", DrawnSet::line(0) + "bad.png 1,1,5,5,0\n");
    });
    CHECK(trial.report.accounting.pictures_rejected == 1);
    CHECK(trial.says("train.txt:2: "));
    CHECK(trial.says("bad.png: "));
  }
}

TEST_CASE(
    "a JPEG cut at 200 places: each is rejected, those found out while decoding as well, and none "
    "is tried twice") {
  DrawnSet set;
  const std::string whole = drawn_jpeg(5, 160, 120);
  std::string lines = "whole.jpg 1,1,50,50,0\n";
  set.folder.write("whole.jpg", whole);
  for (int i = 0; i < 200; ++i) {
    const std::string name = "cut" + std::to_string(i) + ".jpg";
    set.folder.write(name,
                     whole.substr(0, 2 + (whole.size() - 3) * static_cast<std::size_t>(i) / 200));
    lines += name + " 1,1,50,50,0\n";
  }
  set.list("train.txt", lines);
  const BuildOptions options = set.options();
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.pictures_found == 201);
  CHECK(report.accounting.pictures_stored == 1);
  CHECK(report.accounting.pictures_rejected == 200);
  CHECK(report.accounting.boxes_found == 201);
  CHECK(report.accounting.boxes_rejected == 200);
  CHECK(report.rejects.size() == 200);
  CHECK(report.pictures_new == 1);
  CHECK(row_contents(options.store).size() == 3);
  std::int64_t decoded_in_vain = 0;
  for (const LedgerEntry& entry : Store::open(options.store).ledger(1)) {
    if (entry.state != InputState::rejected) continue;
    CHECK(entry.rows.empty());
    CHECK_FALSE(entry.reason.empty());
    decoded_in_vain += entry.width > 0 ? 1 : 0;
  }
  CHECK(decoded_in_vain > 0);  // some headers were whole
  CHECK(report.rows_new == 3);
  CHECK(report.bytes_new == 3 * 3 * 64 * 64);
  const auto before = listing(options.store);
  CHECK_FALSE(build_quietly(options).published);
  CHECK(listing(options.store) == before);
}

TEST_CASE("a stored picture that is cut later counts neither as new nor as edited") {
  DrawnSet set;
  set.pictures(2);
  set.folder.write("a.jpg", drawn_jpeg(5, 160, 120));
  set.list("train.txt", DrawnSet::line(0) + "a.jpg 1,1,50,50,0\n" + DrawnSet::line(1));
  const BuildOptions options = set.options();
  CHECK(build_quietly(options).pictures_new == 3);
  set.folder.write("a.jpg", drawn_jpeg(5, 160, 120).substr(0, 2500));
  set.picture("p0.png", 77);
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.pictures_stored == 2);
  CHECK(report.accounting.pictures_rejected == 1);
  CHECK(report.pictures_new == 1);
  CHECK(report.pictures_known == 1);
}

TEST_CASE(
    "rows of a picture that cannot be decoded are dead in the shard: view -1, a status, no pixels, "
    "no boxes") {
  DrawnSet set;
  set.pictures(2);
  set.folder.write("cut.jpg", drawn_jpeg(5, 160, 120).substr(0, 2500));
  set.list("train.txt", DrawnSet::line(0) + "cut.jpg 1,1,50,50,0\n" + DrawnSet::line(1));
  const BuildOptions options = set.options();
  const BuildReport report = build_quietly(options);
  REQUIRE(report.rejects.size() == 1);
  CHECK(to_string(report.rejects[0])
            .find("train.txt:2: " + (set.folder / "cut.jpg").string() + ": cannot be decoded: ") !=
        std::string::npos);
  const Store store = Store::open(options.store);
  const Snapshot snapshot = store.latest().value();
  CHECK(snapshot.shards.at(0).dead == std::vector<std::int64_t>{1});
  CHECK(snapshot.shards.at(1).dead == std::vector<std::int64_t>{2, 3});
  const ShardReader shard(store.shard_path(snapshot.shards[1].digest));
  std::vector<std::uint8_t> image(static_cast<std::size_t>(shard.image_bytes()));
  for (const std::int64_t row : {2, 3}) {
    CHECK(shard.view(row) == -1);
    CHECK(shard.status(row) == kRowUndecodable);
    CHECK(shard.box_count(row) == 0);
    shard.read_images(row, 1, image.data());
    shard.verify_row(row, image);
    CHECK(std::all_of(image.begin(), image.end(), [](std::uint8_t value) { return value == 0; }));
  }
}

TEST_CASE("a PNG header of 65535 x 65535 is rejected before anything is decoded") {
  const Trial trial([](DrawnSet& set) {
    set.folder.write("huge.png", png_header(65535, 65535));
    set.list("train.txt", DrawnSet::line(0) + "huge.png 1,1,5,5,0\n");
  });
  CHECK(trial.says("train.txt:2: "));
  CHECK(trial.says("65535"));
  CHECK(trial.says("--max-pixels"));
}

TEST_CASE("--max-pixels raised or lowered holds for pictures that were seen before, too") {
  DrawnSet set;
  set.pictures(2);
  set.folder.write("wide.png", drawn_png(9, 200, 100));
  set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1) + "wide.png 1,1,50,50,0\n");
  BuildOptions options = set.options();
  CHECK(build_quietly(options).accounting.pictures_stored == 3);
  options.max_pixels = 10000;
  CHECK(build_quietly(options).accounting.pictures_stored == 2);
  options.max_pixels = 20000;
  CHECK(build_quietly(options).accounting.pictures_stored == 3);
}

TEST_CASE(
    "a picture outside the label file's folder is refused unless --allow-outside says otherwise") {
  const auto prepare = [](DrawnSet& set) {
    set.picture("other/p9.png", 9);
    set.picture("set/p0.png", 0);
    set.list("set/train.txt", DrawnSet::line(0) + "../other/p9.png 1,1,9,9,0\n");
  };
  for (const bool allowed : {false, true}) {
    const Trial trial(prepare, [&](BuildOptions& options) {
      options.inputs = {options.store.parent_path() / "set" / "train.txt"};
      options.allow_outside = allowed;
    });
    CHECK(trial.report.accounting.pictures_stored == (allowed ? 2 : 1));
    if (allowed) continue;
    CHECK(trial.says("train.txt:2: '../other/p9.png' leads to "));
    CHECK(trial.says("give --allow-outside"));
  }
}

TEST_CASE("a FIFO or a folder in a picture's place is rejected and blocks nothing") {
  for (const bool fifo : {true, false}) {
    const Trial trial([&](DrawnSet& set) {
      if (fifo) {
        REQUIRE(mkfifo((set.folder / "odd.png").c_str(), 0600) == 0);
      } else {
        std::filesystem::create_directory(set.folder / "odd.png");
      }
      set.list("train.txt", DrawnSet::line(0) + "odd.png 1,1,9,9,0\n");
    });
    CHECK(trial.report.accounting.pictures_rejected == 1);
    CHECK(trial.says("train.txt:2: "));
    CHECK(trial.says(fifo ? "is a FIFO, must be a file" : "is a folder, must be a file"));
  }
}

TEST_CASE("names with spaces and in UTF-8 are stored as they are written") {
  const Trial trial([](DrawnSet& set) {
    set.picture("mine and yours/Größe 1.png", 4);
    set.list("train.txt", DrawnSet::line(0) + "mine and yours/Größe 1.png 1,1,9,9,0\n");
  });
  CHECK(trial.report.accounting.pictures_stored == 2);
  const Store store = Store::open(trial.set.folder / "store");
  CHECK(store.ledger(1).at(1).name == "mine and yours/Größe 1.png");
  const ShardReader shard(store.shard_path(store.latest()->shards.at(0).digest));
  CHECK(shard.name(1) == "mine and yours/Größe 1.png");
}

}  // namespace letterpress
