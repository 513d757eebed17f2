#include "trainer/fit/log/results_csv.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "tests/temp_dir.h"

using namespace letterpress;

TEST_CASE(
    "results.csv has a header and a line per epoch; without val metrics their fields are empty") {
  const TempDir dir;
  ResultsCsv results(dir / "results.csv", {"box", "class"}, 0);
  results.append({.epoch = 1,
                  .step = 18,
                  .terms = {1.5, 0.25},
                  .lr = 0.001,
                  .images_per_s = 23.5,
                  .data_wait = 0.004,
                  .metrics =
                      EpochResult::Metrics{
                          .map50 = 0.7, .map = 0.4, .precision = 0.8, .recall = 0.9, .loss = 2.5},
                  .seconds = 12.25});
  results.append({.epoch = 2,
                  .step = 35,
                  .terms = {1, 2},
                  .lr = 1e-5,
                  .images_per_s = 20,
                  .data_wait = 1,
                  .seconds = 30});
  CHECK(read_file(dir / "results.csv") ==
        "epoch,step,box,class,loss,lr,images_per_s,data_wait_percent,map50,map50_95,precision,"
        "recall,val_loss,seconds\n"
        "1,18,1.5,0.25,1.75,0.001,23.5,0.4,0.7,0.4,0.8,0.9,2.5,12.25\n"
        "2,35,1,2,3,1e-05,20,100,,,,,,30\n");
}

TEST_CASE("a resumed run keeps the whole lines of its epochs and drops later and torn ones") {
  const TempDir dir;
  const std::string header =
      "epoch,step,box,loss,lr,images_per_s,data_wait_percent,map50,map50_95,precision,recall,"
      "val_loss,seconds\n";
  const std::string one = "1,5,1,1,1,1,1,,,,,,1\n", two = "2,9,1,1,1,1,1,,,,,,2\n",
                    three = "3,13,1,1,1,1,1,,,,,,3\n";
  const auto resumed = [&](const std::string& content, std::int64_t epochs_done) {
    const auto file = dir.write("results.csv", content);
    ResultsCsv(file, {"box"}, epochs_done);
    return read_file(file);
  };
  CHECK(resumed(header + one + two + three, 2) == header + one + two);
  CHECK(resumed(header + one + "2,9,1,", 2) == header + one);
  CHECK(resumed(header + one + two.substr(0, two.size() - 1), 2) == header + one);
  CHECK(resumed(header + one, 0) == header);
  CHECK(resumed("something else\n" + one, 2) == header);
  CHECK(resumed("", 0) == header);
}

TEST_CASE("a file that other programs have changed keeps its lines, and all of it beside them") {
  const TempDir dir;
  const std::string header =
      "epoch,step,box,loss,lr,images_per_s,data_wait_percent,map50,map50_95,precision,recall,"
      "val_loss,seconds\n";
  const std::string one = "1,5,1,1,1,1,1,,,,,,1\n";
  const auto resumed = [&](const std::string& content) {
    const auto file = dir.write("results.csv", content);
    ResultsCsv(file, {"box"}, 2);
    return read_file(file);
  };
  const auto with_ends = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
      text.insert(at, "\r");
    return text;
  };
  CHECK(resumed(with_ends(header + one)) == header + one);
  CHECK(resumed("\xEF\xBB\xBF" + header + one) == header + one);
  CHECK_FALSE(std::filesystem::exists(dir / "results.csv.old"));
  const std::string noted =
      header.substr(0, header.size() - 1) + ",note\n" + one.substr(0, one.size() - 1) + ",good\n";
  CHECK(resumed(noted) == header + one);
  CHECK(read_file(dir / "results.csv.old") == noted);
  const std::string foreign = "time,value\n1,2\n";
  CHECK(resumed(foreign) == header);
  CHECK(read_file(dir / "results.csv.old") == noted);  // the first one may be the only copy
}

TEST_CASE(
    "a run of a program that wrote no loss of val is resumed with its lines, that field empty") {
  const TempDir dir;
  const std::string old =
      "epoch,step,box,loss,lr,images_per_s,data_wait_percent,map50,map50_95,precision,recall,"
      "seconds\n1,5,1,1,0.01,1,1,0.5,0.25,0.75,0.125,9\n";
  const auto file = dir.write("results.csv", old);
  ResultsCsv(file, {"box"}, 1);
  CHECK(read_file(file) ==
        "epoch,step,box,loss,lr,images_per_s,data_wait_percent,map50,map50_95,precision,recall,"
        "val_loss,seconds\n1,5,1,1,0.01,1,1,0.5,0.25,0.75,0.125,,9\n");
}

TEST_CASE("an epoch that ends a second time after a resumption has one line, the new one") {
  const TempDir dir;
  const auto lines = [&] {
    const std::string content = read_file(dir / "results.csv");
    return std::count(content.begin(), content.end(), '\n');
  };
  ResultsCsv killed(dir / "results.csv", {"box"}, 0);
  for (const std::int64_t epoch : {1, 2})
    killed.append({.epoch = epoch, .step = 5 * epoch, .terms = {1}});
  ResultsCsv resumed(dir / "results.csv", {"box"}, 1);  // its checkpoint was of the end of epoch 1
  CHECK(lines() == 2);
  for (const std::int64_t epoch : {2, 3})
    resumed.append({.epoch = epoch, .step = 5 * epoch, .terms = {7}});
  CHECK(lines() == 4);
  CHECK(read_file(dir / "results.csv").find("\n2,10,7,7,") != std::string::npos);
  CHECK(read_file(dir / "results.csv").find("\n2,10,1,") == std::string::npos);
}

TEST_CASE(
    "results.csv is read back by column, empty fields as no number, a torn last line not at all") {
  const TempDir dir;
  ResultsCsv results(dir / "results.csv", {"box", "class"}, 0);
  results.append({.epoch = 1,
                  .step = 18,
                  .terms = {1.5, 0.25},
                  .metrics = EpochResult::Metrics{0.7, 0.4, 0.8, 0.9}});
  results.append({.epoch = 2, .step = 35, .terms = {1, 2}});
  std::ofstream(dir / "results.csv", std::ios::app) << "3,52,1";
  const RunResults read = read_results(dir / "results.csv");
  CHECK(read.term_names() == std::vector<std::string>{"box", "class"});
  REQUIRE(read.find("map50"));
  CHECK(read.find("map50")->at(0) == 0.7);
  CHECK(std::isnan(read.find("map50")->at(1)));
  CHECK(*read.find("loss") == std::vector<double>{1.75, 3});
  CHECK(*read.find("epoch") == std::vector<double>{1, 2});
  CHECK(read.find("top1") == nullptr);
  CHECK_THROWS_WITH_AS(
      read_results(dir.write("other.csv", "name,price\n")),
      doctest::Contains("other.csv: is not a results.csv of a run, its first line is 'name,price'"),
      Error);
}
