// What predict is given: lists, links, closed folders, signals.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "letterpress/base/file.h"
#include "tests/tools/trainer/predicted_pictures.h"

using namespace letterpress;

TEST_CASE(
    "links to nothing and in circles, closed folders, FIFOs and strange names in a folder do not "
    "stop predict") {
  namespace fs = std::filesystem;
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  bench.folder.write("in/ok.png", drawn_png(64, 64));
  bench.folder.write("in/b\xE9.png", drawn_png(64, 64));  // Latin-1
  bench.folder.write("in/notes.txt", "no picture");
  bench.folder.write("in/phone.HEIC", "ftypheic");
  fs::create_directory_symlink(bench.folder / "in", bench.folder / "in/above");
  fs::create_symlink(bench.folder / "gone.png", bench.folder / "in/dangling.png");
  fs::create_symlink("circle.png", bench.folder / "in/circle.png");
  REQUIRE(mkfifo(bench.path("in/pipe.png").c_str(), 0600) == 0);
  const ProgramResult result =
      predict({"--checkpoint", bench.path("run"), "--input", bench.path("in"), "--out",
               bench.path("out"), "--device", "cpu", "--json"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  CHECK(contains(result.err, "in/above: is a link back to a folder above it; it is left out"));
  CHECK(contains(result.err, "in/dangling.png: is a link to nothing; it is left out"));
  CHECK(contains(
      result.err,
      "in/circle.png: cannot be examined: Too many levels of symbolic links; it is left out"));
  CHECK(contains(result.err,
                 "in/pipe.png: is not a regular file (a FIFO, socket or device); it is left out"));
  CHECK(contains(result.err,
                 "in/phone.HEIC: .HEIC pictures are not read; convert it to JPEG or PNG"));
  CHECK_FALSE(contains(result.err, "notes.txt"));
  const auto summary = nlohmann::json::parse(result.last_line());
  CHECK(summary.at("pictures") == 2);
  CHECK(summary.at("left_out") == 5);
  const auto pictures = nlohmann::json::parse(read_file(bench.folder / "out/detections.json"));
  REQUIRE(pictures.size() == 2);
  CHECK(pictures[0].at("picture") == bench.path("in/b\xEF\xBF\xBD.png"));  // U+FFFD
  CHECK(fs::exists(bench.folder / "out/b\xE9.png"));
}

TEST_CASE("--frames-out replaces no picture, no checkpoint, no list and none of predict's files") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  bench.folder.write("in/a.png", drawn_png(64, 64));
  bench.folder.write("list.txt", "in/a.png\n");
  for (const std::string name :
       {"in/a.png", "in/../in/a.png", "list.txt", "run/best.safetensors", "out/detections.json"}) {
    CAPTURE(name);
    const ProgramResult result =
        predict({"--checkpoint", bench.path("run"), "--input", bench.path("list.txt"), "--out",
                 bench.path("out"), "--device", "cpu", "--frames-out", bench.path(name)});
    CHECK(result.exit_code == 73);
    CHECK_MESSAGE(contains(result.err, "letterpress-predict: --frames-out " + bench.path(name) +
                                           ": would replace "),
                  result.err);
    CHECK(contains(result.err, ", which predict reads or writes too; name another file\n"));
  }
  const std::vector<std::string> words{"--checkpoint",   bench.path("run"), "--input",
                                       bench.path("in"), "--device",        "cpu"};
  const auto refused = [&](std::vector<std::string> more, int code, const std::string& text) {
    more.insert(more.begin(), words.begin(), words.end());
    const ProgramResult result = predict(more);
    CHECK(result.exit_code == code);
    CHECK_MESSAGE(contains(result.err, text), result.err);
  };
  refused({"--out", bench.path("new"), "--frames-out", bench.path("run")}, 73,
          "--frames-out " + bench.path("run") + ": is a folder");
  refused({"--out", bench.path("new"), "--frames-out", bench.path("store/FORMAT")}, 73,
          "is there and is not a .npy file");
  refused({"--out", bench.path("list.txt")}, 73,
          "--out " + bench.path("list.txt") + ": is not a folder");
  refused({"--out", bench.path("new"), "--conf", "2"}, 64, "--conf is '2'");
  refused({"--out", ""}, 64, "--out is empty, must be a folder");
  CHECK_FALSE(std::filesystem::exists(bench.path("new")));
  refused({"--out", bench.path("new"), "--frames-out", bench.path("new/frames.npy")}, 0, "");
  CHECK(std::filesystem::exists(bench.path("new/frames.npy")));
  CHECK(read_file(bench.folder / "in/a.png") == drawn_png(64, 64));
  CHECK(read_file(bench.folder / "list.txt") == "in/a.png\n");
}

TEST_CASE("SIGTERM and SIGINT end predict with 143 and 130 and the detections so far") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  const std::string png = drawn_png(64, 64);
  for (int i = 0; i < 3000; ++i)
    bench.folder.write("in/" + std::to_string(10000 + i) + ".png", png);
  for (const int signal : {SIGTERM, SIGINT}) {
    CAPTURE(signal);
    const std::filesystem::path out = bench.folder / ("out" + std::to_string(signal));
    RunningProgram running({program_path("letterpress-predict"), "--checkpoint", bench.path("run"),
                            "--input", bench.path("in"), "--out", out.string(), "--device", "cpu",
                            "--json"});
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    while (!std::filesystem::exists(out / "10000.png") && std::chrono::steady_clock::now() < limit)
      std::this_thread::yield();
    running.send(signal);
    const ProgramResult stopped = running.wait();
    CHECK(stopped.exit_code == 128 + signal);
    const auto told = nlohmann::json::parse(stopped.last_line());
    CHECK(told.at("signal") == signal);
    const auto pictures = nlohmann::json::parse(read_file(out / "detections.json"));
    CHECK(told.at("predicted") == pictures.size());
    CHECK(pictures.size() >= 1);
    CHECK(pictures.size() < 3000);
    CHECK(pictures[0].at("picture") == bench.path("in/10000.png"));
  }
}

