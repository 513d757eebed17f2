// info, ledger, preview and verify from outside.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {
namespace {

struct Built {
  DrawnSet set;
  std::string store = (set.folder / "store").string();

  explicit Built(int n = 6) {
    set.pictures(n);
    set.folder.write("bad.png", "text");
    set.list("train.txt",
             file_text(set.folder / "train.txt") + "bad.png 1,1,5,5,0\np0.png 10,10,40,30,0\n");
    REQUIRE(preprocess(build_words(set, {"--max-rejects", "1"})).exit_code == 0);
  }
  std::filesystem::path shard(std::size_t index) const {
    const Store opened = Store::open(store);
    return opened.shard_path(opened.latest()->shards.at(index).digest);
  }
};

// Replaces the (read-only) file by one with one bit of byte `at` turned.
void flip(const std::filesystem::path& file, std::size_t at) {
  std::string bytes = file_text(file);
  bytes.at(at) = static_cast<char>(bytes[at] ^ 4);
  std::filesystem::remove(file);
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("info says side, recipe, splits, classes with counts, shards and both identities") {
  const Built built;
  const ProgramResult result = preprocess({"info", "--store", built.store, "--json"});
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("side 64, recipe detect (seed 1, draw 0), 2 views\n") != std::string::npos);
  CHECK(result.out.find("split train: 6 pictures, 12 augmented rows, 0 dead rows\n") !=
        std::string::npos);
  CHECK(result.out.find(
            "pictures found 8 = stored 6 (of which background 0) + duplicates 1 + rejected 1\n") !=
        std::string::npos);
  CHECK(result.out.find("boxes found 11 = stored 9 + merged 1 + rejected 1; clipped 0\n") !=
        std::string::npos);
  CHECK(result.out.find("3 classes; up to 8 boxes per row\n    0 cat                              "
                        "2 boxes\n    1 dog ") != std::string::npos);
  const auto json = nlohmann::json::parse(result.last_line());
  CHECK(json.at("generations") == std::vector<int>{1});
  CHECK(json.at("bytes") > 18 * 64 * 64 * 3);
}

TEST_CASE("ledger says where a picture's rows are, and why another is out") {
  const Built built;
  const ProgramResult all = preprocess({"ledger", "--store", built.store});
  CHECK(all.exit_code == 0);
  CHECK(all.last_line() == "8 of 8 pictures in snapshot 1");
  const ProgramResult one = preprocess({"ledger", "--store", built.store, "--name", "p1.png"});
  CHECK(one.out.starts_with("stored    train p1.png (" + (built.set.folder / "train.txt").string() +
                            ":2): 80x60, 2 boxes, row 1 of " + built.shard(0).stem().string() +
                            ", views 1-2 in rows "));
  CHECK(one.last_line() == "1 of 8 pictures in snapshot 1");
  const ProgramResult rejected =
      preprocess({"ledger", "--store", built.store, "--state", "rejected"});
  CHECK(rejected.out.starts_with("rejected  train bad.png ("));
  CHECK(rejected.last_line() == "1 of 8 pictures in snapshot 1");
  const ProgramResult duplicate =
      preprocess({"ledger", "--store", built.store, "--state", "duplicate"});
  CHECK(duplicate.out.find("same bytes as p0.png (") != std::string::npos);
  const ProgramResult wrong = preprocess({"ledger", "--store", built.store, "--state", "regected"});
  CHECK(wrong.exit_code == 64);
  CHECK(wrong.err.find("did you mean 'rejected'?") != std::string::npos);
}

TEST_CASE("preview draws the same sheet each time, and says what is on it") {
  const Built built;
  const auto sheet = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> words{"preview", "--store", built.store, "--out",
                                   (built.set.folder / name).string()};
    words.insert(words.end(), more.begin(), more.end());
    return preprocess(words);
  };
  const ProgramResult result = sheet("a.png", {"--rows", "3", "--views", "2", "--tile", "96"});
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("a.png: 3 pictures of split train, 9 rows, ") != std::string::npos);
  sheet("b.png", {"--rows", "3", "--views", "2", "--tile", "96"});
  const std::string png = file_text(built.set.folder / "a.png");
  CHECK(png == file_text(built.set.folder / "b.png"));
  const auto info = probe(std::as_bytes(std::span(png)), "a.png");
  REQUIRE(info);
  CHECK(info->width >= 3 * 96);
  CHECK(sheet("c.png", {"--class", "bird"}).out.find(" 2 pictures of split train, ") !=
        std::string::npos);
  const ProgramResult unknown = sheet("d.png", {"--class", "brid"});
  CHECK(unknown.exit_code == 64);
  CHECK(unknown.err.find("unknown class 'brid'; did you mean 'bird'?") != std::string::npos);
  CHECK(sheet("d.png", {"--split", "val"}).err.find("has no split 'val'; there are: train") !=
        std::string::npos);
  CHECK(sheet("d.png", {"--rows", "0"}).err.find("--rows is 0, must be 1 to 1000") !=
        std::string::npos);
}

