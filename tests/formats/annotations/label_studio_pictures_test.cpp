// Which picture a task of Label Studio is of.
#include "exports.h"

namespace letterpress {
namespace {

// A box of the whole corner: {10, 8, 30, 24} of 100 x 80 pixels.
std::string box_of(const std::string& tag, const std::string& label = "nut") {
  return R"({"to_name":")" + tag +
         R"(","original_width":100,"original_height":80,"value":{"x":10,"y":10,"width":20,)"
         R"("height":20,"rectanglelabels":[")" +
         label + R"("]}})";
}

std::string task(const std::string& data, const std::string& results) {
  return R"({"data":{)" + data + R"(},"annotations":[{"result":[)" + results + "]}]}";
}

std::string task_with(const std::string& link) {
  return task(R"("image":")" + link + "\"", box_of("image"));
}

AnnotationSet read_tasks(const TempDir& dir, const std::string& tasks) {
  return read_annotations(dir.write("ls.json", "[" + tasks + "]"), {.format = "label-studio"});
}

std::string file_at(const TempDir& dir, const std::string& name) {
  return std::filesystem::canonical(dir / name).string();
}

constexpr const char* kTwo = R"("img1":"a.jpg","img2":"b.jpg")";

}  // namespace

TEST_CASE("Label Studio: a task of two pictures is rejected where nothing says which is meant") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg"});
  const std::string told =
      "task 0: names several pictures, 'a.jpg' and 'b.jpg', and the export does not say which of "
      "them its results are of; make tasks of one picture each";
  for (const std::string& results :
       {box_of("img1") + "," + box_of("img2"), box_of("second"), std::string()}) {
    CAPTURE(results);
    const AnnotationSet set = read_tasks(dir, task(kTwo, results));
    CHECK(set.items.empty());
    CHECK_CONTAINS(only_reject(set), told);
  }
  const std::string shape =
      R"([{"x":1,"y":1,"width":9,"height":9,"rectanglelabels":["nut"],"original_width":100,)"
      R"("original_height":80}])";
  const AnnotationSet short_set =
      read_tasks(dir, std::string("{") + kTwo + R"(,"label1":)" + shape + R"(,"label2":)" + shape +
                          R"(,"annotation_id":1})");
  CHECK(short_set.items.empty());
  CHECK_CONTAINS(only_reject(short_set), told);
  CHECK(short_set.boxes_found == 2);
  CHECK(short_set.boxes_rejected == 2);
}

TEST_CASE("Label Studio: of two pictures, that of the key that all results of the file name") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg"});
  const AnnotationSet set = read_tasks(dir, task(kTwo, box_of("img2")) + "," + task(kTwo, ""));
  check_pictures(set, dir, {{"b.jpg", {{"nut", 10, 8, 30, 24}}}, {"b.jpg", {}}});
  const AnnotationSet mixed =
      read_tasks(dir, task(kTwo, box_of("img2")) + "," + task(kTwo, box_of("img1")));
  CHECK(mixed.items.empty());
  CHECK(mixed.rejects.size() == 2);
}

TEST_CASE("Label Studio: a picture that a task names twice, and other texts, are one picture") {
  TempDir dir;
  write_pictures(dir, {"a.jpg"});
  for (const std::string data : {
           R"("image":"s3://b/set/a.jpg","name":"a.jpg")",
           R"("name":"a.jpg","image":"/data/upload/1/0a1b2c3d-a.jpg")",
           R"("image":"a.jpg","again":"a.jpg")",
           R"("note":"of the left side","image":"/data/local-files/?d=set/a.jpg","n":3)",
       }) {
    CAPTURE(data);
    const AnnotationSet set = read_tasks(dir, task(data, box_of("shown")));
    check_pictures(set, dir, {{"a.jpg", {{"nut", 10, 8, 30, 24}}}});
  }
}

TEST_CASE("Label Studio: the longest end of a link comes before a picture of its last name") {
  for (const std::string link :
       {"s3://b/cam1/1.jpg", "gs://b/cam1/1.jpg", "https://h/x/cam1/1.jpg",
        "/data/local-files/?d=cam1/1.jpg", "/data/local-files/?d=/mnt/cam1/1.jpg", "cam1/1.jpg"}) {
    CAPTURE(link);
    for (const char* right : {"cam1/1.jpg", "images/cam1/1.jpg"}) {
      TempDir dir;
      write_pictures(dir, {"1.jpg", "images/1.jpg", right});
      const AnnotationSet set = read_tasks(dir, task_with(link));
      REQUIRE(set.items.size() == 1);
      CHECK(set.items[0].path == file_at(dir, right));
    }
    TempDir dir;
    write_pictures(dir, {"1.jpg", "cam2/1.jpg"});
    const AnnotationSet set = read_tasks(dir, task_with(link));
    REQUIRE(set.items.size() == 1);
    CHECK(set.items[0].path == file_at(dir, "1.jpg"));
    CHECK_CONTAINS(
        remarks_of(set),
        "1 picture by the longest end of the path that leads to a file here: the first,");
  }
}

TEST_CASE("Label Studio: an uploaded file comes before one of its earlier name") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "images/0a1b2c3d-a.jpg"});
  const std::string link = "/data/upload/3/0a1b2c3d-a.jpg";
  const AnnotationSet set = read_tasks(dir, task_with(link));
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].path == file_at(dir, "images/0a1b2c3d-a.jpg"));
  CHECK(set.items[0].name == "0a1b2c3d-a.jpg");
  std::filesystem::remove_all(dir / "images");
  const AnnotationSet earlier = read_tasks(dir, task_with(link));
  REQUIRE(earlier.items.size() == 1);
  CHECK(earlier.items[0].path == file_at(dir, "a.jpg"));
  CHECK(earlier.items[0].name == "a.jpg");
  // Names by which a build sees that two labels would be one picture.
  const AnnotationSet two =
      read_tasks(dir, task_with(link) + "," + task_with("/data/upload/3/ffffffff-a.jpg"));
  REQUIRE(two.items.size() == 2);
  CHECK(two.items[0].name == "0a1b2c3d-a.jpg");
  CHECK(two.items[1].name == "ffffffff-a.jpg");
}

TEST_CASE("Label Studio: of a presigned link the path names the picture, not what follows") {
  TempDir dir;
  write_pictures(dir, {"set/c.jpg"});
  const AnnotationSet set =
      read_tasks(dir, task_with("https://store.example.org/set/c.jpg?X-Amz-Expires=600&x=1"));
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].path == file_at(dir, "set/c.jpg"));
  CHECK(set.boxes_found == 1);
}

TEST_CASE("Label Studio: a task whose pictures are in a list says so") {
  TempDir dir;
  write_pictures(dir, {"a.jpg"});
  CHECK_CONTAINS(only_reject(read_tasks(dir, task(R"("images":["a.jpg","b.jpg"])", ""))),
                 "task 0: has its pictures in a list, 'images', which is not read; make tasks of "
                 "one picture each");
  CHECK_CONTAINS(only_reject(read_tasks(dir, task(R"("texts":["a","b"])", ""))),
                 "task 0: names no picture; export tasks of pictures");
}

}  // namespace letterpress