TEST_CASE(
    "a list of pictures gives what the pictures give, whatever the batch; thresholds count per "
    "class") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  for (int i = 0; i < 5; ++i)
    bench.folder.write("in/" + std::to_string(i) + ".png", drawn_png(60 + 10 * i, 64));
  bench.folder.write("list.txt",
                     "in/0.png\nin/1.png\r\n\nin/gone.png\nin/2.png\nin/3.png\nin/4.png\n");
  const auto found = [&](const std::string& input, const std::string& batch,
                         const std::string& conf, const std::string& nms = "class") {
    const ProgramResult result =
        predict({"--checkpoint", bench.path("run"), "--input", bench.path(input), "--out",
                 bench.path("out"), "--conf", conf, "--nms", nms, "--batch", batch, "--no-draw",
                 "--device", "cpu"});
    REQUIRE_MESSAGE(result.exit_code == 0, result.err);
    if (input == "list.txt")
      CHECK(contains(result.err, "list.txt:4: " + bench.path("in/gone.png") +
                                     " is not an existing file; it is left out"));
    return nlohmann::json::parse(read_file(bench.folder / "out/detections.json"));
  };
  const auto count = [](const nlohmann::json& pictures, const std::string& name) {
    std::size_t n = 0;
    for (const auto& picture : pictures)
      for (const auto& one : picture.at("detections")) n += one.at("name") == name;
    return n;
  };
  const auto one = found("in", "1", "0.001"), four = found("list.txt", "4", "0.001");
  REQUIRE(one.size() == 5);
  REQUIRE(four.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CAPTURE(i);
    CHECK(four[i].at("picture") == bench.path("in/" + std::to_string(i) + ".png"));
    CHECK(four[i].at("detections").size() == one[i].at("detections").size());
  }
  REQUIRE(count(one, "green") > 0);
  const auto without_red = found("in", "2", "0.001,red=0.99");
  CHECK(count(without_red, "red") == 0);
  CHECK(count(without_red, "green") == count(one, "green"));
  const auto agnostic = found("in", "2", "0.001", "agnostic");
  CHECK(count(agnostic, "red") + count(agnostic, "green") + count(agnostic, "blue") <=
        count(one, "red") + count(one, "green") + count(one, "blue"));
}
