// What splits are called, in the lists and folders of each tool.
#include "samples.h"

namespace letterpress {
namespace {

// "train 1.jpg\n", then the remarks.
std::string splits_in(const std::filesystem::path& input, const AnnotationOptions& options = {}) {
  const AnnotationSet set = read_annotations(input, options);
  std::string text;
  for (const Item& item : set.items)
    text += item.split + " " + item.path.substr(item.path.rfind('/') + 1) + "\n";
  for (const std::string& remark : set.remarks) text += remark + "\n";
  return text;
}

// "ImageSets/Main/Train.txt train\n", then the remarks on lists.
std::string lists_in(const std::filesystem::path& folder) {
  const LabelParts parts = label_parts(folder);
  return text_of(parts, folder, parts.list_remarks);
}

}  // namespace

TEST_CASE("keys of a data.yaml and of an obj.data, and folders, are splits by any of their names") {
  TempDir dir;
  write_pictures(dir, {"a/1.jpg", "b/2.jpg", "c/3.jpg", "own/Training/1.jpg", "own/VALID/2.jpg"});
  for (const char* label :
       {"a/1.txt", "b/2.txt", "c/3.txt", "own/Training/1.txt", "own/VALID/2.txt"})
    dir.write(label, "0 .5 .5 .1 .1\n");
  const auto of_yaml = [&](const std::string& yaml) {
    return splits_in(dir.write("data.yaml", yaml + "names: [cat]\n"));
  };
  for (const char* yaml : {"train: a\nval: b\ntest: c\n", "Train: a\nvalid: b\nTEST: c\n",
                           "training: a\nvalidation: b\ntesting: c\n"}) {
    CAPTURE(yaml);
    CHECK(of_yaml(yaml) == "train 1.jpg\nval 2.jpg\ntest 3.jpg\n");
  }
  CHECK(of_yaml("train: a\nvalid: c\nval: b\n") ==
        "train 1.jpg\nval 2.jpg\n"
        "data.yaml: 'valid' is not read, since 'val' states the same split\n");
  dir.write("names.txt", "cat\n");
  dir.write("train_list.txt", "a/1.jpg\n");
  dir.write("val_list.txt", "b/2.jpg\n");
  for (const char* keys : {"train", "Training"}) {
    dir.write("obj.data", std::string(keys) + " = train_list.txt\nValidation = val_list.txt\n" +
                              "names = names.txt\n");
    CHECK(splits_in(dir / "obj.data") == "train 1.jpg\nval 2.jpg\n");
  }
  dir.write("own/data.yaml", "names: [cat]\n");
  CHECK(splits_in(dir / "own/data.yaml") ==
        "train 1.jpg\nval 2.jpg\ndata.yaml names none of train, val, test: the pictures of "
        "Training, VALID beside it are taken\n");
}

TEST_CASE("a VOC set's lists are splits by any of their names; of two for one split one is told") {
  for (const auto& [train, val] :
       {std::pair{"Train", "valid"}, std::pair{"TRAIN", "Val"}, std::pair{"training", "validation"},
        std::pair{"TrainVal", "VALID"}}) {
    CAPTURE(train);
    TempDir dir;
    write_pictures(dir, {"JPEGImages/1.jpg", "JPEGImages/2.jpg"});
    for (const char* id : {"1", "2"}) dir.write("Annotations/" + std::string(id) + ".xml", kCatXml);
    const std::string main = "ImageSets/Main/";
    dir.write(main + train + ".txt", "1\n");
    dir.write(main + val + ".txt", "2\n");
    const std::string both = main + train + ".txt train\n" + main + val + ".txt val\n";
    CHECK(lists_in(dir.path()) == both);
    dir.write(main + "VALIDATION.txt", "1\n");
    CHECK(lists_in(dir.path()).starts_with(both + (dir / main).string() + "V"));
    CHECK_CONTAINS(lists_in(dir.path()),
                   ".txt is not read, since " + std::string(val) + ".txt lists the same split\n");
  }
}

TEST_CASE("a VOC set with lists of single classes only has its splits from them") {
  TempDir dir;
  write_pictures(dir, {"JPEGImages/1.jpg", "JPEGImages/2.jpg", "JPEGImages/3.jpg"});
  for (const char* id : {"1", "2", "3"})
    dir.write("Annotations/" + std::string(id) + ".xml", kCatXml);
  const std::string main = "ImageSets/Main/";
  dir.write(main + "cat_train.txt", "1  1\n2 -1\n");
  dir.write(main + "dog_train.txt", "2 -1\n1  0\n");
  dir.write(main + "cat_val.txt", "3 -1\n");
  CHECK(lists_in(dir.path()) == main + "cat_train.txt train\n" + main + "cat_val.txt val\n");
  const AnnotationSet train = read_annotations(label_parts(dir.path()).parts.at(0).labels);
  CHECK(train.items.size() == 2);
  CHECK(train.boxes_found == 2);
  dir.write(main + "dog_train.txt", "1  0\n");
  CHECK(lists_in(dir.path()) ==
        (dir / "ImageSets/Main").string() +
            " has lists of single classes only, and cat_train.txt and dog_train.txt do not list "
            "the same pictures: they are not taken for splits; write train.txt of its pictures\n");
}

TEST_CASE("VOCdevkit of one year is read; of several, or deeper, the folders to give are named") {
  TempDir dir;
  for (const char* set :
       {"one/VOC2012/", "two/VOC2007/", "two/VOC2012/", "up/VOCdevkit/VOC2012/"}) {
    write_pictures(dir, {std::string(set) + "JPEGImages/1.jpg"});
    write_pictures(dir, {std::string(set) + "SegmentationClass/1.png"});
    dir.write(std::string(set) + "Annotations/1.xml", kCatXml);
  }
  CHECK(read_annotations(dir / "one").items.size() == 1);
  const Failure two = failure_of(dir / "two");
  CHECK(two.exit == Exit::usage);
  CHECK_CONTAINS(two.message, "\n  all of Pascal VOC: --input " + (dir / "two/VOC2007").string() +
                                  " --input " + (dir / "two/VOC2012").string());
  CHECK(failure_of(dir / "up").message ==
        (dir / "up").string() + ": holds 1 Pascal VOC set in folders; name it: --input " +
            (dir / "up/VOCdevkit/VOC2012").string());
}

TEST_CASE("an export's own splits hold where --classes names the classes") {
  TempDir dir;
  write_pictures(dir, {"cvat/obj/1.jpg", "cvat/obj/2.jpg", "roboflow/train/1.jpg",
                       "roboflow/valid/2.jpg", "studio/images/1.jpg"});
  for (const char* label : {"cvat/obj/1.txt", "cvat/obj/2.txt", "roboflow/train/1.txt",
                            "roboflow/valid/2.txt", "studio/labels/1.txt"})
    dir.write(label, "0 .5 .5 .1 .1\n");
  dir.write("cvat/obj.data", "names = data/obj.names\ntrain = train.txt\nvalid = valid.txt\n");
  dir.write("cvat/train.txt", "obj/1.jpg\n");
  dir.write("cvat/valid.txt", "obj/2.jpg\n");
  dir.write("roboflow/train/_darknet.labels", "cat\n");
  dir.write("studio/notes.json", R"({"categories": [{"id": 0, "name": "cat"}]})");
  const AnnotationOptions options{.classes = dir.write("names.txt", "dog\n")};
  for (const auto& [folder, splits] :
       {std::pair{"cvat", "train 1.jpg\nval 2.jpg\n"},
        std::pair{"roboflow", "train 1.jpg\nval 2.jpg\n"}, std::pair{"studio", " 1.jpg\n"}}) {
    CAPTURE(folder);
    CHECK(splits_in(dir / folder, options) == splits);
    CHECK(read_annotations(dir / folder, options).classes == std::vector<std::string>{"dog"});
  }
}

}  // namespace letterpress
