// Keys of a data.yaml that stand twice, and those that are not read.
#include "exports.h"
#include "samples.h"

namespace letterpress {
namespace {

void write_yolo(const TempDir& dir, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    write_pictures(dir, {"images/" + name + ".jpg"});
    dir.write("labels/" + name + ".txt", "0 .5 .5 .1 .1\n");
  }
}

}  // namespace

TEST_CASE("a key of data.yaml that stands twice is refused with both lines") {
  TempDir dir;
  write_yolo(dir, {"train/1"});
  for (const auto& [key, line] :
       {std::pair{"names", "names: [dog, cat]\n"}, std::pair{"nc", "nc: 2\n"},
        std::pair{"path", "path: .\n"}, std::pair{"kpt_shape", "kpt_shape: [17, 3]\n"}}) {
    CAPTURE(key);
    std::string yaml = "train: images/train\n";
    if (std::string_view(key) != "names") yaml += "names: [cat, dog]\n";
    const std::string twice = yaml + line + "license: CC\n" + line;
    const auto first = std::count(yaml.begin(), yaml.end(), '\n') + 1;
    const std::filesystem::path file = dir.write("data.yaml", twice);
    CHECK(failure_of(file).message == file.string() + ":" + std::to_string(first + 2) + ": " + key +
                                          " stands in line " + std::to_string(first) +
                                          " already; remove one of the two");
    CHECK(failure_of(dir.write("data.yaml", yaml + line)).message.empty());
  }
  const AnnotationSet other = read_annotations(
      dir.write("data.yaml", "train: images\nnames: [cat]\nlicense: a\nlicense: b\n"));
  CHECK(other.items.size() == 1);
}

TEST_CASE("a data.yaml of nothing but brackets is refused before it is read") {
  TempDir dir;
  const std::filesystem::path file =
      dir.write("data.yaml", "train: images\nnames: " + std::string(3'000'000, '['));
  CHECK(failure_of(file).message ==
        file.string() + ": has too many brackets within brackets; write names as one list");
}

TEST_CASE("a data.yaml of very many values is refused before it is read") {
  TempDir dir;
  const auto file_of = [&](std::size_t values) {  // in all
    return dir.write("data.yaml", "train: images\nnames: [a, b]\nmore: [" +
                                      std::string(values - 9, ',') + "]\n");
  };
  CHECK(failure_of(file_of(100'001)).message ==
        (dir.path() / "data.yaml").string() +
            ": has more than 100,000 values; list pictures in a .txt file that it names");
  CHECK(failure_of(file_of(100'000)).message.find("values") == std::string::npos);
}

TEST_CASE("a key of data.yaml that names pictures and is not read is told") {
  TempDir dir;
  write_yolo(dir, {"train/1", "val/2", "dev/3"});
  dir.write("dev.txt", "\nimages/dev/3.jpg\n");
  const std::string known = "path: .\ntrain: images/train\nval: images/val\nnames: [cat]\n";
  for (const char* value : {"images/dev", "../images/dev", "[images/dev]", "dev.txt",
                            "/content/set/images/dev", "C:\\set\\images\\dev"}) {
    CAPTURE(value);
    const AnnotationSet set =
        read_annotations(dir.write("data.yaml", known + "dev: " + value + "\n"));
    CHECK(set.items.size() == 2);
    CHECK(remarks_of(set) ==
          "data.yaml: 'dev' names pictures that are not read; state it as val or test\n");
  }
  dir.write("hyp.yaml", "lr0: 0.01\n");
  dir.write("notes.txt", "images of May\n");
  const AnnotationSet set = read_annotations(dir.write(
      "data.yaml",
      known +
          "author: train\nlicense: CC BY 4.0\naugment: true\nhyp: hyp.yaml\nnotes: notes.txt\n"
          "download: https://a.b/c.zip\nroboflow: {workspace: images/dev}\n"
          "kpt_shape: [17, 3]\nflip_idx: [0, 2, 1]\ncolors: ['#f00']\nroot: images\n"
          "labels: labels/dev\nminival: images/none\ndev:\ntitle: " +
          std::string(5000, 'a') + "\n"));
  CHECK(set.items.size() == 2);
  CHECK(remarks_of(set).empty());
}

TEST_CASE("folders beside a data.yaml of names alone that may be splits are told") {
  TempDir dir;
  write_yolo(dir, {"train/1", "val/2", "holdout/3"});
  dir.write("data.yaml", "names: [cat]\n");
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(set.items.size() == 2);
  CHECK(remarks_of(set) ==
        (dir / "images/holdout").string() +
            " may be of a split and is not read; call it train, val or test\n"
            "data.yaml names none of train, val, test: the pictures of images/train, images/val "
            "beside it are taken\n");
}

TEST_CASE("a folder that may be a split beside Roboflow's train/ and valid/ is told") {
  TempDir dir;
  write_pictures(dir, {"train/1.jpg", "valid/2.jpg", "eval/3.jpg"});
  for (const char* label : {"train/1.txt", "valid/2.txt", "eval/3.txt"})
    dir.write(label, "0 .5 .5 .1 .1\n");
  dir.write("train/_darknet.labels", "cat\n");
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(set.items.size() == 2);
  CHECK(remarks_of(set) == (dir / "eval").string() +
                               " may be of a split and is not read; call it train, val or test\n");
}

}  // namespace letterpress
