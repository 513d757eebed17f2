// A bbox that its own segmentation contradicts.
#include "exports.h"

namespace letterpress {
namespace {

struct Annotation {
  std::string bbox, segmentation;
};

AnnotationSet read(const std::vector<Annotation>& annotations,
                   const AnnotationOptions& options = {}) {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  std::string text;
  for (const auto& [bbox, segmentation] : annotations)
    text += (text.empty() ? "" : ",") + (R"({"image_id":1,"category_id":1,"bbox":[)" + bbox) +
            R"(],"segmentation":)" + segmentation + "}";
  AnnotationSet set = read_annotations(
      dir.write("a.json",
                R"({"categories":[{"id":1,"name":"nut"}],"images":[{"id":1,"file_name":"1.jpg",)"
                R"("width":100,"height":80}],"annotations":[)" +
                    text + "]}"),
      options);
  CHECK(set.rejects.empty());
  return set;
}

const std::string kOutline = "[[10,20,30,20,30,29,10,29]]";

}  // namespace

TEST_CASE(
    "a bbox of two corners that the segmentation contradicts is kept, counted and asked for") {
  const AnnotationSet set = read({{"10,20,20,9", kOutline},
                                  {"10,20,30,29", kOutline},
                                  {"50,40.5,60,48", "[[50,41,60,41,60,48]]"}});
  CHECK(remarks_of(set) ==
        "2 annotations have a segmentation of another extent than the bbox, which is kept; the "
        "first is annotations[1] with the bbox 10,20,30,29 and an outline from 10,20 to 30,29: are "
        "these x1,y1,x2,y2? 2 fit as such; COCO's bbox is x,y,width,height, write it so\n");
  CHECK(set.items.at(0).boxes.at(1) == LabelBox{10, 20, 40, 49, 0});
}

TEST_CASE("an outline of another object is counted; the first bbox of two corners is shown") {
  const Annotation other{"40,20,20,9", kOutline};
  CHECK(remarks_of(read({other})) ==
        "1 annotation has a segmentation of another extent than the bbox, which is kept; the first "
        "is annotations[0] with the bbox 40,20,20,9 and an outline from 10,20 to 30,29\n");
  CHECK_CONTAINS(remarks_of(read({other, {"10,20,30,29", kOutline}})),
                 "2 annotations have a segmentation of another extent than the bbox, which is "
                 "kept; the first is annotations[1] with the bbox 10,20,30,29 and an outline from "
                 "10,20 to 30,29: are these x1,y1,x2,y2? 1 fits as such;");
}

TEST_CASE("rounding, the picture's border and what is no outline contradict no bbox") {
  for (const Annotation& one :
       {Annotation{"9,19,22,11", kOutline},                         // whole pixels around it
        Annotation{"80,10,20,30", "[[80,10,120,10,120,40]]"},       // 100 wide
        Annotation{"80,10,40,30", "[[80,10,100,10,100,40]]"},       // the outline is cut instead
        Annotation{"1,1,20,20", "[[1,1,1,1,1,1]]"},                 // says nothing
        Annotation{"1,1,20,20", R"({"size":[2,2],"counts":[4]})"},  // a mask
        Annotation{"10,20,30,29", "[]"}}) {
    CAPTURE(one.bbox);
    CAPTURE(one.segmentation);
    CHECK(remarks_of(read({one})).empty());
  }
}

TEST_CASE("shares of the picture: an outline of another extent by more than a hundredth") {
  const AnnotationOptions shares{.coordinates = Coordinates::shares};
  CHECK(remarks_of(read({{"0.1,0.2,0.2,0.1", "[[0.1,0.2,0.305,0.2,0.3,0.3]]"}}, shares))
            .find("extent") == std::string::npos);
  CHECK_CONTAINS(remarks_of(read({{"0.1,0.2,0.3,0.3", "[[0.1,0.2,0.3,0.2,0.3,0.3]]"}}, shares)),
                 "the first is annotations[0] with the bbox 0.1,0.2,0.3,0.3 and an outline from "
                 "0.1,0.2 to 0.3,0.3: are these x1,y1,x2,y2? 1 fits as such;");
}

}  // namespace letterpress
