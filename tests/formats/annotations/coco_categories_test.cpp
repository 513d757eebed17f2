#include "exports.h"

namespace letterpress {

TEST_CASE("Roboflow's category 0, the supercategory of all others, is no class without a box") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  const std::string box = R"({"image_id": 9, "category_id": 1, "bbox": [1, 2, 3, 4]})";
  const auto read = [&](const std::string& boxes, const std::string& group) {
    return read_annotations(
        dir.write("instances.json", R"({"images": [{"id": 9, "file_name": "1.jpg"}],
      "annotations": [)" + boxes + R"(],
      "categories": [{"id": 0, "name": "cells", "supercategory": "none"},
               {"id": 1, "name": "a", "supercategory": "cells"},
               {"id": 2, "name": "b", "supercategory": ")" +
                                        group + "\"}]}"));
  };
  const AnnotationSet set = read(box, "cells");
  CHECK(set.classes == std::vector<std::string>{"a", "b"});
  CHECK(set.class_ids == std::vector<std::int64_t>{1, 2});
  CHECK(set.items.at(0).boxes.at(0).class_id == 0);
  CHECK_CONTAINS(remarks_of(set), "category 'cells' is the supercategory of all others");
  CHECK(read(box, "none").classes.size() == 3);
  const std::string own = R"({"image_id": 9, "category_id": 0, "bbox": [1, 2, 3, 4]})";
  CHECK(read(box + "," + own, "cells").classes.size() == 3);
}

}  // namespace letterpress
