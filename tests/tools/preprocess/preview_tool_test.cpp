#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/preprocess/built_store.h"

namespace letterpress {

TEST_CASE("preview draws the same sheet each time, and says what is on it") {
  const BuiltStore built;
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

TEST_CASE("a sheet fits a screen of 1920 x 1080 however many pictures are asked for") {
  const BuiltStore built(40);
  for (const std::string rows : {"1", "8", "20", "40"}) {
    CAPTURE(rows);
    const std::string out = (built.set.folder / "sheet.png").string();
    const ProgramResult result = preprocess(
        {"preview", "--store", built.store, "--out", out, "--rows", rows, "--views", "2"});
    CHECK(result.out.find(": " + rows + " picture") != std::string::npos);
    const std::string png = file_text(out);
    const auto info = probe(std::as_bytes(std::span(png)), out);
    REQUIRE(info);
    CHECK(info->width <= 1920);
    CHECK(info->height <= 1080);
  }
}

TEST_CASE("preview --out that cannot be made: exit 73 (64: no PNG), with the name that was given") {
  const BuiltStore built(2);
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
  const ProgramResult jpeg = refusal(folder + "/x.jpg");
  CHECK(jpeg.exit_code == 64);
  CHECK(jpeg.err.find("/x.jpg: does not end in .png: it will be a PNG file; name one") !=
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
  CHECK(preview({"--view", "-2"}).err.find("--view is -2, must be -1 to 1024") !=
        std::string::npos);
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

}  // namespace letterpress