TEST_CASE("preview --out that cannot be made: exit 73, with the name that was given") {
  const Built built(2);
  const auto refusal = [&](const std::string& out) {
    return preprocess({"preview", "--store", built.store, "--out", out});
  };
  const std::string folder = built.set.folder.path().string();
  const ProgramResult absent = refusal(folder + "/nope/x.png");
  CHECK(absent.exit_code == 73);
  CHECK(absent.err.find("--out " + folder + "/nope/x.png: there is no folder " + folder +
                        "/nope; make it, or name another file") != std::string::npos);
  const ProgramResult is_folder = refusal(folder);
  CHECK(is_folder.exit_code == 73);
  CHECK(is_folder.err.find("--out " + folder + ": is a folder; give the name of a PNG file") !=
        std::string::npos);
  const ProgramResult refused = refusal("/proc/x.png");
  CHECK(refused.err.find("--out /proc/x.png: cannot be written (") != std::string::npos);
}

TEST_CASE("verify passes a whole store, with and without --deep") {
  const Built built;
  const ProgramResult quick = preprocess({"verify", "--store", built.store});
  CHECK(quick.exit_code == 0);
  CHECK(quick.last_line() ==
        built.store + ": snapshot 1 is whole: 2 shards; --deep checks the pixels of every row too");
  const ProgramResult deep = preprocess({"verify", "--deep", "--store", built.store});
  CHECK(deep.exit_code == 0);
  CHECK(deep.last_line() == built.store + ": snapshot 1 is whole: 2 shards, every row");
}

TEST_CASE(
    "a turned bit in the pixels is found by --deep, which names shard and row; all damage is "
    "listed") {
  const Built built;
  std::size_t offset = 0;
  {
    const ShardReader shard(built.shard(0));
    offset = static_cast<std::size_t>(shard.stored_pixels(0).offset);
  }
  flip(built.shard(0), offset + 64 * 64 * 3 * 2 + 17);
  flip(built.shard(0), offset + 64 * 64 * 3 * 4);
  CHECK(preprocess({"verify", "--store", built.store}).exit_code == 0);
  const ProgramResult result = preprocess({"verify", "--deep", "--store", built.store});
  CHECK(result.exit_code == 65);
  CHECK(result.err.find("snapshot 1 is damaged in 2 places:\n") != std::string::npos);
  CHECK(result.err.find(built.shard(0).string()) != std::string::npos);
  CHECK(result.err.find("p2.png") != std::string::npos);
  CHECK(result.err.find("p4.png") != std::string::npos);
}

TEST_CASE(
    "a turned bit anywhere outside the pixels is found by verify, as are cut and missing shards") {
  const Built built(2);
  const std::filesystem::path shard = built.shard(0);
  const std::string good = file_text(shard);
  std::size_t first = 0, last = 0;
  {
    const ShardReader reader(shard);
    first = static_cast<std::size_t>(reader.stored_pixels(0).offset);
    last = first + static_cast<std::size_t>(reader.rows() * reader.image_bytes());
  }
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < good.size(); at += good.size() / 40 + 1) {
    if (at < first || at >= last) places.push_back(at);
  }
  places.push_back(good.size() - 1);
  CHECK(places.size() > 5);
  const auto put = [&](const std::string& bytes) {
    std::filesystem::remove(shard);
    std::ofstream(shard, std::ios::binary) << bytes;
  };
  for (const std::size_t at : places) {
    CAPTURE(at);
    put(good);
    flip(shard, at);
    const ProgramResult result = preprocess({"verify", "--store", built.store});
    CHECK(result.exit_code == 65);
    CHECK(result.err.find(shard.string()) != std::string::npos);
  }
  put(good.substr(0, good.size() - 100));
  CHECK(preprocess({"verify", "--store", built.store}).exit_code == 65);
  std::filesystem::remove(shard);
  const ProgramResult missing = preprocess({"verify", "--store", built.store});
  CHECK(missing.exit_code == 65);
  CHECK(missing.err.find(shard.string() + ": missing, the snapshot needs it") != std::string::npos);
  put(good);
  CHECK(preprocess({"verify", "--store", built.store}).exit_code == 0);
}

