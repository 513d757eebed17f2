// Every bad input that a run must survive: it goes on, and the reject names file, line or row, what was got and how to fix it.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <turbojpeg.h>

#include <cmath>
#include <memory>

#include "preprocess/build/build.h"
#include "tests/preprocess/build/drawn_set.h"

namespace letterpress {
namespace {

// A set with one good picture and the line under test; what the build says of it.
struct Trial {
  DrawnSet set;
  BuildReport report;

  explicit Trial(const std::function<void(DrawnSet&)>& prepare, const std::function<void(BuildOptions&)>& change = {}) {
    set.pictures(1);
    prepare(set);
    BuildOptions options = set.options();
    if (change) change(options);
    report = build_quietly(options);
    // Whatever happened, the good picture is there and the accounts add up.
    CHECK(row_contents(options.store).size() >= 3);
    const Accounting& sums = report.accounting;
    CHECK(sums.pictures_found == sums.pictures_stored + sums.pictures_duplicate + sums.pictures_rejected);
    CHECK(sums.boxes_found == sums.boxes_stored + sums.boxes_merged + sums.boxes_rejected);
  }

  std::string reject() const { return report.rejects.size() == 1 ? to_string(report.rejects[0]) : std::to_string(report.rejects.size()); }
  bool says(const std::string& text) const { return reject().find(text) != std::string::npos; }
};

std::function<void(DrawnSet&)> second_line(const std::string& line) {
  return [line](DrawnSet& set) { set.list("train.txt", DrawnSet::line(0) + line + "\n"); };
}

std::string jpeg(int seed, int width, int height) {
  const std::vector<std::uint8_t> rgb = drawn_pixels(seed, width, height);
  const std::unique_ptr<void, int (*)(tjhandle)> handle(tjInitCompress(), tjDestroy);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  REQUIRE(tjCompress2(handle.get(), rgb.data(), width, 0, height, TJPF_RGB, &bytes, &size, TJSAMP_420, 90, TJFLAG_ACCURATEDCT) == 0);
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  tjFree(bytes);
  return text;
}

// The first 33 bytes of a PNG: its header says width x height. The checksum is that of these very bytes.
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
  for (int i = 0; i < 4; ++i) text[static_cast<std::size_t>(29 + i)] = static_cast<char>(crc >> (24 - 8 * i) & 0xff);
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

TEST_CASE("an empty file, a text file and a file of noise are no pictures") {
  for (const std::string content : {"", "hello, this is text\n", "\x01\x02\x03\x04\x05\x06\x07\x08"}) {
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

TEST_CASE("a JPEG cut at 200 places: each is rejected, those found out while decoding as well, and none is tried twice") {
  DrawnSet set;
  const std::string whole = jpeg(5, 160, 120);
  std::string lines = "whole.jpg 1,1,50,50,0\n";
  set.folder.write("whole.jpg", whole);
  for (int i = 0; i < 200; ++i) {
    const std::string name = "cut" + std::to_string(i) + ".jpg";
    set.folder.write(name, whole.substr(0, 2 + (whole.size() - 3) * static_cast<std::size_t>(i) / 200));
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
  CHECK(report.pictures_new > 1);  // some headers were whole
  CHECK(row_contents(options.store).size() == 3);
  std::int64_t decoded_in_vain = 0;
  for (const LedgerEntry& entry : Store::open(options.store).ledger(1)) {
    if (entry.state != InputState::rejected) continue;
    CHECK(entry.clean_shard == -1);
    CHECK_FALSE(entry.reason.empty());
    decoded_in_vain += entry.width > 0 ? 1 : 0;
  }
  CHECK(decoded_in_vain == report.pictures_new - 1);
  const auto before = listing(options.store);
  CHECK_FALSE(build_quietly(options).published);
  CHECK(listing(options.store) == before);
}

TEST_CASE("rows of a picture that cannot be decoded are dead in the shard: view -1, a status, no pixels, no boxes") {
  DrawnSet set;
  set.pictures(2);
  set.folder.write("cut.jpg", jpeg(5, 160, 120).substr(0, 2500));
  set.list("train.txt", DrawnSet::line(0) + "cut.jpg 1,1,50,50,0\n" + DrawnSet::line(1));
  const BuildOptions options = set.options();
  const BuildReport report = build_quietly(options);
  REQUIRE(report.rejects.size() == 1);
  CHECK(to_string(report.rejects[0]).find("train.txt:2: " + (set.folder / "cut.jpg").string() + ": cannot be decoded: ") !=
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

TEST_CASE("letters, NaN, inf and a class out of range reject the picture with its line; a rare class name is counted from the list") {
  for (const auto& [box, text] : {std::pair{"1,1,x,5,0", "'x' is no number"}, std::pair{"nan,1,5,5,0", "'nan' is not finite"},
                                  std::pair{"1,1,inf,5,0", "'inf' is not finite"}, std::pair{"1,1,5,5,3", "3"}}) {
    CAPTURE(box);
    DrawnSet drawn;
    const Trial trial([&, line = std::string("p1.png 1,1,9,9,0 ") + box](DrawnSet& set) {
      set.picture("p1.png", 1);
      set.list("train.txt", DrawnSet::line(0) + line + "\n");
    });
    CAPTURE(trial.reject());
    CHECK(trial.report.accounting.pictures_rejected == 1);
    CHECK(trial.report.accounting.boxes_rejected == 2);
    CHECK(trial.says("train.txt:2"));
    CHECK(trial.says(text));
  }
}

TEST_CASE("an inverted or empty box, or one wholly outside, goes alone; the picture and its other boxes stay") {
  for (const auto& [box, text] : {std::pair{"9,1,5,5,0", "is inverted"}, std::pair{"5,1,5,9,0", "has no area"},
                                  std::pair{"500,500,600,600,0", "lies wholly outside the 80x60 picture"}}) {
    CAPTURE(box);
    const Trial trial([&, line = std::string("p1.png 1,1,9,9,0 ") + box](DrawnSet& set) {
      set.picture("p1.png", 1);
      set.list("train.txt", DrawnSet::line(0) + line + "\n");
    });
    CHECK(trial.report.accounting.pictures_stored == 2);
    CHECK(trial.report.accounting.boxes_rejected == 1);
    CHECK(trial.report.accounting.boxes_stored == 2);
    CHECK(trial.says("train.txt:2, object 2: "));
    CHECK(trial.says(text));
  }
}

TEST_CASE("a box over the edge is clipped and counted") {
  const Trial trial([](DrawnSet& set) {
    set.picture("p1.png", 1);
    set.list("train.txt", DrawnSet::line(0) + "p1.png 40,30,95,59,0 1,1,80.4,20,0\n");
  });
  CHECK(trial.report.accounting.boxes_stored == 3);
  CHECK(trial.report.accounting.boxes_clipped == 1);
}

TEST_CASE("a line with a million boxes rejects its picture and counts every box") {
  const Trial trial([](DrawnSet& set) {
    set.picture("p1.png", 1);
    std::string line = "p1.png";
    for (int i = 0; i < 1'000'000; ++i) line += " 1,1,9,9,0";
    set.list("train.txt", DrawnSet::line(0) + line + "\n");
  });
  CHECK(trial.report.accounting.pictures_rejected == 1);
  CHECK(trial.report.accounting.boxes_found == 1'000'001);
  CHECK(trial.report.accounting.boxes_rejected == 1'000'000);
  CHECK(trial.says("train.txt:2: "));
  CHECK(trial.says("1000000"));
}

TEST_CASE("the same picture twice, under one name or two, is stored once with the boxes of all") {
  const Trial trial([](DrawnSet& set) {
    set.picture("copy.png", 0);
    set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(0) + "copy.png 10,10,40,30,0 1,1,7,7,2\n");
  });
  CHECK(trial.report.accounting.pictures_found == 3);
  CHECK(trial.report.accounting.pictures_stored == 1);
  CHECK(trial.report.accounting.pictures_duplicate == 2);
  CHECK(trial.report.accounting.boxes_stored == 2);
  CHECK(trial.report.accounting.boxes_merged == 2);
  const auto ledger = Store::open(trial.set.folder / "store").ledger(1);
  CHECK(ledger.at(2).state == InputState::duplicate);
  CHECK(ledger[2].reason.find("same bytes as p0.png (") == 0);
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

TEST_CASE("a picture outside the label file's folder is refused unless --allow-outside says otherwise") {
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
    CHECK(trial.says(fifo ? "is a FIFO, wanted a file" : "is a folder, wanted a file"));
  }
}

TEST_CASE("a VOC file with a DOCTYPE is rejected and nothing it names is read") {
  const auto xml = [](const std::string& prologue) {
    return prologue +
           "<annotation><filename>p0.png</filename><size><width>80</width><height>60</height><depth>3</depth></size><object><name>cat</"
           "name>"
           "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>20</xmax><ymax>20</ymax></bndbox></object></annotation>";
  };
  const Trial trial(
      [&](DrawnSet& set) {
        set.picture("voc/p0.png", 0);
        set.folder.write("voc/good.xml", xml(""));
        set.folder.write("voc/bad.xml", xml("<!DOCTYPE annotation [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"));
      },
      [](BuildOptions& options) {
        options.inputs = {options.store.parent_path() / "voc"};
        options.classes.clear();
      });
  CHECK(trial.report.accounting.pictures_rejected == 1);
  CHECK(trial.says("bad.xml: has a DOCTYPE, which is never followed; remove the DOCTYPE and its entities"));
}

TEST_CASE("a COCO JSON cut in half ends the build with exit 65 and publishes nothing") {
  DrawnSet set;
  set.pictures(1);
  const std::string json = R"({"images":[{"id":1,"file_name":"p0.png","width":80,"height":60}],"categories":[{"id":1,"name":"cat"}],)"
                           R"("annotations":[{"id":1,"image_id":1,"category_id":1,"bbox":[1,1,20,20],"area":400,"iscrowd":0}]})";
  set.folder.write("whole.json", json);
  set.folder.write("half.json", json.substr(0, json.size() / 2));
  BuildOptions options = set.options();
  options.classes.clear();
  options.inputs = {set.folder / "half.json"};
  const std::string message = message_of([&] { build_quietly(options); });
  CHECK(message.starts_with("65 "));
  CHECK(message.find("half.json") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(options.store));
  options.inputs = {set.folder / "whole.json"};
  CHECK(build_quietly(options).accounting.boxes_stored == 1);
}

TEST_CASE("no picture at all is exit 66 and leaves no store behind") {
  DrawnSet set;
  set.list("train.txt", "");
  BuildOptions options = set.options();
  options.format = "keras";
  const std::string message = message_of([&] { build_quietly(options); });
  CHECK(message.starts_with("66 "));
  CHECK(message.find("train.txt") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(options.store));
}

TEST_CASE("a label file that is missing is exit 66") {
  DrawnSet set;
  CHECK(message_of([&] { build_quietly(set.options()); }).starts_with("66 "));
}

TEST_CASE("too many rejected pictures: exit 65 with their lines, also when only decoding finds them out") {
  for (const bool header_is_good : {false, true}) {
    CAPTURE(header_is_good);
    DrawnSet set;
    set.pictures(4);
    const std::string bytes = jpeg(5, 160, 120);
    set.folder.write("cut.jpg", header_is_good ? bytes.substr(0, 2500) : "");
    set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1) + DrawnSet::line(2) + "cut.jpg 1,1,9,9,0\n");
    BuildOptions options = set.options();
    options.max_rejects = 0.2;
    const std::string message = message_of([&] { build_quietly(options); });
    CHECK(message.starts_with("65 1 of 4 pictures (25%) cannot be used, --max-rejects allows 20%; nothing was published\n  "));
    CHECK(message.find("train.txt:4: " + (set.folder / "cut.jpg").string()) != std::string::npos);
    options.max_rejects = 0.25;
    CHECK(build_quietly(options).published);
  }
}

}  // namespace letterpress
