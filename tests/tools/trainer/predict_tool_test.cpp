#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "preprocess/pictures/picture.h"
#include "tests/tools/trainer/predicted_pictures.h"

using namespace letterpress;

namespace {

PictureInfo info_of(const std::filesystem::path& file) {
  const std::string content = read_file(file);
  const auto info = probe(std::as_bytes(std::span(content)), file.string());
  REQUIRE(info);
  return *info;
}

}  // namespace

TEST_CASE("predict refuses a model that gives whole pictures a class, and says what takes it") {
  const TrainerBench bench({.side = 32, .train = 4, .val = 0, .whole_pictures = true});
  REQUIRE(trainer(bench.fit_words("run", {"--model", "minigooglenet"})).exit_code == 0);
  bench.folder.write("a.png", drawn_png(32, 32));
  const ProgramResult refused = predict({"--checkpoint", bench.path("run"), "--input",
                                         bench.path("a.png"), "--out", bench.path("out")});
  CHECK(refused.exit_code == 78);
  CHECK(contains(refused.err,
                 "model minigooglenet gives whole pictures a class, predict writes boxes; "
                 "`letterpress-trainer eval` measures it"));
}

TEST_CASE(
    "predict writes detections in source pixels, draws each picture, and names and skips a bad "
    "one") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  bench.folder.write("in/a b.png", drawn_png(100, 80));
  bench.folder.write("in/deep/\xC3\xBC.PNG", drawn_png(37, 200));
  bench.folder.write("in/text.jpg", "hello");
  bench.folder.write("in/notes.txt", "no picture, not looked at");
  const std::string single = bench.folder.write("single.png", drawn_png(64, 64)).string();

  const std::string before = read_file(bench.path("in/a b.png"));
  const ProgramResult onto = predict(
      {"--checkpoint", bench.path("run"), "--input", bench.path("in"), "--out", bench.path("in")});
  CHECK(onto.exit_code == 73);
  CHECK(contains(onto.err, "--out " + bench.path("in") + ": the drawing of " +
                               bench.path("in/a b.png") + " would replace the picture "));
  CHECK(read_file(bench.path("in/a b.png")) == before);

  // Hardly trained: a low confidence brings boxes to look at.
  const ProgramResult result =
      predict({"--checkpoint", bench.path("run"), "--input", bench.path("in"), single, "--out",
               bench.path("out"), "--conf", "0.001", "--device", "cpu", "--json"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  CHECK(contains(result.err, "text.jpg: "));
  const auto summary = nlohmann::json::parse(result.last_line());
  CHECK(summary.at("pictures") == 4);
  CHECK(summary.at("rejected") == 1);
  const auto pictures = nlohmann::json::parse(read_file(bench.folder / "out/detections.json"));
  REQUIRE(pictures.size() == 3);
  CHECK(pictures[0].at("picture") == bench.path("in/a b.png"));
  CHECK(pictures[1].at("picture") == bench.path("in/deep/\xC3\xBC.PNG"));
  CHECK(pictures[1].at("width") == 37);
  CHECK(pictures[1].at("height") == 200);
  CHECK(pictures[2].at("picture") == single);
  std::size_t detections = 0;
  for (const auto& picture : pictures) {
    double last = 1;
    for (const auto& found : picture.at("detections")) {
      ++detections;
      const auto box = found.at("box").get<std::vector<double>>();
      CHECK(box[0] >= 0);
      CHECK(box[0] < box[2]);
      CHECK(box[2] <= picture.at("width").get<double>());
      CHECK(box[1] >= 0);
      CHECK(box[1] < box[3]);
      CHECK(box[3] <= picture.at("height").get<double>());
      CHECK(found.at("score").get<double>() <= last);
      last = found.at("score").get<double>();
      CHECK(DrawnStore::classes().at(found.at("class").get<std::size_t>()) == found.at("name"));
    }
  }
  CHECK(detections > 0);
  CHECK(summary.at("detections") == detections);
  const PictureInfo drawn = info_of(bench.folder / "out/deep/\xC3\xBC.png");
  CHECK(drawn.width == 37);
  CHECK(drawn.height == 200);
  CHECK(info_of(bench.folder / "out/a b.png").width == 100);
  CHECK(info_of(bench.folder / "out/single.png").width == 64);
}

TEST_CASE(
    "two pictures of one name are drawn side by side; --no-draw draws none and finds the same") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  const std::string one = bench.folder.write("one/x.png", drawn_png(64, 48)).string(),
                    two = bench.folder.write("two/x.png", drawn_png(48, 64)).string();
  const auto words = [&](const std::string& out) {
    return std::vector<std::string>{"--checkpoint", bench.path("run/best.safetensors"),
                                    "--input",      one,
                                    "--input",      two,
                                    "--out",        bench.path(out),
                                    "--conf",       "0.001",
                                    "--device",     "cpu"};
  };
  REQUIRE(predict(words("drawn")).exit_code == 0);
  CHECK(info_of(bench.folder / "drawn/x.png").width == 64);
  CHECK(info_of(bench.folder / "drawn/x-2.png").width == 48);
  std::vector<std::string> plain = words("plain");
  plain.push_back("--no-draw");
  REQUIRE(predict(plain).exit_code == 0);
  CHECK(read_file(bench.folder / "plain/detections.json") ==
        read_file(bench.folder / "drawn/detections.json"));
  CHECK_FALSE(std::filesystem::exists(bench.folder / "plain/x.png"));
}