TEST_CASE("reading commands want a store and a snapshot that is there") {
  TempDir dir;
  for (const char* command : {"anchors", "info", "ledger", "preview", "report", "verify"}) {
    CAPTURE(command);
    CHECK(preprocess({command}).exit_code == 64);
    CHECK(preprocess({command, "--store", (dir / "absent").string()}).exit_code == 66);
  }
  const Built built(2);
  const ProgramResult result = preprocess({"info", "--store", built.store, "--snapshot", "7"});
  CHECK(result.exit_code == 66);
  CHECK(result.err.find("has no snapshot 7; there are: 1") != std::string::npos);
  const ProgramResult negative = preprocess({"info", "--store", built.store, "--snapshot", "-1"});
  CHECK(negative.exit_code == 64);
  CHECK(
      negative.err.find("--snapshot is -1, must be a generation from 1 on, or 0 for the newest") !=
      std::string::npos);
  const ProgramResult split = preprocess({"ledger", "--store", built.store, "--split", "foo"});
  CHECK(split.exit_code == 66);
  CHECK(split.err.find("--split: snapshot 1 has no split 'foo'; there are: train") !=
        std::string::npos);
}

TEST_CASE(
    "preview --view shows one view beside the clean row, --worst-cut the rows that lost most of a "
    "box") {
  DrawnSet set;
  set.pictures(6);
  const auto recipe = set.folder.write(
      "shift.toml", "[boxes]\nmin_area = 0.05\n[[augment]]\nkind = \"affine\"\nshift = 0.4\n");
  REQUIRE(preprocess(build_words(set, {"--recipe", recipe.string()})).exit_code == 0);
  const std::string store = (set.folder / "store").string(),
                    out = (set.folder / "preview.png").string();
  const auto preview = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"preview", "--store", store, "--out", out, "--rows", "3"});
    return preprocess(more);
  };
  CHECK(preview({"--view", "2"}).out.find(": 3 pictures of split train, 6 rows, ") !=
        std::string::npos);
  CHECK(preview({"--view", "0"}).out.find(": 3 pictures of split train, 3 rows, ") !=
        std::string::npos);
  const ProgramResult worst = preview({"--worst-cut"});
  CHECK(worst.exit_code == 0);
  CHECK(worst.out.find(": 3 pictures of split train, 6 rows, ") != std::string::npos);
  const ProgramResult none = preview({"--view", "3"});
  CHECK(none.exit_code == 66);
  CHECK(none.err.find("--view 3: split train has views 0 to 2") != std::string::npos);
  CHECK(preview({"--view", "-2"}).err.find("--view is -2, must be 0 to 1024") != std::string::npos);
  REQUIRE(preprocess({"build", "--store", store + "2", "--input",
                      (set.folder / "train.txt").string(), "--classes",
                      (set.folder / "classes.txt").string(), "--size", "64", "--recipe", "none"})
              .exit_code == 0);
  const ProgramResult uncut =
      preprocess({"preview", "--store", store + "2", "--out", out, "--worst-cut"});
  CHECK(uncut.exit_code == 66);
  CHECK(uncut.err.find("split train: no augmentation has cut a box; preview without --worst-cut") !=
        std::string::npos);
  const ProgramResult clean = preview({"--worst-cut", "--view", "0"});
  CHECK(clean.exit_code == 64);
  CHECK(clean.err.find(
            "--view 0 --worst-cut: no box is cut in a clean row; leave one of the two out") !=
        std::string::npos);
}

