#include "voc_sample.h"

namespace letterpress {
namespace {

struct Listed {
  TempDir dir;

  explicit Listed(const std::string& labels = "Annotations") {
    for (const char* id : {"0", "1", "2"}) {
      write_pictures(dir, {"JPEGImages/" + std::string(id) + ".png"});
      dir.write(labels + "/" + id + ".xml", kCatXml);
    }
  }
  std::string parts() const {
    const LabelParts found = label_parts(dir.path());
    return text_of(found, dir.path(), found.list_remarks);
  }
  std::string in(const std::string& place) const { return (dir / place).string(); }
};

}  // namespace

TEST_CASE("lists of splits beside Annotations and in ImageSets are read, as ids or paths") {
  struct Style {
    std::string before, after;
  };
  for (const auto& [before, after] :
       {Style{"", ""}, Style{"", ".png"}, Style{"JPEGImages/", ".png"},
        Style{"/old/VOC/JPEGImages/", ".png"}, Style{"Annotations/", ".xml"}}) {
    CAPTURE(before);
    for (const std::string folder : {"", "ImageSets/", "ImageSets/Main/"}) {
      CAPTURE(folder);
      Listed set;
      set.dir.write(folder + "train.txt",
                    before + "0" + after + "\n" + before + "1" + after + "\n");
      set.dir.write(folder + "val.txt", before + "2" + after + "\n");
      CHECK(set.parts() == folder + "train.txt train\n" + folder + "val.txt val\n");
      const AnnotationSet train = read_annotations(set.dir / (folder + "train.txt"));
      REQUIRE(train.items.size() == 2);
      CHECK(train.rejects.empty());
      CHECK(train.items[1].name == "1.png");
    }
  }
}

TEST_CASE("PaddleDetection's lists of a picture and its XML are read, with a comment in them") {
  Listed set;
  const auto line = [](const std::string& id) {
    return "./JPEGImages/" + id + ".png ./Annotations/" + id + ".xml\n";
  };
  const auto train = set.dir.write("train.txt", line("0") + "# " + line("1"));
  set.dir.write("val.txt", line("2"));
  CHECK(set.parts() == "train.txt train\nval.txt val\n");
  const AnnotationSet read = read_annotations(train);
  REQUIRE(read.items.size() == 1);
  CHECK(read.items[0].name == "0.png");
  CHECK(read.items[0].where == set.in("Annotations/0.xml"));
  CHECK(read.rejects.empty());
}

TEST_CASE("a list of paths is of the XMLs that they lead to, not of another set's beside it") {
  TempDir dir;
  for (const std::string set : {"", "site/"}) {
    write_pictures(dir, {set + "JPEGImages/0.png"});
    dir.write(set + "Annotations/0.xml", kCatXml);
  }
  const AnnotationSet read = read_annotations(dir.write("site/train.txt", "Annotations/0.xml\n"));
  REQUIRE(read.items.size() == 1);
  CHECK(read.items[0].where == (dir / "site/Annotations/0.xml").string());
}

TEST_CASE("lists that are not taken for splits are told in a line") {
  Listed set;
  set.dir.write("2007_train.txt", "0\n1\n");
  set.dir.write("2007_val.txt", "2\n");
  CHECK(set.parts() == "lists in " + set.dir.path().string() +
                           " may state splits (2007_train.txt, 2007_val.txt), but are not read: "
                           "call them train.txt, val.txt and test.txt\n");
  std::filesystem::remove(set.dir / "2007_train.txt");
  std::filesystem::remove(set.dir / "2007_val.txt");
  set.dir.write("train.txt", "0\n1\n");
  CHECK(set.parts() ==
        set.in("train.txt") +
            " is not taken for a split: there is no list of val or test beside it\n");
  set.dir.write("val.txt", "7\n8\n");
  CHECK_CONTAINS(set.parts(), set.in("val.txt") +
                                  " lists no picture that has labels here, and is not taken for a "
                                  "split\n");
  set.dir.write("val.txt", "2\n");
  set.dir.write("ImageSets/Main/train.txt", "0\n");
  set.dir.write("ImageSets/Main/val.txt", "1\n2\n");
  const std::string parts = set.parts();
  CHECK(parts.starts_with("ImageSets/Main/train.txt train\nImageSets/Main/val.txt val\n"));
  CHECK_CONTAINS(parts, " (train.txt, val.txt) are not read, since those in " +
                            set.in("ImageSets/Main") + " state the splits\n");
}

TEST_CASE("lists of another task of VOC are told where there are no others") {
  Listed set;
  set.dir.write("ImageSets/Segmentation/train.txt", "0\n1\n");
  set.dir.write("ImageSets/Segmentation/val.txt", "2\n");
  CHECK(set.parts() == "lists in " + set.in("ImageSets/Segmentation") +
                           " may state splits (train.txt, val.txt), but are not read: copy them to "
                           "ImageSets/Main to have them read\n");
  set.dir.write("ImageSets/Main/train.txt", "0\n1\n");
  set.dir.write("ImageSets/Main/val.txt", "2\n");
  CHECK(set.parts() == "ImageSets/Main/train.txt train\nImageSets/Main/val.txt val\n");
}

TEST_CASE("lists beside XMLs in a folder of another name are told") {
  Listed set("annotations");
  set.dir.write("train.txt", "0\n1\n");
  set.dir.write("val.txt", "2\n");
  CHECK_CONTAINS(set.parts(),
                 " may state splits (train.txt, val.txt), but are not read: rename annotations to "
                 "Annotations to have them read\n");
}

TEST_CASE("lists above a folder of XMLs that is given alone are told") {
  Listed set;
  set.dir.write("ImageSets/Main/train.txt", "0\n1\n");
  set.dir.write("ImageSets/Main/test.txt", "2\n");
  const LabelParts parts = label_parts(set.dir / "Annotations");
  CHECK(parts.parts.empty());
  CHECK(parts.list_remarks ==
        std::vector<std::string>{"lists in " + set.in("ImageSets/Main") +
                                 " state splits and are not read; to read them, pass --input " +
                                 set.dir.path().string()});
}

TEST_CASE("a list of pictures with labels of YOLO is YOLO's, though XMLs are there as well") {
  TempDir dir;
  write_pictures(dir, {"images/0.png"});
  dir.write("labels/0.txt", "0 .5 .5 .5 .5\n");
  dir.write("Annotations/0.xml", kCatXml);
  const auto list = dir.write("train.txt", "images/0.png\n");
  const auto classes = dir.write("names.txt", "cat\n");
  CHECK(read_annotations(list, {.classes = classes}).format == "yolo");
}

}  // namespace letterpress
