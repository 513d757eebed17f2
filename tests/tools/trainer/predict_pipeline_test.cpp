// Pictures are decoded, predicted and drawn by several threads at once.
#include <doctest/doctest.h>

#include <map>

#include "letterpress/base/file.h"
#include "tests/tools/trainer/predicted_pictures.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

struct Written {
  std::map<std::string, std::string> files{};  // content by name
  std::string notes{};                         // of stderr, of pictures that cannot be used
};

Written written(const TrainerBench& bench, const std::string& out,
                const std::vector<std::string>& more) {
  std::vector<std::string> words{
      "--checkpoint",  bench.path("run"), "--input", bench.path("in"), "--out",
      bench.path(out), "--device",        "cpu",     "--conf",         "0.001"};
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = predict(words);
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  Written all;
  for (const auto& entry : fs::recursive_directory_iterator(bench.path(out))) {
    if (entry.is_regular_file())
      all.files[fs::relative(entry.path(), bench.path(out)).string()] =
          read_file(entry.path().string());
  }
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t place = line.find("bad"); place != std::string::npos)
      all.notes += line.substr(place, 5) + " ";
  }
  return all;
}

}  // namespace

TEST_CASE(
    "the same files are written, and the same pictures named, for any number of threads, of each "
    "engine that is here") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  for (int i = 0; i < 20; ++i) {
    const std::string name = "in/" + std::to_string(10 + i);
    if (i % 6 == 4)
      bench.folder.write(name + "bad" + std::to_string(10 + i) + ".png", "no picture");
    else
      bench.folder.write(name + ".png", drawn_png(20 + 37 * i % 300, 30 + 53 * i % 200));
  }
  // Last digits of what torch computes depend on how many threads it has.
  using Counts = std::vector<std::string>;
  for (const auto& [engine, counts] :
       {std::pair{std::string("torch"), Counts{"7", "7"}}, {"auto", Counts{"2", "7"}}}) {
    CAPTURE(engine);
    const std::string first = engine == "torch" ? "7" : "1";
    const Written one =
        written(bench, "one" + engine, {"--engine", engine, "--threads", first, "--batch", "3"});
    CHECK(one.files.size() == 18);  // 17 drawn pictures and the findings
    CHECK(one.notes == "bad14 bad20 bad26 ");
    for (const std::string& threads : counts) {
      CAPTURE(threads);
      const Written many = written(bench, threads + engine,
                                   {"--engine", engine, "--threads", threads, "--batch", "3"});
      CHECK(many.notes == one.notes);
      REQUIRE(many.files.size() == one.files.size());
      for (const auto& [name, content] : one.files) {
        CAPTURE(name);
        CHECK(many.files.at(name) == content);
      }
    }
  }
}

TEST_CASE("a drawing that cannot be written ends predict, with its name and exit 74") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  for (int i = 0; i < 40; ++i)
    bench.folder.write("in/" + std::to_string(10 + i) + ".png", drawn_png(64, 48));
  fs::create_directories(bench.folder / "out/13.png/taken");
  const ProgramResult result =
      predict({"--checkpoint", bench.path("run"), "--input", bench.path("in"), "--out",
               bench.path("out"), "--device", "cpu", "--threads", "3", "--batch", "2"});
  CHECK(result.exit_code == 74);
  CHECK_MESSAGE(contains(result.err, bench.path("out/13.png")), result.err);
  // What was found until then is kept.
  const auto kept = nlohmann::json::parse(read_file(bench.folder / "out/detections.json"));
  CHECK(kept.size() > 3);
  CHECK(kept.at(3).at("picture") == bench.path("in/13.png"));
}

TEST_CASE("a label file that cannot be written ends predict too, whatever waits") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  for (int i = 0; i < 40; ++i)
    bench.folder.write("in/" + std::to_string(10 + i) + ".png", drawn_png(64, 48));
  fs::create_directories(bench.folder / "labels/13.txt/taken");
  const ProgramResult result = predict({"--checkpoint", bench.path("run"), "--input",
                                        bench.path("in"), "--out", bench.path("labels"), "--format",
                                        "yolo", "--overwrite", "--device", "cpu", "--batch", "2"});
  CHECK(result.exit_code == 74);
  CHECK_MESSAGE(contains(result.err, bench.path("labels/13.txt")), result.err);
}

}  // namespace letterpress