// Pictures of 80 x 60 in one colour each, magnified twice about their centre: of them the frame
// shows x 20..60 and y 10..50.
TEST_CASE(
    "--worst-cut: first the picture with a box that is gone, then by the share that was cut off; "
    "uncut ones are not shown") {
  const std::vector<std::array<std::uint8_t, 3>> colours{
      {200, 30, 30}, {30, 200, 30}, {30, 30, 200}, {200, 200, 30}};
  DrawnSet set;
  for (std::size_t i = 0; i < colours.size(); ++i) {
    std::vector<std::uint8_t> rgb;
    for (int pixel = 0; pixel < 80 * 60; ++pixel)
      rgb.insert(rgb.end(), colours[i].begin(), colours[i].end());
    const std::vector<std::byte> png = encode_png(rgb, 80, 60);
    set.folder.write("p" + std::to_string(i) + ".png",
                     {reinterpret_cast<const char*>(png.data()), png.size()});
  }
  set.list("train.txt",
           "p0.png 30,20,50,40,0\n"              // all of it is seen
           "p1.png 10,20,30,40,0\n"              // half is cut off
           "p2.png 0,0,10,10,0 30,20,50,40,0\n"  // the first is gone
           "p3.png 16,20,56,40,0\n");            // a tenth is cut off
  const std::string recipe =
      set.folder.write("zoom.toml",
                       "[boxes]\nmin_area = 0.05\n[[augment]]\nkind = \"affine\"\nscale_low = "
                       "2\nscale_high = 2\nshift = 0\n");
  REQUIRE(preprocess(build_words(set, {"--recipe", recipe})).exit_code == 0);
  const std::string out = (set.folder / "preview.png").string();
  const ProgramResult result =
      preprocess({"preview", "--store", (set.folder / "store").string(), "--out", out,
                  "--worst-cut", "--view", "1", "--rows", "4", "--tile", "64"});
  CHECK(result.out.find(": 3 pictures of split train, 6 rows, ") != std::string::npos);
  const std::string file = file_text(out);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(file));
  const auto info = probe(bytes, out);
  REQUIRE(info);
  Picture sheet;
  REQUIRE(!decode(bytes, *info, 1, out, sheet));
  // Tiles of 64 begin at 6 and are 24 apart; the pixel lies right of all boxes in the clean
  // picture, the first of its line.
  for (const auto& [line, picture] : {std::pair{0, 2}, std::pair{1, 1}, std::pair{2, 3}}) {
    CAPTURE(line);
    const auto at = static_cast<std::size_t>(((6 + 88 * line + 32) * sheet.width + 6 + 61) * 3);
    const std::array<std::uint8_t, 3> pixel{sheet.rgb[at], sheet.rgb[at + 1], sheet.rgb[at + 2]};
    CHECK(pixel == colours[static_cast<std::size_t>(picture)]);
  }
}

TEST_CASE(
    "a picture in a tar has a path of its own, by which ledger finds it and explain draws it "
    "again") {
  DrawnSet set;
  set.picture("in/a.png", 1);
  set.picture("in/b.png", 2);
  set.folder.write("in/boxes.csv", "a.png,10,10,40,30,cat\nb.png,10,10,40,30,dog\n");
  const std::string folder = set.folder.path().string(), store = folder + "/store";
  REQUIRE(
      run({"/bin/sh", "-c", "tar -C '" + folder + "/in' -cf '" + folder + "/t.tar' ."}).exit_code ==
      0);
  REQUIRE(preprocess({"build", "--store", store, "--input", folder + "/t.tar/boxes.csv", "--size",
                      "64", "--views", "1"})
              .exit_code == 0);
  const ProgramResult one =
      preprocess({"ledger", "--store", store, "--path", folder + "/t.tar/b.png"});
  CHECK(one.exit_code == 0);
  CHECK(one.last_line() == "1 of 2 pictures in snapshot 1");
  CHECK(one.out.find("has other bytes now") == std::string::npos);
  const ProgramResult drawn = preprocess(
      {"preview", "--store", store, "--explain", "b.png", "--out", folder + "/steps.png"});
  CHECK(drawn.exit_code == 0);
  CHECK(drawn.out.find("drawn again: the same 12288 bytes") != std::string::npos);
}

}  // namespace letterpress
