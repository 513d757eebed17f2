#include "preprocess/plan/rename_classes.h"

#include <doctest/doctest.h>

#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

Snapshot latest(const BuildOptions& options) { return Store::open(options.store).latest().value(); }

struct Notes : BuildListener {
  std::vector<std::string> texts;
  void note(const std::string& text) override { texts.push_back(text); }
};

// 5 pictures as CSV, where classes have names.
BuildOptions csv_options(DrawnSet& set, const std::string& first = "cat",
                         const std::string& second = "dog") {
  std::string rows;
  for (int i = 0; i < 5; ++i) {
    const std::string name = "p" + std::to_string(i) + ".png";
    set.picture(name, i);
    rows += name + ",10,10,40,30," + (i % 2 ? second : first) + "\n";
  }
  set.list("boxes.csv", rows);
  BuildOptions options = set.options_of("boxes.csv");
  return options;
}

}  // namespace

TEST_CASE(
    "a renamed class keeps its id and its rows, whichever name the label files write from then "
    "on") {
  DrawnSet set;
  BuildOptions options = csv_options(set);
  build_quietly(options);
  const auto shards = shard_names(options.store);
  const auto rows = row_contents(options.store);
  options.renames = {{"dog", "hound"}};
  const BuildReport renamed = build_quietly(options);
  CHECK(renamed.published);
  CHECK(renamed.pictures_new == 0);
  CHECK(renamed.drift->classes == 0);
  CHECK(latest(options).classes == std::vector<std::string>{"cat", "hound"});
  CHECK(latest(options).statistics.boxes_per_class ==
        std::map<std::string, std::int64_t>{{"cat", 3}, {"hound", 2}});
  CHECK(shard_names(options.store) == shards);
  CHECK(row_contents(options.store).size() == rows.size());
  CHECK_FALSE(build_quietly(options).published);
  csv_options(set, "cat", "hound");
  CHECK_FALSE(build_quietly(options).published);
  const BuildOptions again = build_options_from_json(latest(options).configuration_json);
  CHECK(again.renames == options.renames);
}

TEST_CASE(
    "a store with a renamed class says the same as one that is built from scratch under the new "
    "name") {
  DrawnSet set;
  BuildOptions options = csv_options(set);
  build_quietly(options);
  options.renames = {{"dog", "hound"}};
  build_quietly(options);
  BuildOptions fresh = csv_options(set, "cat", "hound");
  fresh.store = set.folder / "fresh";
  build_quietly(fresh);
  CHECK(latest(options).logical_digest == latest(fresh).logical_digest);
  CHECK(row_contents(options.store) == row_contents(fresh.store));
}

TEST_CASE(
    "a class renamed to one that is there becomes that one; its old name stays in the list, "
    "without boxes") {
  DrawnSet set;
  BuildOptions options = csv_options(set);
  build_quietly(options);
  options.renames = {{"dog", "cat"}};
  CHECK(build_quietly(options).pictures_new == 2);
  CHECK(latest(options).classes == std::vector<std::string>{"cat", "dog"});
  CHECK(latest(options).statistics.boxes_per_class ==
        std::map<std::string, std::int64_t>{{"cat", 5}, {"dog", 0}});
}

TEST_CASE("of two classes that have become one the one with the boxes keeps its id") {
  DrawnSet set;
  BuildOptions options = csv_options(set);
  build_quietly(options);
  CHECK(latest(options).classes == std::vector<std::string>{"cat", "dog"});
  options.renames = {{"cat", "dog"}};
  build_quietly(options);
  options.renames = {{"cat", "wolf"}, {"dog", "wolf"}};  // of --rename-class dog=wolf, or cat=wolf
  CHECK(build_quietly(options).pictures_new == 0);
  CHECK(latest(options).classes == std::vector<std::string>{"cat", "wolf"});
  CHECK(latest(options).statistics.boxes_per_class ==
        std::map<std::string, std::int64_t>{{"cat", 0}, {"wolf", 5}});
}

TEST_CASE("so it does where --merge-classes-by makes the spelling of a class another one") {
  DrawnSet set;
  BuildOptions options = csv_options(set, "Cat", "Dog");
  options.merge_classes_by = {"case"};
  build_quietly(options);
  options.renames = {{"cat", "dog"}};
  build_quietly(options);
  CHECK(latest(options).statistics.boxes_per_class ==
        std::map<std::string, std::int64_t>{{"Cat", 0}, {"Dog", 5}});
  options.renames = {{"cat", "wolf"}, {"dog", "wolf"}};
  CHECK(build_quietly(options).pictures_new == 0);
  CHECK(latest(options).classes == std::vector<std::string>{"Cat", "wolf"});
  options.renames = {{"cat", "WOLF"}, {"dog", "WOLF"}, {"wolf", "WOLF"}};
  CHECK(build_quietly(options).pictures_new == 0);
  CHECK(latest(options).classes == std::vector<std::string>{"Cat", "WOLF"});
}

