#include <functional>

#include "samples.h"

namespace letterpress {
namespace {

// Small set of one format, of which one file is damaged.
struct Sample {
  std::string format, input, damaged, text;
};

const std::vector<Sample> kSamples{
    {"keras", "train.txt", "train.txt", "a b.jpg 1,2,30,40,0 5,6,70,80,1\n2.jpg\n"},
    {"csv", "boxes.csv", "boxes.csv",
     "path,x1,y1,x2,y2,class\n\"a "
     "b.jpg\",1,2.5,30,40,cat\n2.jpg,5,6,70,80,\"do\"\"g\"\n2.jpg,,,,,\n"},
    {"labelme", "labelme", "labelme/2.json",
     R"({"version":"5.4.1","shapes":[{"label":"a\u00e9","shape_type":"rectangle","points":[[1.5,2],[3e1,40]]},{"label":"b","points":[[1,1],)"
     R"([2,5],[9,3]]}],"imagePath":"2.jpg","imageData":"aGVsbG8=","imageHeight":48,"imageWidth":64})"},
    {"voc", "Annotations/1.xml", "Annotations/1.xml",
     "<?xml "
     "version=\"1.0\"?><annotation><filename>1.jpg</filename><size><width>64</width><height>48</"
     "height></size><object><name>a&amp;b</name>"
     "<difficult>0</difficult><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></"
     "bndbox></object></annotation>"},
    {"voc", "ImageSets/Main/train.txt", "ImageSets/Main/train.txt", "1 1\n2 -1\n"},
    {"yolo", "data.yaml", "data.yaml",
     "path: .\ntrain: [images]\nval: list.txt\nnc: 2\nnames: {0: cat, 1: \"dog\"}\n"},
    {"yolo", "data.yaml", "labels/1.txt", "0 0.5 0.5 0.25 0.25\n1 .1 .2 .1 .1\n"},
    {"yolo", "data.yaml", "list.txt", "./images/1.jpg\nimages/2.jpg\n"},
    {"coco", "coco.json", "coco.json",
     R"({"images":[{"id":5,"file_name":"2.jpg","width":64,"height":48}],"annotations":[{"image_id":5,"category_id":2,"bbox":[1,1.5,2e0,2],)"
     R"("area":4,"iscrowd":0,"segmentation":[[1,2]]}],"categories":[{"id":2,"name":"d\u00e9j\u00e0"}]})"},
};

void write_set(const TempDir& dir) {
  write_pictures(dir, {"a b.jpg", "2.jpg", "images/1.jpg", "images/2.jpg", "JPEGImages/1.jpg",
                       "labelme/2.jpg"});
  dir.write("classes.txt", "cat\ndog\n");
  for (const Sample& sample : kSamples) dir.write(sample.damaged, sample.text);
}

// Whatever the bytes are: an Error with a message, or a set that accounts for every box.
void read_damaged(const TempDir& dir, const Sample& sample, const std::string& text,
                  const std::string& format) {
  std::filesystem::remove(dir / sample.damaged);  // rewriting in place makes ext4 flush
  dir.write(sample.damaged, text);
  AnnotationOptions options{.format = format};
  if (sample.format == "keras") options.classes = dir / "classes.txt";
  try {
    const AnnotationSet set = read_annotations(dir / sample.input, options);
    std::int64_t kept = 0;
    for (const Item& item : set.items) {
      kept += static_cast<std::int64_t>(item.boxes.size());
      for (const LabelBox& box : item.boxes)
        CHECK(static_cast<std::size_t>(box.class_id) < set.classes.size());
      check_boxes(item, 64, 48, 6);
    }
    CHECK(kept + set.boxes_rejected == set.boxes_found);
    for (const Reject& reject : set.rejects)
      CHECK((!reject.where.empty() && !reject.what.empty() && !reject.fix.empty()));
  } catch (const Error& error) {
    CHECK(std::string(error.what()).size() > 20);
    CHECK(error.exit() != Exit::bug);
  }
}

void for_each_damage(const std::string& text, const std::function<void(const std::string&)>& read) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    CAPTURE(i);
    read(text.substr(0, i));
    for (const unsigned bits : {0x01u, 0x02u, 0x04u, 0x20u, 0x80u}) {
      std::string flipped = text;
      flipped[i] = static_cast<char>(static_cast<unsigned char>(flipped[i]) ^ bits);
      read(flipped);
    }
    read(text.substr(0, i) + '\0' + text.substr(i));
    read(text.substr(0, i) + text.substr(i + 1));
  }
}

}  // namespace

TEST_CASE("the samples are good before they are damaged") {
  TempDir dir;
  write_set(dir);
  for (const Sample& sample : kSamples) {
    CAPTURE(sample.damaged);
    const bool keras = sample.format == "keras";
    const AnnotationSet set =
        read_annotations(dir / sample.input, {.classes = keras ? dir / "classes.txt" : ""});
    CHECK(set.format == sample.format);
    CHECK(set.boxes_found > 0);
  }
}

TEST_CASE(
    "label files cut at every byte, with flipped, added and missing bytes never crash and lose no "
    "box") {
  for (const Sample& sample : kSamples) {
    CAPTURE(sample.damaged);
    TempDir dir;
    write_set(dir);
    for_each_damage(sample.text, [&](const std::string& text) {
      read_damaged(dir, sample, text, sample.format);
    });
    for (std::size_t n = 0; n < sample.text.size(); n += 3)
      read_damaged(dir, sample, sample.text.substr(0, n), "auto");
  }
}

TEST_CASE("deeply nested JSON, XML and YAML are refused or read, not crashed on") {
  TempDir dir;
  write_set(dir);
  const std::string opened(100000, '[');
  const Sample coco{"coco", "coco.json", "coco.json", ""},
      yaml{"yolo", "data.yaml", "data.yaml", ""};
  read_damaged(dir, coco, "{\"images\": " + opened + std::string(100000, ']') + "}", "coco");
  read_damaged(dir, coco,
               "{\"info\": " + opened + std::string(100000, ']') +
                   ",\"images\":[],\"annotations\":[],\"categories\":[]}",
               "coco");
  read_damaged(dir, yaml, "names: " + opened, "yolo");
  std::string nested = "<annotation>";
  for (int i = 0; i < 50000; ++i) nested += "<a>";
  read_damaged(dir, {"voc", "Annotations/1.xml", "Annotations/1.xml", ""}, nested, "voc");
}

}  // namespace letterpress
