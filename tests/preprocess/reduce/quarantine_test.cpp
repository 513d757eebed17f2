// quarantine.jsonl: what a build rejected, for whoever fixes it.
#include <doctest/doctest.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>

#include "letterpress/base/fault_hook.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {

TEST_CASE("the quarantine holds one line per reject, with where, what and how to fix it") {
  DrawnSet set;
  set.pictures(3);
  set.folder.write("bad.png", "hello, this is text");
  set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1) +
                            "bad.png 1,1,5,5,0\np2.png 1,1,5,5,0 7,7,7,9,0\n");
  const BuildOptions options = set.options();
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.pictures_rejected == 1);
  CHECK(report.accounting.boxes_rejected == 2);
  std::istringstream lines(file_text(options.store / "quarantine.jsonl"));
  std::vector<nlohmann::json> rejects;
  for (std::string line; std::getline(lines, line);) rejects.push_back(nlohmann::json::parse(line));
  REQUIRE(rejects.size() == 2);
  CHECK(rejects[0].at("generation") == 1);
  CHECK(rejects[0].at("where").get<std::string>().find("train.txt:3: ") != std::string::npos);
  CHECK(rejects[0].at("where").get<std::string>().find("bad.png") != std::string::npos);
  CHECK(rejects[1].at("where").get<std::string>().find("train.txt:4, object 2") !=
        std::string::npos);
  CHECK(rejects[1].at("what") == "box 7,7,7,9 has no area");
  CHECK_FALSE(rejects[1].at("fix").get<std::string>().empty());
}

TEST_CASE(
    "rejects are told before the snapshot that leaves them out is there, and once however many "
    "builds meet them") {
  DrawnSet set;
  set.pictures(3);
  set.folder.write("bad.png", "hello, this is text");
  set.list("train.txt", DrawnSet::line(0) + "bad.png 1,1,5,5,0\n");
  const BuildOptions options = set.options();
  {
    // As a kill at this point would.
    set_fault_hook([](std::string_view operation, std::string_view path) {
      return operation == "link" && path.ends_with("00000001.json") ? EIO : 0;
    });
    const std::string message = message_of([&] { build_quietly(options); });
    set_fault_hook(nullptr);
    CHECK(message.starts_with("74 "));
  }
  const std::string told = file_text(options.store / "quarantine.jsonl");
  CHECK(std::count(told.begin(), told.end(), '\n') == 1);
  CHECK(build_quietly(options).published);
  set.list("train.txt", DrawnSet::line(0) + "bad.png 1,1,5,5,0\n" + DrawnSet::line(1));
  CHECK(build_quietly(options).generation == 2);
  CHECK(file_text(options.store / "quarantine.jsonl") == told);
}

}  // namespace letterpress
