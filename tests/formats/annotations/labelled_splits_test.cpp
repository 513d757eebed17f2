// YOLO splits of which no picture has a label file.
#include "exports.h"

namespace letterpress {

TEST_CASE("a train split without a single label file is refused, another one is told") {
  TempDir dir;
  write_pictures(dir, {"train/images/a.jpg", "val/images/b.jpg"});
  const auto yaml = dir.write("data.yaml", "train: train/images\nval: val/images\nnames: [nut]\n");
  dir.write("train/labels/a.txt", "0 .5 .5 .25 .5\n");
  dir.write("val/label/b.txt", "0 .5 .5 .25 .5\n");
  const AnnotationSet set = read_annotations(yaml);
  CHECK(set.items.size() == 2);
  CHECK_CONTAINS(remarks_of(set),
                 "the one picture of split 'val' has no label file, it is "
                 "taken as a background: tried ");
  std::filesystem::rename(dir / "train/labels", dir / "train/label");
  std::filesystem::rename(dir / "val/label", dir / "val/labels");
  const Failure failure = failure_of(yaml);
  CHECK(failure.exit == Exit::data);
  CHECK_CONTAINS(failure.message,
                 "neither this nor any other of 1 picture of split 'train' has a "
                 "label file, tried ");
}

}  // namespace letterpress
