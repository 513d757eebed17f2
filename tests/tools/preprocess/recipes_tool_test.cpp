// Recipes from outside: the list of them, rows drawn again, the same bytes on every host,
// keras-yolo3 against its original.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "letterpress/page/png.h"
#include "preprocess/recipe/recipe.h"
#include "tests/contains.h"
#include "tests/preprocess/golden.h"
#include "tests/read_by_python.h"
#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {
namespace {

// Everything that the registry has, with maps that turn and shear.
std::string recipe_of_all() {
  return "[[augment]]\nkind = \"affine\"\nrotation = 20\nshear = 5\n[[augment]]\nkind = "
         "\"crop\"\n[[augment]]\nkind = \"hflip\"\n"
         "[[augment]]\nkind = \"shift\"\n[[augment]]\nkind = \"vflip\"\n[[augment]]\nkind = "
         "\"turn90\"\n[[augment]]\nkind = "
         "\"tone\"\n[[augment]]\nkind = \"hsv\"\n"
         "[[augment]]\nkind = \"grey\"\nchance = 0.3\n[[augment]]\nkind = "
         "\"blur\"\n[[augment]]\nkind = \"noise\"\n[[augment]]\n"
         "kind = \"jpeg\"\n[[augment]]\nkind = \"cutout\"\n";
}

std::vector<std::string> words_with(const DrawnSet& set, const std::string& store,
                                    const std::string& recipe) {
  std::vector<std::string> words = build_words(set, {"--recipe", recipe});
  words[2] = (set.folder / store).string();
  words[10] = "6";  // views
  return words;
}

// Names of the shards: digests of all that is in them.
std::set<std::string> shards_in(const std::filesystem::path& store) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(store / "shards"))
    names.insert(entry.path().filename().string());
  return names;
}

}  // namespace

TEST_CASE("`recipes` lists them, and the documentation shows what it prints") {
  const ProgramResult result = preprocess({"recipes"});
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("| `detect` | Boxes in photographs") != std::string::npos);
  CHECK(result.out.find(
            "| `hflip` | mirrors the frame left to right | `chance` 0.5 (0..1) how often |") !=
        std::string::npos);
  const std::string page =
      read_file(std::filesystem::path(LETTERPRESS_SOURCE_DIR) / "docs/how-to/recipes.md");
  CHECK(page.find(result.out) != std::string::npos);  // else: run scripts/docs/reference.py
}

TEST_CASE("`recipes NAME` prints a TOML that is the same recipe as a file") {
  TempDir dir;
  const ProgramResult result = preprocess({"recipes", "detect"});
  CHECK(result.exit_code == 0);
  CHECK(Recipe::load(dir.write("mine.toml", result.out).string()).json() ==
        Recipe::load("detect").json());
  const ProgramResult wrong = preprocess({"recipes", "detcet"});
  CHECK(wrong.exit_code == 64);
  CHECK(wrong.err.find("unknown recipe 'detcet'; did you mean 'detect'?") != std::string::npos);
}

TEST_CASE("preview --explain asks which of two pictures of one name is meant") {
  DrawnSet set;
  set.pictures(1);
  std::filesystem::create_directories(set.folder / "b");
  set.picture("b/p0.png", 7);
  set.list("b/val.txt", "p0.png 10,10,40,30,1\n");
  REQUIRE(preprocess(build_words(set, {"--val", (set.folder / "b/val.txt").string()})).exit_code ==
          0);
  const auto explain = [&](const std::string& name) {
    return preprocess({"preview", "--store", (set.folder / "store").string(), "--explain", name,
                       "--view", "0", "--out", (set.folder / "steps.png").string()});
  };
  const std::string first = (set.folder / "p0.png").string(),
                    second = (set.folder / "b/p0.png").string();
  CHECK(explain("p0.png").exit_code == 64);
  CHECK(contains(explain("p0.png").err,
                 "--explain p0.png: 2 pictures have this name, for instance " + first + " and " +
                     second + "; give the whole path of one"));
  CHECK(explain(second).exit_code == 0);
}

