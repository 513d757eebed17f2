// Snapshots whose checksum fits and that no build wrote.
#include <doctest/doctest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "letterpress/shards/snapshot.h"
#include "sample_snapshot.h"
#include "tests/contains.h"
#include "tests/message_of.h"

using namespace letterpress;
using nlohmann::json;

namespace {

// docs/reference/store.md: the checksum is that of the content's compact text.
std::string resealed(const std::function<void(json&)>& change) {
  json file = json::parse(to_json(sample_snapshot()));
  change(file["snapshot"]);
  file["checksum"] = hash128(file["snapshot"].dump()).hex();
  return file.dump(1) + "\n";
}

struct Case {
  const char* what;
  std::function<void(json&)> change;
  std::string message;
};

}  // namespace

TEST_CASE("a snapshot whose checksum fits is refused where a number cannot be") {
  const Case cases[]{
      {"no side", [](json& s) { s["identity"]["side"] = 0; },
       "side is 0, must be a multiple of 32 from 32 to 8192"},
      {"a side that an int is too narrow for",
       [](json& s) { s["identity"]["side"] = (std::int64_t{1} << 40) + 416; },
       "side is 1099511628192, which is not possible"},
      {"room for more boxes than shards have",
       [](json& s) { s["statistics"]["max_boxes"] = 2147483647; },
       "max_boxes, of which the shards have up to 16, is 2147483647, must be 0..16"},
      {"room for fewer than none", [](json& s) { s["statistics"]["max_boxes"] = -1; }, "max_boxes"},
      {"room that an int is too narrow for",
       [](json& s) { s["statistics"]["max_boxes"] = (std::int64_t{1} << 40) + 16; },
       "max_boxes is 1099511627792, which is not possible"},
      {"a shard with more boxes than a shard may have",
       [](json& s) { s["shards"][0]["max_boxes"] = 1 << 25; },
       "of shard 0, max_boxes is 33554432, must be 0..16777216"},
      {"views", [](json& s) { s["views"] = 2147483647; }, "views is 2147483647, must be 0..1024"},
      {"rows that are a fraction", [](json& s) { s["shards"][1]["rows"] = 7.5; },
       "of shard 1, rows is 7.5, which is not possible"},
      {"accounting", [](json& s) { s["accounting"]["boxes_found"] = std::int64_t{1} << 62; },
       "a number of its accounting is 4611686018427387904"},
      {"a shard twice", [](json& s) { s["shards"].push_back(s["shards"][0]); }, "is named twice"},
      {"a digest that is a path",
       [](json& s) { s["shards"][0]["digest"] = "../../../../etc/passwd"; },
       "('../../../../etc/passwd' is not a digest, must be 32 hexadecimal digits"},
      {"a split that is a path", [](json& s) { s["shards"][0]["split"] = "../../x"; },
       "the split is '../../x', which cannot name a folder"},
      {"dead rows in another order",
       [](json& s) {
         s["shards"][0]["dead"] = {77, 3};
       },
       "the dead rows do not ascend within its 500"},
      {"anchors",
       [](json& s) {
         s["statistics"]["anchors"] = {{-1.5, 2.5}};
       },
       "anchors are not"},
      {"a mean",
       [](json& s) {
         s["statistics"]["channel_mean"] = {1e300, 0.0, 0.0};
       },
       "channel_mean is not 0..255"},
  };
  CHECK_NOTHROW(snapshot_from_json(resealed([](json&) {}), "s"));
  CHECK_NOTHROW(snapshot_from_json(resealed([](json& s) {  // as in a plan
                                     for (json& shard : s["shards"])
                                       shard["digest"] = std::string(32, '0');
                                   }),
                                   "s"));
  for (const Case& bad : cases) {
    CAPTURE(bad.what);
    const std::string told =
        message_of([&] { snapshot_from_json(resealed(bad.change), "00000042.json"); });
    CHECK(told.starts_with("65 00000042.json: "));
    CHECK_CONTAINS(told, bad.message);
  }
}

TEST_CASE("a snapshot that is nested deeper than the stack is refused") {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  CHECK(message_of([&] {
          snapshot_from_json(R"({"checksum":"x","format":1,"snapshot":)" + deep + "}", "s");
        }) == "65 s: is nested more than 64 levels deep; it was not written by this program");
  CHECK(message_of([&] {
          snapshot_from_json(resealed([&](json& s) { s["identity"]["recipe_json"] = deep; }), "s");
        }).starts_with("65 s: recipe_json: is nested more than 64 levels deep"));
  CHECK(message_of([&] {
          snapshot_from_json(resealed([&](json& s) { s["configuration"] = deep; }), "s");
        }).starts_with("65 s: configuration: is nested more than 64 levels deep"));
  CHECK_CONTAINS(message_of([&] { letterbox_rule_from_json(deep); }), "is nested more than 64");
  CHECK_CONTAINS(message_of([&] {
                   shard_record_from_json(R"({"checksum":"x","format":1,"record":)" + deep + "}",
                                          "r");
                 }),
                 "65 r: is nested more than 64");
}

TEST_CASE("a snapshot that contradicts itself is told, one that a build wrote does not") {
  Snapshot snapshot = sample_snapshot();
  CHECK(contradictions_in(snapshot).empty());
  snapshot.classes.clear();
  snapshot.accounting.pictures_found += 1;
  snapshot.accounting.boxes_merged += 1;
  for (SnapshotShard& shard : snapshot.shards) {
    shard.dead.clear();
    for (std::int64_t row = 0; row < shard.rows; ++row) shard.dead.push_back(row);
  }
  CHECK(contradictions_in(snapshot) ==
        std::vector<std::string>{"it has no row that may be used", "it has no classes",
                                 "of its pictures, found is not stored + duplicate + rejected",
                                 "of its boxes, found is not stored + merged + rejected"});
}
