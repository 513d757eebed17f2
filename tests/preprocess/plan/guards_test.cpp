#include "preprocess/plan/guards.h"

#include <doctest/doctest.h>

#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

BuildOptions good() {
  BuildOptions options;
  options.store = "s";
  options.inputs = {"a.txt"};
  return options;
}

}  // namespace

TEST_CASE("each option out of its range is refused with the flag, the value and the range") {
  const auto refusal = [](auto change) {
    BuildOptions options = good();
    change(options);
    return message_of([&] { validate(options); });
  };
  CHECK(refusal([](BuildOptions&) {}) == "no error");
  CHECK(refusal([](BuildOptions& o) { o.store.clear(); }).starts_with("64 no --store given"));
  CHECK(refusal([](BuildOptions& o) { o.inputs.clear(); }) ==
        "64 no --input given, and the store has no earlier build to repeat; name the label files");
  CHECK(refusal([](BuildOptions& o) { o.side = 415; }) ==
        "64 --size is 415, must be a multiple of 32 from 32 to 8192, for instance 416 or 640");
  CHECK(refusal([](BuildOptions& o) { o.views = -2; }) ==
        "64 --views is -2, must be auto or 0 to 1024");
  CHECK(refusal([](BuildOptions& o) { o.threads = -1; }) ==
        "64 --threads is -1, must be 0 (all cores) to 4096");
  CHECK(refusal([](BuildOptions& o) { o.max_boxes = -1; }) ==
        "64 --max-boxes is -1, must be a count above 0, or 0 for no limit");
  CHECK(refusal([](BuildOptions& o) { o.max_pixels = 0; }) ==
        "64 --max-pixels is 0, must be a count above 0");
  CHECK(refusal([](BuildOptions& o) { o.shard_bytes = 0; }) ==
        "64 --shard-bytes is 0, must be bytes, for instance 256MiB");
  CHECK(refusal([](BuildOptions& o) { o.max_store_bytes = -1; }) ==
        "64 --max-store-bytes is -1, must be bytes, or 0 for no limit");
  CHECK(refusal([](BuildOptions& o) { o.group = "("; }).starts_with("64 --group ("));
  CHECK(refusal([](BuildOptions& o) { o.max_rejects = 1.5; }) ==
        "64 --max-rejects is 1.5 (150%), must be a share like 0.01 or a percentage like 1%, from 0 "
        "to "
        "100%");
  CHECK(refusal([](BuildOptions& o) {
          o.splits = {{"a/b", "x.txt"}};
        }) == "64 --split is 'a/b=x.txt', must be NAME=LABELS, for instance test=test.txt");
  // unpack would write beside its folder.
  for (const std::string name : {".", ".."})
    CHECK(refusal([&](BuildOptions& o) {
            o.splits = {{name, "x.txt"}};
          }) ==
          "64 --split is '" + name + "=x.txt', must be NAME=LABELS, for instance test=test.txt");
}

TEST_CASE(
    "options survive the round trip through the stored configuration, save what holds for one "
    "run") {
  BuildOptions options = good();
  options.inputs = {"/x/a b.txt", "/y/ü.json"};
  options.format = "voc";
  options.roots = {{"", "/r"}};
  options.classes = "/c.txt";
  options.side = 640;
  options.views = 7;
  options.recipe = "none";
  options.val = "10%";
  options.splits = {{"test", "/t.txt"}, {"other", "/o.txt"}};
  options.group = "folder";
  options.seed = 18446744073709551615ULL;
  options.max_boxes = 5;
  options.on_overflow = Overflow::largest;
  options.max_store_bytes = 7;
  options.shard_bytes = 8;
  options.max_pixels = 9;
  options.allow_outside = true;
  BuildOptions again = build_options_from_json(to_json(options));
  CHECK(again.store.empty());
  again.store = options.store;
  CHECK(again == options);
  options.threads = 3;
  options.max_rejects = 0.5;
  options.max_removed = 0.25;
  options.rebuild = options.refresh_views = options.dry_run = true;
  CHECK(to_json(options) == to_json(again));
}

TEST_CASE("relative paths are stored absolute, names and shares as they are") {
  BuildOptions options = good();
  options.inputs = {"here/../a.txt"};
  options.val = "0.1";
  const std::string json = to_json(options);
  CHECK(json.find('"' + (std::filesystem::current_path() / "a.txt").string() + '"') !=
        std::string::npos);
  CHECK(json.find("\"val\":\"0.1\"") != std::string::npos);
  CHECK(json.find("\"recipe\":\"detect\"") != std::string::npos);
}

TEST_CASE("a stored configuration that is not JSON asks for all flags") {
  CHECK(message_of([] { build_options_from_json("{\"size\":"); }).find("give all flags again") !=
        std::string::npos);
  CHECK(message_of([] {
          build_options_from_json("{\"size\":\"x\"}");
        }).find("give all flags again") != std::string::npos);
}

