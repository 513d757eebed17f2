#pragma once
#include <string>

#include "tests/preprocess/drawn_set.h"

namespace letterpress {

/// A picture with a crowd and a box of another class as COCO's JSON. stated: what the box says of
/// itself, "iscrowd":0. The options of its build.
inline BuildOptions coco_set(const DrawnSet& set, const std::string& stated) {
  set.picture("p0.png", 0);
  set.folder.write(
      "set.json",
      R"({"images":[{"id":4711,"file_name":"p0.png","width":80,"height":60}],)"
      R"("categories":[{"id":90,"name":"toothbrush"},{"id":17,"name":"cat"}],)"
      R"("annotations":[{"id":1,"image_id":4711,"category_id":90,"bbox":[1,1,20,20],"area":123.5,"iscrowd":1},)"
      R"({"id":2,"image_id":4711,"category_id":17,"bbox":[30,10,20,20],"area":400,)" +
          stated + "}]}");
  return set.options_of("set.json");
}

}  // namespace letterpress