TEST_CASE("a rename of a class that nobody has is said, once") {
  DrawnSet set;
  BuildOptions options = csv_options(set);
  options.renames = {{"dgo", "cat"}};
  Notes first, second;
  build(options, first, kNoStop);
  REQUIRE(first.texts.size() == 1);
  CHECK(
      first.texts[0].starts_with("--rename-class dgo=cat: nothing to rename, neither the label "
                                 "files nor the store have it: unknown class "
                                 "'dgo'; did you mean 'dog'?"));
  build(options, second, kNoStop);
  CHECK(second.texts.empty());
  options.renames = {{"dog", "cat"}};
  Notes third;
  build(options, third, kNoStop);
  CHECK(third.texts.empty());
}

TEST_CASE("an old name that comes back for a class of its own is told, with what ends the rename") {
  DrawnSet set;
  BuildOptions options = csv_options(set);
  build_quietly(options);
  options.renames = {{"dog", "hound"}};
  build_quietly(options);
  set.list("boxes.csv", "p0.png,10,10,40,30,cat\np1.png,10,10,40,30,hound\np2.png,1,1,9,9,dog\n");
  Notes notes, again;
  build(options, notes, kNoStop);
  REQUIRE(notes.texts.size() == 1);
  CHECK(notes.texts[0] ==
        "a label file has both 'dog' and 'hound', which --rename-class dog=hound of an earlier "
        "build makes one class; if 'dog' is one of its own, pass --rename-class dog=dog");
  build(options, again, kNoStop);
  CHECK(again.texts.empty());
  options.renames = {};
  build_quietly(options);
  CHECK(latest(options).statistics.boxes_per_class ==
        std::map<std::string, std::int64_t>{{"cat", 1}, {"hound", 1}, {"dog", 1}});
}

TEST_CASE("a rename and --merge-classes-by hold for all spellings of a class") {
  DrawnSet set;
  BuildOptions options = csv_options(set, "Cat", "cat");
  options.merge_classes_by = {"case"};
  build_quietly(options);
  CHECK(latest(options).classes == std::vector<std::string>{"Cat"});
  options.renames = {{"CAT", "Dog"}};
  const BuildReport report = build_quietly(options);
  CHECK(report.pictures_new == 0);
  CHECK(latest(options).classes == std::vector<std::string>{"Dog"});
  CHECK(latest(options).statistics.boxes_per_class ==
        std::map<std::string, std::int64_t>{{"Dog", 5}});
}

TEST_CASE("renames that cannot be are refused with what they would need") {
  DrawnSet set;
  BuildOptions options = csv_options(set);
  const auto message = [&](std::vector<ClassRename> renames) {
    options.renames = std::move(renames);
    return message_of([&] { build_quietly(options); });
  };
  CHECK(message({{"dgo", "hound"}}) ==
        "64 --rename-class dgo=hound: unknown class 'dgo'; did you mean 'dog'? known: dog, cat");
  CHECK(message({{"dog", "dog"}})
            .starts_with(
                "64 --rename-class is 'dog=dog', must be OLD=NEW, for instance person=pedestrian"));
  CHECK(message({{"dog", ""}}).starts_with("64 --rename-class is 'dog=', must be OLD=NEW"));
  CHECK(message({{"dog", "hound"}, {"hound", "cat"}}) ==
        "64 --rename-class dog=hound: 'hound' is renamed itself, to 'cat', also in label files to "
        "come; take another name; --rename-class hound=hound ends that, if no label file writes it "
        "for 'cat'");
}

TEST_CASE(
    "names that only rejected boxes and pictures have are not classes, those that a list states "
    "are") {
  DrawnSet set;
  BuildOptions options = csv_options(set);
  set.folder.write("bad.png", "no picture");
  set.list(
      "boxes.csv",
      "p0.png,10,10,40,30,cat\np0.png,5,5,5,9,apple\nbad.png,1,1,9,9,bee\np1.png,1,1,9,9,dog\n");
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.boxes_rejected == 2);
  CHECK(latest(options).classes == std::vector<std::string>{"cat", "dog"});
  CHECK(row_contents(options.store).size() == 6);
  set.list("classes.txt", "apple\ncat\nbee\ndog\n");
  options.classes = set.folder / "classes.txt";
  options.store = set.folder / "listed";
  build_quietly(options);
  CHECK(latest(options).classes == std::vector<std::string>{"apple", "cat", "bee", "dog"});
}

}  // namespace letterpress