TEST_CASE("preview --explain draws every row again from what its shard stores, to the byte") {
  DrawnSet set;
  set.pictures(3);
  const std::string recipe = set.folder.write("all.toml", recipe_of_all()).string();
  REQUIRE(preprocess(words_with(set, "store", recipe)).exit_code == 0);
  const auto explain = [&](const std::string& name, int view) {
    return preprocess({"preview", "--store", (set.folder / "store").string(), "--explain", name,
                       "--view", std::to_string(view), "--out",
                       (set.folder / "steps.png").string()});
  };
  for (int view = 0; view <= 6; ++view) {
    CAPTURE(view);
    const ProgramResult result = explain("p1", view);
    CAPTURE(result.out);
    CHECK(result.exit_code == 0);
    CHECK(result.out.starts_with("p1.png view " + std::to_string(view) + ": row "));
    CHECK(result.out.find("  drawn again: the same 12288 bytes; ") != std::string::npos);
    CHECK((result.out.find("  affine: scale ") != std::string::npos) == (view > 0));
    CHECK(std::filesystem::file_size(set.folder / "steps.png") > 1000);
  }
  CHECK(explain("p", 1).exit_code == 64);
  CHECK(explain("p", 1).err.find("--explain p: 3 pictures have this in their names, for instance "
                                 "p0.png and p1.png; give more of the name") != std::string::npos);
  CHECK(explain("q", 1).exit_code == 66);
  CHECK(explain("q", 1).err.find(
            "--explain q: no stored picture has this in its name; `ledger` lists them") !=
        std::string::npos);
  CHECK(explain("p1", 7).err.find("--view 7: p1.png has views 0 to 6") != std::string::npos);
  set.picture("p1.png", 99);
  const ProgramResult changed = explain("p1", 1);
  CHECK(changed.exit_code == 65);
  CHECK(changed.out.find("  affine: scale ") !=
        std::string::npos);  // what was drawn is known all the same
  CHECK(changed.err.find("p1.png: has other bytes than when its rows were made; run `build`, which "
                         "draws them anew") != std::string::npos);
}

TEST_CASE(
    "a shipped recipe's name wins over a file of that name, now and in the builds that repeat it; "
    "./name is the file") {
  DrawnSet set;
  set.pictures(2);
  set.folder.write("none", "[[augment]]\nkind = \"hflip\"\n");
  const auto build_there = [&](const std::string& store, const std::vector<std::string>& more) {
    std::string command = "cd '" + set.folder.path().string() + "' && '" +
                          program_path("letterpress-preprocess") + "' build --store " + store;
    for (const std::string& word : more) command += " " + word;
    return run({"/bin/sh", "-c", command});
  };
  const ProgramResult shipped = build_there(
      "a", {"--input train.txt --classes classes.txt --size 64 --recipe none --verbose"});
  CHECK(shipped.exit_code == 0);
  CHECK(shipped.out.find("\"recipe\":\"none\"") != std::string::npos);
  CHECK(shipped.out.find("new: 2 pictures, 2 rows") != std::string::npos);
  const ProgramResult repeated = build_there("a", {});
  CHECK(repeated.exit_code == 0);
  CHECK(repeated.out.find("nothing has changed") != std::string::npos);
  const ProgramResult file = build_there(
      "b",
      {"--input train.txt --classes classes.txt --size 64 --views 1 --recipe ./none --verbose"});
  CHECK(file.exit_code == 0);
  CHECK(file.out.find("\"recipe\":\"" + (set.folder / "none").string() + "\"") !=
        std::string::npos);
  CHECK(file.out.find("new: 2 pictures, 4 rows") != std::string::npos);
}

