#pragma once
#include "letterpress/shards/plan.h"
#include "letterpress/shards/snapshot.h"

namespace letterpress {

// A snapshot in which every field differs from its default.
inline Snapshot sample_snapshot(std::int64_t generation = 42) {
  Snapshot snapshot{.generation = generation,
                    .parent = generation - 1,
                    .views = 4,
                    .producer = "letterpress test"};
  snapshot.identity = {.side = 640,
                       .recipe_name = "detect",
                       .recipe_json = R"({"a":[1,"\"x\""]})",
                       .seed = 0xFFFFFFFFFFFFFFFF,
                       .draw = 2};
  snapshot.classes = {"cat", "Grüße"};
  snapshot.category_ids = {{"cat", 17}};
  snapshot.class_lists = {{"/set/train.txt", {"cat", "Grüße"}}};
  snapshot.category_lists = {{"/set/a.json", {{1, "Grüße"}, {17, "cat"}}}};
  snapshot.shards = {{.digest = hash128("one"),
                      .split = "train",
                      .augmented = true,
                      .rows = 500,
                      .max_boxes = 16,
                      .dead = {3, 77}},
                     {.digest = hash128("two"),
                      .split = "val",
                      .rows = 70,
                      .max_boxes = 8,
                      .channel_sum = {1'000'000'000'000, 0, 3}}};
  snapshot.statistics = {.max_boxes = 16,
                         .anchors = {{10.5, 13}, {1.0 / 3, 23}},
                         .channel_mean = {100.1, 99.9, 0.1},
                         .boxes_per_class = {{"cat", 10}, {"Grüße", 20}},
                         .box_side_histogram = {0, 5, 1}};
  snapshot.accounting = {10, 7, 2, 1, 2, 40, 30, 4, 6, 3, 1};
  snapshot.logical_digest = hash128("logical");
  snapshot.configuration_json = R"({"input":["a b"]})";
  return snapshot;
}

inline std::vector<LedgerEntry> sample_ledger() {
  LedgerEntry stored{.path = "/data/a b.jpg",
                     .name = "a b.jpg",
                     .where = "train.txt:1",
                     .picture_hash = hash128("p"),
                     .labels_hash = hash128("l"),
                     .split = "train",
                     .image_id = 9,
                     .boxes = 2,
                     .views = 4,
                     .rows = {{.shard = 0, .row = 5},
                              {.shard = 1, .row = 20, .view = 1, .n = 3},
                              {.shard = 0, .row = 9, .view = 4}},
                     .width = 640,
                     .height = 480};
  LedgerEntry rejected{.name = std::string("\xFF\0.jpg", 6),
                       .where = "train.txt:2",
                       .split = "val",
                       .state = InputState::rejected,
                       .reason = "empty file"};
  LedgerEntry duplicate{.path = "/data/c.jpg", .state = InputState::duplicate};
  return {stored, rejected, duplicate};
}

inline Plan sample_plan() {
  Plan plan{.snapshot = sample_snapshot(), .ledger = sample_ledger()};
  plan.pictures = {{.entry = 0,
                    .label = 3,
                    .offset = 512,
                    .length = 1000,
                    .boxes = {{1, 2, 3.5F, 4, 1, kCrowd, 77}, {0, 0, 9, 9, 0}}},
                   {.entry = 2}};
  plan.shards = {{.index = 0, .group = 1, .row_picture = {0, 1, 0}, .row_view = {1, 1, 2}},
                 {.index = 1, .group = 0, .copies = {{1, 8, 0}, {0, 3, 2}}}};
  plan.sources = {hash128("three"), hash128("four")};
  return plan;
}

/// sample_plan() with outlines of two of its boxes, one of them with as many corners as there can
/// be.
inline Plan outlined_plan() {
  Plan plan = sample_plan();
  plan.pictures[0].boxes[1].outline = {{0, 5}, {kWholeSide, 0}, {300, kWholeSide}};
  LabelBox many{5, 5, 50, 50, 1};
  for (std::uint16_t i = 0; i < kMaxOutlinePoints; ++i)
    many.outline.push_back({i, static_cast<std::uint16_t>(i * i)});
  plan.pictures[1].boxes = {{1, 1, 2, 2, 0}, many};
  return plan;
}

}  // namespace letterpress
