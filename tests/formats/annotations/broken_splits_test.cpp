#include "samples.h"

namespace letterpress {
namespace {

constexpr const char* kGoodCoco =
    R"({"images": [{"id": 1, "file_name": "1.jpg", "width": 20, "height": 20}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 8, 6]}]})";
constexpr const char* kGoodCsv =
    "filename,width,height,class,xmin,ymin,xmax,ymax\n1.jpg,20,20,cat,1,2,8,6\n";
constexpr const char* kGoodOpenImages =
    "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax\n1,x,cat,1,.1,.5,.1,.5\n";
constexpr const char* kShapesOf1 =
    R"({"shapes": [{"label": "cat", "points": [[2, 3], [9, 8]], "shape_type": "rectangle"}],
        "imagePath": "1.jpg", "imageWidth": 20, "imageHeight": 20})";
constexpr const char* kLineOf1 =
    "{\"file_name\": \"1.jpg\", \"objects\": {\"bbox\": [[1, 2, 8, 6]], \"categories\": "
    "[\"cat\"]}}\n";

// As git stores them: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
const std::string kPointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

Failure parts_failure(const std::filesystem::path& input) {
  try {
    label_parts(input);
  } catch (const Error& error) {
    return {error.what(), error.exit()};
  }
  return {};
}

}  // namespace

TEST_CASE("a split's label file that nothing can be read of is refused, and not left out") {
  struct Layout {
    const char *train, *other, *text;
  };
  struct Broken {
    std::string text;
    const char *what, *fix;
  };
  const std::vector<Layout> layouts{
      {"train/_annotations.coco.json", "valid/_annotations.coco.json", kGoodCoco},
      {"annotations/instances_train.json", "annotations/instances_val.json", kGoodCoco},
      {"train_labels.csv", "test_labels.csv", kGoodCsv},
      {"train/_annotations.csv", "valid/_annotations.csv", kGoodCsv},
      {"train-annotations-bbox.csv", "validation-annotations-bbox.csv", kGoodOpenImages},
      {"train.txt", "val.txt", "train/1.jpg 1,2,8,6,0\n"},
      {"train/1.xml", "valid/1.xml", kCatXml},
  };
  const std::vector<Broken> contents{
      {kPointer, "is a pointer of Git LFS, not the file itself", "fetch it by `git lfs pull`"},
      {"", "is empty", "restore it"},
      {std::string(300, '\0'), "holds NUL bytes", "restore it"},
      {"<!DOCTYPE html><html><body>429 Too many requests</body></html>", "holds a page of HTML",
       "restore it"},
  };
  for (const Layout& layout : layouts) {
    for (const Broken& broken : contents) {
      // An XML of one picture is rejected with that picture, unless it is of another format.
      if (std::string(layout.train) == "train/1.xml" && broken.text.find('<') == std::string::npos)
        continue;
      CAPTURE(layout.other);
      CAPTURE(broken.what);
      TempDir dir;
      write_pictures(dir, {"train/1.jpg", "valid/1.jpg", "test/1.jpg"});
      dir.write(layout.train, layout.text);
      dir.write(layout.other, broken.text);
      const Failure failure = parts_failure(dir.path());
      CHECK(failure.exit == Exit::data);
      CHECK(contains(failure.message, (dir / layout.other).string() + ": " + broken.what));
      CHECK(contains(failure.message,
                     "; " + std::string(broken.fix) + ", or remove it to leave this split out"));
      CHECK(failure_of(dir.path()).exit == Exit::data);
    }
  }
}

TEST_CASE("a JSON of a split that is of no format is refused; a table of names is left out") {
  TempDir dir;
  write_pictures(dir, {"a/train/1.jpg", "a/valid/1.jpg", "b/train/1.jpg", "b/test/1.jpg"});
  dir.write("a/train/_annotations.coco.json", kGoodCoco);
  dir.write("a/valid/_annotations.coco.json", R"({"message": "not found"})");
  const Failure failure = parts_failure(dir / "a");
  CHECK(failure.exit == Exit::data);
  CHECK(contains(failure.message,
                 (dir / "a/valid/_annotations.coco.json").string() + ": is not read as coco"));
  dir.write("b/train.csv", kGoodCsv);
  dir.write("b/test.csv", "id\n1.jpg\n");
  CHECK(parts_failure(dir / "b").exit == Exit::done);
}

TEST_CASE("a pointer of Git LFS that is named itself is told") {
  TempDir dir;
  const Failure failure = failure_of(dir.write("a.json", kPointer));
  CHECK(failure.exit == Exit::data);
  CHECK(failure.message ==
        (dir / "a.json").string() +
            ": is a pointer of Git LFS, not the file itself; fetch it by `git lfs pull`");
}

TEST_CASE("a split's folder without labels is told where a set is read from all below it") {
  struct Layout {
    const char *picture, *label, *text, *other;
  };
  const std::vector<Layout> layouts{
      {"train/1.jpg", "train/metadata.jsonl", kLineOf1, "validation/2.jpg"},
      {"train/1.jpg", "train/1.json", kShapesOf1, "valid/2.jpg"},
      {"train/img/1.jpg", "train/ann/1.jpg.json", R"({"objects": []})", "val/img/2.jpg"},
      {"images/train/1.jpg", "images/train/1.json", kShapesOf1, "images/val/2.jpg"},
  };
  for (const Layout& layout : layouts) {
    CAPTURE(layout.label);
    TempDir dir;
    write_pictures(dir, {layout.picture, layout.other});
    dir.write(layout.label, layout.text);
    const AnnotationSet set = read_annotations(dir.path());
    CHECK(set.items.size() == 1);
    const std::string other = layout.other;
    const std::size_t end = other.find("val");
    const std::filesystem::path folder = dir / other.substr(0, other.find('/', end));
    REQUIRE(set.left_out.size() == 1);
    CHECK(set.left_out[0].folder == folder);
    CHECK(set.left_out[0].pictures == 1);
    REQUIRE(set.remarks.size() == 1);
    CHECK(set.remarks[0] ==
          folder.string() +
              " holds 1 picture, but no label file for them could be read: they are left out");
  }
}

// Hugging Face: a file without a line, and files that are not called metadata.jsonl.
TEST_CASE("a metadata.jsonl without a line leaves its split out, with a line") {
  for (const char* name : {"metadata.jsonl", "METADATA.JSONL", "metadata.csv"}) {
    CAPTURE(name);
    TempDir dir;
    write_pictures(dir, {"train/1.jpg", "validation/1.jpg", "validation/2.jpg"});
    dir.write("train/metadata.jsonl", kLineOf1);
    dir.write("validation/" + std::string(name),
              std::string(name) == "metadata.jsonl" ? "" : "file_name\n");
    const AnnotationSet set = read_annotations(dir.path());
    CHECK(set.items.size() == 1);
    REQUIRE(set.left_out.size() == 1);
    CHECK(set.left_out[0].pictures == 2);
  }
}

TEST_CASE("a split's folder whose labels lie elsewhere is not left out") {
  TempDir dir;
  write_pictures(dir, {"images/train/1.jpg", "images/val/2.jpg"});
  const std::string labels[] = {"train", "val"};
  for (const std::string& split : labels) {
    const std::string picture = split == "train" ? "1.jpg" : "2.jpg";
    dir.write("labels/" + split + "/" + picture + ".json",
              R"({"shapes": [], "imagePath": "../../images/)" + split + "/" + picture + R"("})");
  }
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(set.items.size() == 2);
  CHECK(set.left_out.empty());
}

}  // namespace letterpress