TEST_CASE("another side, recipe or seed than the store's is refused with both values") {
  const BuildIdentity stored{.side = 416, .recipe_name = "none", .recipe_json = "{}", .seed = 1};
  BuildIdentity wanted = stored;
  check_identity(wanted, stored, "s");
  wanted.side = 640;
  CHECK(message_of([&] { check_identity(wanted, stored, "s"); }) ==
        "78 s: holds pictures of side 416, --size asks for 640; use another --store, or --rebuild");
  wanted = stored;
  wanted.seed = 2;
  CHECK(message_of([&] { check_identity(wanted, stored, "s"); }) ==
        "78 s: holds views of seed 1, --seed asks for 2; use another --store, or --rebuild");
  wanted = stored;
  wanted.recipe_json = "{1}";
  CHECK(message_of([&] { check_identity(wanted, stored, "s"); }) ==
        "78 s: holds rows of recipe 'none', --recipe asks for 'none', which has other parameters "
        "or another --depth or --truncated now; use another "
        "--store, or --rebuild");
  wanted.recipe_name = "mine";
  CHECK(message_of([&] { check_identity(wanted, stored, "s"); }) ==
        "78 s: holds rows of recipe 'none', --recipe asks for 'mine'; use another --store, or "
        "--rebuild");
  wanted.recipe_json = "{}";  // another name for the same recipe
  check_identity(wanted, stored, "s");
}

TEST_CASE("too many rejects name the first five pictures and how many more") {
  Accounting sums;
  sums.pictures_found = 100;
  sums.pictures_stored = 93;
  sums.pictures_rejected = 7;
  std::vector<Reject> rejects{{"x:0", "box", "fix", Reject::Scope::box}};
  for (int i = 1; i <= 7; ++i) rejects.push_back({"x:" + std::to_string(i), "cut", "fix"});
  check_rejects(sums, rejects, 0.07);
  CHECK(message_of([&] { check_rejects(sums, rejects, 0.0699); }) ==
        "65 7 of 100 pictures (7%) cannot be used, --max-rejects allows 6.99%; nothing was "
        "published\n"
        "  x:1: cut; fix\n  x:2: cut; fix\n  x:3: cut; fix\n  x:4: cut; fix\n  x:5: cut; "
        "fix\n  and 2 more; --dry-run --json --max-rejects 100% lists all");
  sums.pictures_found = sums.pictures_rejected = 1;
  sums.pictures_stored = 0;
  CHECK(message_of([&] { check_rejects(sums, {rejects[1]}, 1); }) ==
        "65 1 of 1 pictures (100%) cannot be used, none is left; nothing was published\n  x:1: "
        "cut; fix");
}

TEST_CASE("too little room is refused with the numbers before anything is made") {
  const std::int64_t mebibyte = 1 << 20;
  check_space("s", {.needed = 10, .held = 10, .free = 10, .limit = 20});
  CHECK(message_of([&] {
          check_space("s", {.needed = 3 * mebibyte, .held = 0, .free = mebibyte, .limit = 0});
        }) ==
        "74 s: the new shards need 3.0 MiB, its disk has 1.0 MiB free; make room, or lower --views "
        "or --size");
  CHECK(message_of([&] {
          check_space("s", {.needed = 2 * mebibyte,
                            .held = 3 * mebibyte,
                            .free = 99 * mebibyte,
                            .limit = 4 * mebibyte});
        }) ==
        "73 s: would hold 5.0 MiB (2.0 MiB of it new), --max-store-bytes allows 4.0 MiB; raise it, "
        "or lower --views or --size");
}

TEST_CASE("the bytes needed are enough for the shards that a build writes, and not far above") {
  DrawnSet set;
  set.pictures(20);
  BuildOptions options = set.options();
  options.side = 224;
  options.max_store_bytes = 1;
  const std::string message = message_of([&] { build_quietly(options); });
  CHECK(message.starts_with("73 "));
  options.max_store_bytes = 0;
  build_quietly(options);
  const Store store = Store::open(options.store);
  std::int64_t bytes = 0;
  Plan plan;
  plan.snapshot = store.latest().value();
  for (std::size_t i = 0; i < plan.snapshot.shards.size(); ++i) {
    plan.shards.push_back(
        {.index = static_cast<std::int32_t>(i), .row_picture = {}, .row_view = {}});
    bytes += static_cast<std::int64_t>(
        std::filesystem::file_size(store.shard_path(plan.snapshot.shards[i].digest)));
  }
  const std::int64_t needed = bytes_needed(plan, std::vector<bool>(plan.shards.size(), false));
  CHECK(needed >= bytes);
  CHECK(static_cast<double>(needed) < 1.2 * static_cast<double>(bytes));
  CHECK(bytes_needed(plan, std::vector<bool>(plan.shards.size(), true)) == 0);
}

}  // namespace letterpress
