#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "letterpress/shards/store.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

TEST_CASE("rejects are appended as JSON lines, even with bytes that are not text") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  store.quarantine(1, {});
  CHECK_FALSE(fs::exists(store.quarantine_path()));
  store.quarantine(
      1, {{"a.txt:3", "x is \"nan\"", "write a number"}, {"b\xFF.jpg", "empty", "remove it"}});
  store.quarantine(2, {{"c", "d", "e"}});
  std::ifstream file(store.quarantine_path());
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
  REQUIRE(lines.size() == 3);
  CHECK(lines[0]["where"] == "a.txt:3");
  CHECK(lines[0]["what"] == "x is \"nan\"");
  CHECK(lines[0]["fix"] == "write a number");
  CHECK(lines[0]["generation"] == 1);
  CHECK(lines[0]["time"].get<std::string>().size() == std::string("2024-01-31T12:00:00Z").size());
  CHECK(lines[1]["where"] == "b\xEF\xBF\xBD.jpg");
  CHECK(lines[2]["generation"] == 2);
}

TEST_CASE("a reject is written once, with the generation that first had it") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  const Reject old{"a.txt:3", "x is \"nan\"", "write a number"},
      bytes{"b\xFF.jpg", "empty", "remove it"}, added{"a.txt:4", "cut", "repair"};
  store.quarantine(1, {old, bytes});
  store.quarantine(2, {old, added, bytes, added});
  std::ofstream(store.quarantine_path(), std::ios::app)
      << R"({"time":"20)";  // a full disk cut this line
  store.quarantine(3, {added, {"a.txt:4", "cut", "another remedy"}});
  std::ofstream(store.quarantine_path(), std::ios::app)
      << R"({"where":1,"what":["empty"],"fix":null})"
      << "\n";  // another program's line
  store.quarantine(4, {added});
  std::ifstream file(store.quarantine_path());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  REQUIRE(lines.size() == 6);
  CHECK(nlohmann::json::parse(lines[2])["where"] == "a.txt:4");
  CHECK(nlohmann::json::parse(lines[2])["generation"] == 2);
  CHECK(lines[3] == R"({"time":"20)");
  CHECK(nlohmann::json::parse(lines[4])["fix"] == "another remedy");
}
