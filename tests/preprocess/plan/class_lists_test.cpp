// Class lists whose order or names have changed since the last build.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/preprocess/heard_notes.h"

namespace letterpress {

TEST_CASE("a class list of another order is refused where labels still have the old ids") {
  DrawnSet set;
  set.pictures(3);
  BuildOptions options = set.options();
  build_quietly(options);
  const std::string list = (set.folder / "train.txt").string();
  for (const char* names : {"dog\ncat\nbird\n", "cat\nfish\ndog\nbird\n"}) {
    CAPTURE(names);
    set.list("classes.txt", names);
    const std::string message = message_of([&] { build_quietly(options); });
    CHECK(message.starts_with("65 " + list +
                              ": its class list has another order than in the last build and its "
                              "labels have the old ids, so " +
                              (set.folder / "p").string()));
    CHECK_CONTAINS(message,
                   ".png and others would change their class; nothing was published; restore the "
                   "order and add new names at the end; if the old order was wrong, pass "
                   "--new-class-order");
  }
  CHECK(Store::open(options.store).latest()->generation == 1);
  set.list("classes.txt", "cat\ndog\nbird\nfish\n");
  CHECK(build_quietly(options).published);
}

TEST_CASE("--new-class-order accepts the order, for good; labels that followed it need no flag") {
  DrawnSet set;
  set.pictures(3);
  BuildOptions options = set.options();
  build_quietly(options);
  const std::string rows = row_text(options.store), order = "bird\ncat\ndog\n";
  set.list("classes.txt", order);
  CHECK_THROWS_AS(build_quietly(options), Error);
  options.new_class_order = true;
  CHECK(build_quietly(options).published);
  CHECK(row_text(options.store) != rows);
  options.new_class_order = false;
  CHECK_FALSE(build_quietly(options).published);
  set.list("classes.txt", "cat\ndog\nbird\n");
  options.new_class_order = true;
  build_quietly(options);
  CHECK(row_text(options.store) == rows);
  options.new_class_order = false;
  // Names and ids both change places: every box keeps its class.
  std::string lines;
  for (int i = 0; i < 3; ++i) {
    std::string line = DrawnSet::line(i);
    for (std::size_t at = line.find(",", 0); at != std::string::npos; at = line.find(",", at + 1)) {
      const std::size_t end = at + 2;
      if (end == line.size() - 1 || line[end] == ' ')
        line[at + 1] = static_cast<char>('0' + (line[at + 1] - '0' + 1) % 3);
    }
    lines += line;
  }
  set.list("train.txt", lines);
  set.list("classes.txt", order);
  build_quietly(options);
  CHECK(row_text(options.store) == rows);
  CHECK_FALSE(build_quietly(options).published);
}

TEST_CASE(
    "two label files may order the same classes differently, and a renamed class keeps its place") {
  DrawnSet set;
  set.pictures(2);
  for (const auto& [folder, names] : {std::pair{"a", "[cat, dog]"}, std::pair{"b", "[dog, cat]"}}) {
    const std::string name = folder;
    set.picture(name + "/images/" + name + ".png", name == "a" ? 1 : 2);
    set.list(name + "/labels/" + name + ".txt", "0 0.5 0.5 0.2 0.2\n");
    set.list(name + "/data.yaml", "train: images\nnames: " + std::string(names) + "\n");
  }
  BuildOptions options = set.options();
  options.classes.clear();
  options.inputs = {set.folder / "a", set.folder / "b"};
  build_quietly(options);
  CHECK_FALSE(build_quietly(options).published);
  options.renames = {{"dog", "hound"}};
  build_quietly(options);
  set.list("a/data.yaml", "train: images\nnames: [cat, hound]\n");
  CHECK_FALSE(build_quietly(options).published);
}

TEST_CASE("a new export whose class list has another order is refused as the old file would be") {
  DrawnSet set;
  set.pictures(1);
  set.picture("images/a.png", 1);
  set.list("labels/a.txt", "1 0.5 0.5 0.2 0.2\n");
  const auto exported = [&](const std::string& file, const std::string& names) {
    set.list(file, "train: images\nnames: " + names + "\n");
    BuildOptions options = set.options_of(file);
    return options;
  };
  build_quietly(exported("may.yaml", "[cat, dog, bird]"));
  const std::string message =
      message_of([&] { build_quietly(exported("june.yaml", "[bird, cat, dog]")); });
  CHECK(message.starts_with("65 " + (set.folder / "june.yaml").string() +
                            ": its class list has another order than in the last build"));
  CHECK_NOTHROW(build_quietly(exported("july.yaml", "[cat, dog, bird]")));
  const std::string rows = row_text(set.options().store);
  // Its labels have followed it.
  set.list("labels/a.txt", "2 0.5 0.5 0.2 0.2\n");
  CHECK_NOTHROW(build_quietly(exported("august.yaml", "[bird, cat, dog]")));
  CHECK(row_text(set.options().store) == rows);
}

TEST_CASE("an order that no picture of the last build can prove is noted") {
  DrawnSet set;
  const auto exported = [&](const std::string& month, const std::string& names, int picture) {
    set.picture(month + "/images/" + month + ".png", picture);
    set.list(month + "/labels/" + month + ".txt", "1 0.5 0.5 0.2 0.2\n");
    set.list(month + "/data.yaml", "train: images\nnames: " + names + "\n");
    BuildOptions options = set.options();
    options.classes.clear();
    options.inputs = {set.folder / month};
    return options;
  };
  const std::string noted =
      ": its class list has another order than in the last build, and no picture of that build "
      "shows whether its labels follow it: ids are read by the new list; look at `preview`\n";
  CHECK(notes_of_build(exported("may", "[cat, dog, bird]", 1)) == "");
  BuildOptions june = exported("june", "[bird, cat, dog]", 2);
  const auto label_file = [&](const std::string& month) { return (set.folder / month).string(); };
  // A picture of both without an object fits every order.
  june.inputs = {set.folder / "june"};
  set.picture("may/images/empty.png", 9);
  set.list("may/labels/empty.txt", "");
  CHECK(notes_of_build(exported("may", "[cat, dog, bird]", 1)) == "");
  set.picture("june/images/empty.png", 9);
  set.list("june/labels/empty.txt", "");
  june.inputs.insert(june.inputs.begin(), set.folder / "may");
  CHECK(notes_of_build(june) == label_file("june") + noted);
  CHECK(notes_of_build(june) == "");  // it has its own list by now
  // One of the lists that are known has this order.
  BuildOptions july = exported("july", "[bird, cat, dog]", 3);
  july.inputs = {set.folder / "may", set.folder / "june", set.folder / "july"};
  CHECK(notes_of_build(july) == "");
}

namespace {

/// n pictures in COCO's JSON, picture i of category i % 2 + 1; categories: as JSON has them.
BuildOptions coco_export(const DrawnSet& set, const std::string& file,
                         const std::string& categories, int n = 3) {
  std::string images, boxes;
  for (int i = 0; i < n; ++i) {
    const std::string name = "c" + std::to_string(i) + ".png", id = std::to_string(i + 1);
    set.picture(name, 40 + i);
    if (i > 0) images += ",", boxes += ",";
    images += R"({"width":80,"height":60,"id":)" + id + R"(,"file_name":")" + name + R"("})";
    boxes += R"({"bbox":[9,9,30,20],"id":)" + id + R"(,"image_id":)" + id + R"(,"category_id":)" +
             std::to_string(i % 2 + 1) + "}";
  }
  set.folder.write(file, R"({"images":[)" + images + R"(],"annotations":[)" + boxes +
                             R"(],"categories":[)" + categories + "]}");
  return set.options_of(file);
}

constexpr const char* kCatDog = R"({"id":1,"name":"cat"},{"id":2,"name":"dog"})";
constexpr const char* kDogCat = R"({"id":1,"name":"dog"},{"id":2,"name":"cat"})";

}  // namespace

TEST_CASE(
    "COCO categories whose ids change names are refused where labels still have the old ids") {
  for (const char* file : {"set.json", "june.json"}) {
    CAPTURE(file);
    DrawnSet set;
    build_quietly(coco_export(set, "set.json", kCatDog));
    const std::string rows = row_text(set.options().store);
    BuildOptions june = coco_export(set, file, kDogCat);
    const std::string message = message_of([&] { build_quietly(june); });
    CHECK(message ==
          "65 " + (set.folder / file).string() +
              ": its category ids have other names than in the last build and its labels have the "
              "old ids, so " +
              (set.folder / "c0.png").string() +
              " and others would change their class; nothing was published; give each id its old "
              "name again; if the old names were wrong, pass --new-class-order");
    CHECK(row_text(set.options().store) == rows);
    june.new_class_order = true;
    CHECK(build_quietly(june).published);
    CHECK(row_text(set.options().store) != rows);
    // Accepted for good, and so is the way back refused.
    june.new_class_order = false;
    CHECK_FALSE(build_quietly(june).published);
    CHECK(message_of([&] { build_quietly(coco_export(set, file, kCatDog)); }).starts_with("65 "));
  }
}

TEST_CASE("a category id whose name was another's is refused where the old name has gone") {
  DrawnSet set;
  build_quietly(coco_export(set, "set.json", kCatDog, 1));
  CHECK(message_of([&] {
          build_quietly(coco_export(set, "set.json", R"({"id":1,"name":"dog"})", 1));
        }).starts_with("65 "));
}

TEST_CASE("COCO labels that follow their new category ids keep their rows and need no flag") {
  DrawnSet set;
  build_quietly(coco_export(set, "set.json", kCatDog));
  const std::string rows = row_text(set.options().store);
  BuildOptions options = coco_export(set, "set.json", kDogCat);
  std::string text = file_text(set.folder / "set.json");
  for (std::size_t at = text.find("category_id"); at != std::string::npos;
       at = text.find("category_id", at + 1)) {
    char& id = text.at(at + std::string("category_id\":").size());
    id = id == '1' ? '2' : '1';
  }
  set.folder.write("set.json", text);
  CHECK(notes_of_build(options) == "");
  CHECK(row_text(set.options().store) == rows);
  CHECK_FALSE(build_quietly(options).published);
}

TEST_CASE("a COCO store of a program that kept no lists of categories is compared by its ids") {
  DrawnSet set;
  const BuildOptions options = coco_export(set, "set.json", kCatDog);
  build_quietly(options);
  Snapshot snapshot = *Store::open(options.store).latest();
  snapshot.category_lists.clear();
  set.folder.write("store/snapshots/00000001.json", to_json(snapshot));
  CHECK_FALSE(build_quietly(options).published);
  CHECK(Store::open(options.store).latest()->generation == 1);
  CHECK(message_of([&] {
          build_quietly(coco_export(set, "set.json", kDogCat));
        }).starts_with("65 " + (set.folder / "set.json").string() + ": its category ids have"));
}

TEST_CASE("another COCO file may number the same classes differently") {
  DrawnSet set;
  coco_export(set, "b.json", kDogCat);
  std::filesystem::create_directory(set.folder / "b");
  for (const char* name : {"b.json", "c0.png", "c1.png", "c2.png"})
    std::filesystem::rename(set.folder / name, set.folder / "b" / name);
  for (int i = 0; i < 3; ++i) set.picture("b/c" + std::to_string(i) + ".png", 50 + i);
  BuildOptions options = coco_export(set, "a.json", kCatDog);
  CHECK(notes_of_build(options) == "");
  options.inputs.push_back(set.folder / "b" / "b.json");
  CHECK(notes_of_build(options) == "");
  CHECK_FALSE(build_quietly(options).published);
}

TEST_CASE("the class lists of a FiftyOne file and of CIFAR batches may not change places") {
  DrawnSet set;
  set.picture("data/a.png", 1);
  set.folder.write("cifar/data_batch_1.bin", std::string(1, '\1') + std::string(3072, 'x'));
  const auto options_with = [&](const std::string& input, const std::string& first,
                                const std::string& second) {
    set.folder.write("labels.json", R"({"classes":[")" + first + R"(",")" + second +
                                        R"("],"labels":{"a":[{"label":0,"bounding_box":[0.1,)" +
                                        R"(0.1,0.5,0.5]}]}})");
    set.folder.write("cifar/batches.meta.txt",
                     first + "\n" + second + "\nc\nd\ne\nf\ng\nh\ni\nj\n");
    return set.options_of(input, "store-" + input);
  };
  for (const char* input : {"labels.json", "cifar"}) {
    CAPTURE(input);
    build_quietly(options_with(input, "cat", "dog"));
    CHECK_CONTAINS(message_of([&] { build_quietly(options_with(input, "dog", "cat")); }),
                   ": its class list has another order than in the last build and its labels have "
                   "the old ids");
  }
}

TEST_CASE("a rename that ends, and classes that are merged, leave the order of a list as it was") {
  DrawnSet set;
  set.pictures(4);
  set.list("classes.txt", "cat\ndog\nDog\n");
  BuildOptions options = set.options();
  build_quietly(options);
  const auto boxes = [&] {
    return Store::open(options.store).latest().value().statistics.boxes_per_class;
  };
  const auto before = boxes();
  options.renames = {{"cat", "dog"}};
  build_quietly(options);
  CHECK(boxes().at("cat") == 0);
  options.renames = {};  // as --rename-class cat=cat leaves them
  CHECK(message_of([&] { build_quietly(options); }) == "no error");
  CHECK(boxes() == before);
  options.merge_classes_by = {"case"};
  CHECK(message_of([&] { build_quietly(options); }) == "no error");
  CHECK(boxes().at("dog") == before.at("dog") + before.at("Dog"));
  set.list("classes.txt", "dog\ncat\nDog\n");  // another order is still seen
  CHECK(message_of([&] {
          build_quietly(options);
        }).find("its class list has another order than in the last build") != std::string::npos);
}

}  // namespace letterpress