TEST_CASE(
    "the same bytes whatever the CPU offers: our kernels, OpenCV, libjpeg-turbo and glibc without "
    "their fast versions, 1 and 3 threads") {
  DrawnSet set;
  set.pictures(5);
  std::string lines = file_text(set.folder / "train.txt");
  // OpenCV decodes BMP, TIFF and WebP.
  for (const char* name : {"photo.jpg", "photo.bmp", "photo.tiff", "photo.webp"}) {
    set.folder.write(name, golden(std::string("pictures/") + name));
    lines += std::string(name) + " 4,4,40,30,1\n";
  }
  set.folder.write("exif.jpg", golden("pictures/exif.jpg"));
  // Ten times as large as the frame: the JPEG is decoded at a fraction of its size, the PNG is not;
  // both are shrunk with many taps.
  const std::vector<std::byte> large = encode_jpeg(drawn_pixels(7, 640, 480), 640, 480, 90);
  set.folder.write("large.jpg",
                   std::string(reinterpret_cast<const char*>(large.data()), large.size()));
  set.folder.write("large.png", drawn_png(8, 640, 480));
  set.list("train.txt",
           lines + "exif.jpg 2,2,12,12,2\nlarge.jpg 40,40,400,300,1\nlarge.png 40,40,400,300,1\n");
  const std::string recipe = set.folder.write("all.toml", recipe_of_all()).string();
  const std::vector<std::vector<std::string>> hosts{
      {"LANG=C"},
      {"LETTERPRESS_CPU=baseline"},
      {"LETTERPRESS_CPU=avx2"},
      {"OPENCV_CPU_DISABLE=SSE4.1,SSE4.2,AVX,FP16,AVX2,FMA3,AVX512-SKX"},
      {"GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX2,-AVX2_Usable,-FMA,-FMA4,-BMI2,-"
       "ERMS,-SSE4_1,-SSE4_2"},
      {"JSIMD_FORCENONE=1"},
      {"OPENCV_CPU_DISABLE=AVX2,FMA3", "JSIMD_FORCESSE2=1",
       "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2", "LETTERPRESS_CPU=baseline"}};
  for (const std::string& name : {recipe, std::string("detect"), std::string("keras-yolo3")}) {
    std::set<std::string> first;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const std::string store = std::filesystem::path(name).stem().string() + std::to_string(i);
      std::vector<std::string> words{"/usr/bin/env"};
      words.insert(words.end(), hosts[i].begin(), hosts[i].end());
      words.push_back(program_path("letterpress-preprocess"));
      const auto build_flags = words_with(set, store, name);
      words.insert(words.end(), build_flags.begin(), build_flags.end());
      words.insert(words.end(), {"--threads", i % 2 ? "3" : "1"});
      CAPTURE(hosts[i].front());
      const ProgramResult result = run(words);
      CAPTURE(result.err);
      REQUIRE(result.exit_code == 0);
      CHECK(result.out.find("pictures found 12 = stored 12") != std::string::npos);
      const std::set<std::string> shards = shards_in(set.folder / store);
      CHECK(shards.size() == 2);
      if (i == 0) first = shards;
      CHECK(shards == first);
      const ProgramResult pixels =
          preprocess({"verify", "--deep", "--store", (set.folder / store).string()});
      CHECK(pixels.exit_code == 0);  // a shard's name covers its rows' checksums, these the pixels
    }
  }
}

TEST_CASE(
    "keras-yolo3 is the original fed with the same draws: within 2 grey levels and a pixel, on "
    "pictures of real sizes" *
    doctest::test_suite("needs Python")) {
  TempDir dir;
  const std::string script = "tests/tools/preprocess/check_keras_yolo3.py";
  check_read_by_python(script, dir.path());  // draws the pictures
  if (!std::filesystem::exists(dir / "train.txt")) return;
  for (const char* side : {"416", "640"}) {
    CAPTURE(side);
    std::filesystem::remove_all(dir / "store");
    const ProgramResult built =
        preprocess({"build", "--store", (dir / "store").string(), "--input",
                    (dir / "train.txt").string(), "--classes", (dir / "classes.txt").string(),
                    "--recipe", "keras-yolo3", "--views", "4", "--size", side});
    REQUIRE(built.exit_code == 0);
    check_read_by_python(script, dir.path());
  }
}

#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // they reserve more than is left
TEST_CASE(
    "a picture that memory does not suffice for is not a reject: exit 74, named, with what to do, "
    "and the next run has it") {
  DrawnSet set;
  const std::vector<std::uint8_t> rgb(std::size_t{9000} * 9000 * 3, 77);
  const std::vector<std::byte> png = encode_png(rgb, 9000, 9000);
  set.folder.write("large.png", std::string(reinterpret_cast<const char*>(png.data()), png.size()));
  set.list("train.txt", "large.png 10,10,400,300,0\n");
  std::vector<std::string> build_flags = build_words(set, {"--recipe", "none", "--threads", "1"});
  build_flags[10] = "0";  // views
  std::string command = "ulimit -v 300000; exec '" + program_path("letterpress-preprocess") + "'";
  for (const std::string& word : build_flags) command += " '" + word + "'";
  const ProgramResult starved = run({"/bin/sh", "-c", command});
  CHECK(starved.exit_code == 74);
  CHECK(starved.err.find("large.png: not enough memory to decode its 9000 x 9000 pixels; lower "
                         "--threads, raise the memory limit, or leave it "
                         "out by a lower --max-pixels") != std::string::npos);
  const ProgramResult result = preprocess(build_flags);
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("pictures found 1 = stored 1") != std::string::npos);
}
#endif

}  // namespace letterpress