TEST_CASE(
    "a large JPEG, of which the model needs a part of the pixels, gives the same detections "
    "whether it is drawn or not") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  constexpr int kWidth = 600, kHeight = 500;
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < kWidth * kHeight; ++i) {
    for (const int period : {3, 5, 7})
      rgb.push_back(static_cast<std::uint8_t>((i % kWidth) * (i / kWidth) / period % 256));
  }
  const auto jpeg = encode_jpeg(rgb, kWidth, kHeight, 90);
  const std::string picture =
      bench.folder.write("large.jpg", {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()})
          .string();
  const auto found = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> words{
        "--checkpoint",  bench.path("run"), "--input", picture,    "--out",
        bench.path(out), "--conf",          "0.001",   "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = predict(words);
    REQUIRE_MESSAGE(result.exit_code == 0, result.err);
    return read_file(bench.folder / out / "detections.json");
  };
  const std::string drawn = found("drawn", {});
  CHECK(contains(drawn, "score"));
  CHECK(drawn == found("plain", {"--no-draw"}));
  CHECK(info_of(bench.folder / "drawn/large.png").width == kWidth);
}

TEST_CASE(
    "predict says what is missing: 66 without a picture, 65 when none can be used, 64 for a wrong "
    "flag") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  std::filesystem::create_directory(bench.folder / "empty");
  const auto check = [&](int code, const std::string& input, std::vector<std::string> more,
                         const std::string& text) {
    CAPTURE(text);
    std::vector<std::string> words{"--checkpoint", bench.path("run"), "--input",  input,
                                   "--out",        bench.path("out"), "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = predict(words);
    CHECK(result.exit_code == code);
    CHECK_MESSAGE(contains(result.err, text), result.err);
  };
  check(66, bench.path("empty"), {},
        "empty: holds no picture and names none (.jpg .jpeg .jpe .jfif .png .bmp .dib .tif .tiff "
        ".webp)");
  check(66, bench.path("none.png"), {},
        "none.png: does not exist; --input takes pictures, folders or lists");
  check(65, bench.folder.write("cut.png", drawn_png(64, 64).substr(0, 60)).string(), {},
        "cut.png: ");
  check(65, bench.folder.write("empty.png", "").string(), {}, "empty.png: ");
  std::filesystem::create_symlink("loop", bench.folder / "loop");
  check(66, bench.path("loop"), {},
        "loop: cannot be reached: Too many levels of symbolic links; --input takes pictures, "
        "folders or lists");
  check(65, "/dev/null", {},
        "/dev/null: is not a regular file (a folder, FIFO or device); name a file\n");
  const std::string large = bench.folder.write("large.png", drawn_png(64, 64)).string();
  check(65, large, {"--max-pixels", "4095"}, "raise --max-pixels");
  check(64, large, {"--max-pixels", "0"}, "--max-pixels is 0, must be 1 or more");
  check(64, large, {"--depth", "10"},
        "--depth 10: must be 8, 12, 16 or minmax: which levels of 16-bit pictures become black and "
        "white");
  check(64, large, {"--threads", "-1"}, "--threads is -1, must be 0 (all cores) to 4096");
  check(64, bench.path("empty"), {"--nodraw"},
        "unknown flag '--nodraw'; did you mean '--no-draw'?");
  check(64, bench.folder.write("ok.png", drawn_png(64, 64)).string(), {"--conf", "1.5"},
        "--conf is '1.5', must be a score of 0 or more and under 1, or CLASS=SCORE");
  check(64, bench.path("ok.png"), {"--conf", "0.5,rad=0.1"},
        "--conf rad=0.1: unknown class 'rad'; did you mean 'red'? known: red, ");
  check(64, bench.path("ok.png"), {"--format", "cooc"},
        "unknown format 'cooc'; did you mean 'coco'?");
  check(64, bench.path("ok.png"), {"--nms", "sift"},
        "unknown suppression 'sift'; did you mean 'soft'?");
  check(64, bench.path("ok.png"), {"--batch", "0"}, "--batch is 0, must be 1 to 4096");
  bench.folder.write("other/ok.jpg", drawn_png(64, 64));
  check(64, bench.path("ok.png"), {"--format", "yolo", "--input", bench.path("other/ok.jpg")},
        "--input: " + bench.path("ok.png") + " and " + bench.path("other/ok.jpg") +
            " would have labels of one name, 'ok'; rename one of them");
  CHECK_FALSE(std::filesystem::exists(bench.folder / "out/detections.json"));
  // What was found before stays, too, where no picture can be used.
  const std::string found = (bench.folder / "out/detections.json").string();
  const std::string yesterday = R"([{"picture":"a","width":8,"height":8,"detections":[]}])";
  bench.folder.write("out/detections.json", yesterday);
  check(65, bench.path("empty.png"), {}, "empty.png: ");
  CHECK(read_file(found) == yesterday);
}

