#include "preprocess/plan/choose_views.h"

#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/preprocess/drawn_set.h"

using namespace letterpress;

namespace {

const RowsBudget kPlenty{.train = 10, .clean = 12, .row_bytes = 1000, .bytes = 1'000'000'000};

int views_in(std::int64_t bytes) {
  RowsBudget budget = kPlenty;
  budget.bytes = bytes;
  return choose_views(100, budget).views;
}

int stored_views(const BuildOptions& options) { return Store::open(options.store).latest()->views; }

}  // namespace

TEST_CASE("views auto: one for every three epochs, never fewer than four") {
  CHECK(choose_views(100, kPlenty).views == 34);
  CHECK(choose_views(99, kPlenty).views == 33);
  CHECK(choose_views(30, kPlenty).views == 10);
  CHECK(choose_views(5, kPlenty).views == 4);
  CHECK(choose_views(1'000'000, kPlenty).views == 1024);
  CHECK(choose_views(100, kPlenty).reason ==
        "34 augmented views of each picture: a training of 100 epochs (--epochs-planned) sees each "
        "about 2.94 times");
}

TEST_CASE("views auto: what does not fit is the largest power of two that does, and says why") {
  // 12 clean rows and 10 pictures: 352 rows with 34 views, 172 with 16.
  CHECK(views_in(352'000) == 34);
  CHECK(views_in(351'999) == 32);
  CHECK(views_in(172'000) == 16);
  CHECK(views_in(171'999) == 8);
  CHECK(views_in(1) == 4);
  RowsBudget budget = kPlenty;
  budget.bytes = 172'000;
  budget.source = "--max-store-bytes";
  CHECK(choose_views(100, budget).reason ==
        "16 augmented views of each picture: a training of 100 epochs (--epochs-planned) sees each "
        "about 6.25 times; 34 would take 344 KiB, --max-store-bytes is 168 KiB");
}

TEST_CASE("views auto: a store keeps its number until the epochs planned change") {
  DrawnSet set;
  set.pictures(3);
  BuildOptions options = set.options();
  options.views = -1;
  options.epochs_planned = 18;
  build_quietly(options);
  CHECK(stored_views(options) == 6);
  set.pictures(5);
  options.max_store_bytes = 400'000;  // room for 4 views, of 6 it is too little
  CHECK(contains(message_of([&] { build_quietly(options); }), "--max-store-bytes allows 391 KiB"));
  options.max_store_bytes = 0;
  build_quietly(options);
  CHECK(stored_views(options) == 6);
  options.epochs_planned = 24;
  build_quietly(options);
  CHECK(stored_views(options) == 8);
  options.views = 2;
  build_quietly(options);
  CHECK(stored_views(options) == 2);
  options.views = -1;
  build_quietly(options);
  CHECK(stored_views(options) == 8);
  options.recipe = "none";
  options.rebuild = true;
  build_quietly(options);
  CHECK(stored_views(options) == 0);
}

TEST_CASE("views that are asked for are made, but none of a recipe that augments nothing") {
  DrawnSet set;
  set.pictures(2);
  BuildOptions options = set.options();
  options.views = 0;
  build_quietly(options);
  CHECK(stored_views(options) == 0);
  options.views = 3;
  options.recipe = "none";
  options.rebuild = true;
  CHECK(message_of([&] { build_quietly(options); }) ==
        "78 --views 3: recipe 'none' augments nothing, all views would be equal; use --views 0 or "
        "another recipe");
}