TEST_CASE("build takes the pictures for what predict found in them, not the drawings beside it") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  bench.folder.write("in/a.png", drawn_png(100, 80));
  REQUIRE(predict({"--checkpoint", bench.path("run"), "--input", bench.path("in"), "--out",
                   bench.path("found"), "--conf", "0.001", "--device", "cpu", "--format", "coco"})
              .exit_code == 0);
  CHECK(std::filesystem::exists(bench.folder / "found/drawn/a.png"));
  const ProgramResult built = run({program_path("letterpress-preprocess"), "build", "--store",
                                   bench.path("again"), "--input", bench.path("found"), "--root",
                                   bench.path("in"), "--size", "64", "--views", "0"});
  CAPTURE(built.err);
  REQUIRE(built.exit_code == 0);
  const ProgramResult ledger = run(
      {program_path("letterpress-preprocess"), "ledger", "--store", bench.path("again"), "--json"});
  CHECK(contains(ledger.out, std::filesystem::canonical(bench.folder / "in/a.png").string()));
  CHECK(!contains(ledger.out, "drawn"));
  // Measured against itself, as its boxes are the labels there.
  const ProgramResult measured =
      trainer({"eval", "--store", bench.path("again"), "--split", "train", "--detections",
               bench.path("found/instances.json"), "--json"});
  CAPTURE(measured.err);
  REQUIRE(measured.exit_code == 0);
  CHECK(nlohmann::json::parse(measured.last_line()).at("map50") == 1);
}

TEST_CASE(
    "findings that cannot be written are named as they were wished for, with exit 74, and nothing "
    "is left of them") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  bench.folder.write("in/a.png", drawn_png(100, 80));
  for (const auto& [format, file] :
       {std::pair{"json", "detections.json"}, std::pair{"coco", "instances.json"},
        std::pair{"voc", "a.xml"}}) {
    const std::filesystem::path out = bench.folder / format;
    check_named_as_too_large(
        run_with_small_files(
            1, {program_path("letterpress-predict"), "--checkpoint", bench.path("run"), "--input",
                bench.path("in"), "--out", out.string(), "--conf", "0.001", "--device", "cpu",
                "--no-draw", "--format", format}),
        out / file);
    CHECK(std::filesystem::is_empty(out));
  }
}
