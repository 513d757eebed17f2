// Exports as lines, tables and XML, as the documentation of each tool defines them.
#include "exports.h"

namespace letterpress {

TEST_CASE("Roboflow: a data.yaml that names a test folder which is not there") {
  TempDir dir;
  write_pictures(dir, {"train/images/a.jpg", "valid/images/b.jpg"});
  dir.write("train/labels/a.txt", "0 0.25 0.5 0.3 0.5\n");
  dir.write("valid/labels/b.txt", "");
  const auto yaml = dir.write("data.yaml",
                              "train: ../train/images\nval: ../valid/images\ntest: "
                              "../test/images\nnc: 1\nnames: ['nut']\n");
  const AnnotationSet set = read_annotations(yaml);
  check_pictures(set, dir,
                 {{"train/images/a.jpg", {{"nut", 10, 20, 40, 60}}}, {"valid/images/b.jpg", {}}});
  CHECK_CONTAINS(remarks_of(set), "test '../test/images' does not exist and is left out");
}

TEST_CASE("Roboflow: _darknet.labels names the classes, its folders are the splits") {
  TempDir dir;
  write_pictures(dir, {"train/a.jpg", "valid/b.jpg"});
  for (const char* split : {"train", "valid"})
    dir.write(std::string(split) + "/_darknet.labels", "nut\nbolt\n");
  dir.write("train/a.txt", "1 0.25 0.5 0.3 0.5\n");
  dir.write("valid/b.txt", "0 0.25 0.5 0.3 0.5\n");
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(set.format == "yolo");
  check_pictures(
      set, dir,
      {{"train/a.jpg", {{"bolt", 10, 20, 40, 60}}}, {"valid/b.jpg", {{"nut", 10, 20, 40, 60}}}});
  CHECK(set.items[0].split == "train");
  CHECK(set.items[1].split == "val");
  CHECK(read_annotations(dir / "train").items.size() == 1);
}

TEST_CASE(
    "Ultralytics: segments and turned boxes are the box around them, keypoints are left out") {
  TempDir dir;
  write_pictures(dir, {"images/a.jpg", "images/b.jpg"});
  dir.write("labels/a.txt",
            "0 0.1 0.25 0.4 0.25 0.3 0.75\n"             // a triangle
            "0 0.1 0.5 0.25 0.25 0.4 0.5 0.25 0.75\n");  // OBB: four corners
  const auto yaml = dir.write("data.yaml", "train: images\nnames: [nut]\n");
  dir.write("labels/b.txt", "");
  const AnnotationSet set = read_annotations(yaml);
  check_pictures(
      set, dir,
      {{"images/a.jpg", {{"nut", 10, 20, 40, 60}, {"nut", 10, 20, 40, 60}}}, {"images/b.jpg", {}}});
  CHECK_CONTAINS(remarks_of(set), "2 outlines are read as the upright box around it");
  // A box and two keypoints of three.
  dir.write("labels/a.txt", "0 0.25 0.5 0.3 0.5 0.1 0.1 2 0.2 0.2 1\n");
  const AnnotationSet pose = read_annotations(yaml);
  check_pictures(pose, dir, {{"images/a.jpg", {{"nut", 10, 20, 40, 60}}}, {"images/b.jpg", {}}});
  CHECK_CONTAINS(remarks_of(pose), "1 box has keypoints, which are left out");
  dir.write("labels/a.txt", "0 0.25 0.5 0.3 0.5 0.1 0.1\n");  // one keypoint of two
  dir.write("data.yaml", "train: images\nnames: [nut]\nkpt_shape: [1, 2]\n");
  check_pictures(read_annotations(yaml), dir,
                 {{"images/a.jpg", {{"nut", 10, 20, 40, 60}}}, {"images/b.jpg", {}}});
  dir.write("labels/a.txt", "0 0.25 0.5 0.3 0.5 0.9\n");
  CHECK_CONTAINS(only_reject(read_annotations(yaml)),
                 "got 6 fields, must be 5, or 7 as kpt_shape says");
  dir.write("data.yaml", "train: images\nnames: [nut]\n");
  CHECK_CONTAINS(only_reject(read_annotations(yaml)),
                 "got 6 fields, must be 5, or class and the corners of an outline");
}

TEST_CASE("Darknet: obj.data says which entry leads nowhere") {
  TempDir dir;
  const auto data = dir.write("obj.data", "classes = 1\nnames = data/obj.names\ntrain = t.txt\n");
  CHECK_CONTAINS(failure_of(data).message, "obj.data: train 't.txt' does not exist from ");
  dir.write("t.txt", "a.jpg\n");
  CHECK_CONTAINS(failure_of(data).message, "names 'data/obj.names' does not exist from ");
}

TEST_CASE("KITTI: DontCare is counted and ignored, a bad line is named") {
  TempDir dir;
  write_pictures(dir, {"training/image_2/a.png", "training/image_2/b.png"});
  dir.write("training/label_2/a.txt",
            "Car 0.00 0 1.85 10 20 40 60 1.67 1.87 3.69 -16.53 2.39 58.49 1.57\n"
            "DontCare -1 -1 -10 5 5 9 9 -1 -1 -1 -1000 -1000 -1000 -10\n");
  dir.write("training/label_2/b.txt", "Car 0.00 0\n");
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(set.format == "kitti");
  check_pictures(set, dir, {{"training/image_2/a.png", {{"Car", 10, 20, 40, 60}}}});
  CHECK_CONTAINS(only_reject(set), "b.txt: line 1 has 3 fields, must be a type and 14 numbers");
  CHECK_CONTAINS(remarks_of(set), "1 region is DontCare, which is not an object and is ignored");
  check_pictures(read_annotations(dir / "training/label_2"), dir,
                 {{"training/image_2/a.png", {{"Car", 10, 20, 40, 60}}}});
}

TEST_CASE("Darknet's obj.data: the list of the val split is called valid, or val by Datumaro") {
  for (const std::string key : {"valid", "val"}) {
    CAPTURE(key);
    TempDir dir;
    write_pictures(dir, {"obj_train_data/a.jpg", "obj_val_data/b.jpg"});
    dir.write("obj_train_data/a.txt", "");
    dir.write("obj_val_data/b.txt", "");
    dir.write("train.txt", "data/obj_train_data/a.jpg\n");
    dir.write("val.txt", "data/obj_val_data/b.jpg\n");
    dir.write("obj.names", "nut\n");
    const AnnotationSet set = read_annotations(
        dir.write("obj.data", "classes = 1\ntrain = data/train.txt\n" + key +
                                  " = data/val.txt\nnames = data/obj.names\nbackup = backup/\n"));
    REQUIRE(set.items.size() == 2);
    CHECK(set.items[0].split == "train");
    CHECK(set.items[1].split == "val");
  }
}

// A quarter turn of a box of 30 x 40 around its centre (25, 40).
TEST_CASE("CVAT: turned boxes, shapes, subsets and the labels' order; tracks are refused") {
  TempDir dir;
  write_pictures(dir, {"images/Train/a.jpg"});
  const std::string meta =
      "<meta><task><labels><label><name>nut</name></label><label><name>bolt</name></label></labels>"
      "</task></meta>";
  const AnnotationSet set = read_annotations(
      dir.write(
          "annotations.xml",
          "<annotations><version>1.1</version>" + meta +
              "<image id=\"0\" name=\"a.jpg\" subset=\"Train\" width=\"100\" height=\"80\">"
              "<box label=\"bolt\" xtl=\"10\" ytl=\"20\" xbr=\"40\" ybr=\"60\" rotation=\"90\"/>"
              "<polygon label=\"nut\" points=\"1,2;9,2;5,7\"/><points label=\"nut\" "
              "points=\"1,2\"/>"
              "<tag label=\"sunny\"/><tag label=\"day\"/></image></annotations>"),
      {.roots = {dir / "images/Train"}});
  CHECK(set.format == "cvat");
  check_pictures(set, dir,
                 {{"images/Train/a.jpg", {{"bolt", 5, 25, 45, 55}, {"nut", 1, 2, 9, 7}}}});
  CHECK(set.classes == std::vector<std::string>{"nut", "bolt"});
  CHECK(set.items[0].split == "train");
  CHECK_CONTAINS(only_reject(set), "object 3: 'nut' is of points without an area");
  CHECK_CONTAINS(remarks_of(set), "1 turned box is read as the upright box around it");
  CHECK_CONTAINS(remarks_of(set),
                 "1 picture has tags, the first 'sunny', which are not read; shapes are\n");
  CHECK_CONTAINS(
      failure_of(dir.write("v.xml", "<annotations><track id=\"0\"/></annotations>")).message,
      "v.xml: holds tracks of a video; export the task as CVAT for images 1.1");
  CHECK_CONTAINS(failure_of(dir.write("cut.xml", "<annotations><image")).message,
                 "is not whole XML: ");
}

TEST_CASE("CVAT: a cuboid by the box around its front and its back") {
  TempDir dir;
  write_pictures(dir, {"a.jpg"});
  const std::string corners = R"(xtl1="10" ytl1="20" xbl1="10" ybl1="50" xtr1="40" ytr1="22" )"
                              R"(xbr1="40" ybr1="52" xtl2="60" ytl2="15" xbl2="60" ybl2="45" )"
                              R"(xtr2="30" ytr2="14" xbr2="30")";
  const auto read = [&](const std::string& last) {
    return read_annotations(dir.write("annotations.xml",
                                      "<annotations><image id=\"0\" name=\"a.jpg\" width=\"100\" "
                                      "height=\"80\"><cuboid label=\"nut\" " +
                                          corners + last + "/></image></annotations>"));
  };
  const AnnotationSet set = read(R"( ybr2="44")");
  check_pictures(set, dir, {{"a.jpg", {{"nut", 10, 14, 60, 52}}}});
  CHECK_CONTAINS(remarks_of(set), "1 outline is read as the upright box around it");
  CHECK_CONTAINS(only_reject(read("")), "'nut' is a cuboid without an area");
}

// As CVAT exports a project with its pictures.
TEST_CASE("CVAT: pictures lie in images/ by subsets, in which names may be equal") {
  TempDir dir;
  write_pictures(dir, {"images/Train/1.jpg", "images/Train/2.jpg", "images/Validation/1.jpg",
                       "images/default/3.jpg", "images/1.jpg"});
  const auto image = [](const std::string& name, const std::string& subset, const char* label) {
    return "<image id=\"0\" name=\"" + name + "\" subset=\"" + subset +
           "\" width=\"100\" height=\"80\"><box label=\"" + label +
           "\" xtl=\"10\" ytl=\"20\" xbr=\"40\" ybr=\"60\"/></image>";
  };
  const AnnotationSet set = read_annotations(dir.write(
      "annotations.xml", "<annotations>" + image("1.jpg", "Train", "a") +
                             image("2.jpg", "Train", "b") + image("1.jpg", "Validation", "c") +
                             image("3.jpg", "default", "d") + image("1.jpg", "", "e") +
                             "</annotations>"));
  check_pictures(set, dir,
                 {{"images/Train/1.jpg", {{"a", 10, 20, 40, 60}}},
                  {"images/Train/2.jpg", {{"b", 10, 20, 40, 60}}},
                  {"images/Validation/1.jpg", {{"c", 10, 20, 40, 60}}},
                  {"images/default/3.jpg", {{"d", 10, 20, 40, 60}}},
                  {"images/1.jpg", {{"e", 10, 20, 40, 60}}}});
  CHECK(set.items[0].name == "Train/1.jpg");
  CHECK(set.items[0].split == "train");
  CHECK(set.items[2].split == "val");
  CHECK(set.items[3].split.empty());
}

TEST_CASE("CVAT: what is not a coordinate rejects its picture, as in the other formats") {
  for (const auto& [shape, fault] : std::vector<std::pair<std::string, std::string>>{
           {"<polygon label=\"nut\" points=\"1,2;nan,10;5,7\"/>",
            "object 2: the point 'nan,10' is not two coordinates"},
           {"<points label=\"nut\" points=\"1;2\"/>",
            "object 2: the point '1' is not two coordinates"},
           {"<box label=\"nut\" xtl=\"1\" ytl=\"x\" xbr=\"2\" ybr=\"3\"/>",
            "object 2: ytl='x' is not a coordinate"},
           {"<box label=\"nut\" xtl=\"1\" ytl=\"1\" xbr=\"2\" ybr=\"3\" rotation=\"left\"/>",
            "object 2: rotation='left' is not a coordinate"}}) {
    CAPTURE(shape);
    TempDir dir;
    write_pictures(dir, {"a.jpg"});
    const AnnotationSet set = read_annotations(
        dir.write("annotations.xml",
                  "<annotations><image id=\"0\" name=\"a.jpg\" width=\"100\" height=\"80\">"
                  "<box label=\"nut\" xtl=\"1\" ytl=\"2\" xbr=\"30\" ybr=\"40\"/>" +
                      shape + "</image></annotations>"));
    CHECK(set.items.empty());
    CHECK_CONTAINS(only_reject(set),
                   "image 0: " + fault + "; correct it, or export the file again");
  }
}

TEST_CASE("Open Images: codes are named by the file beside it, groups are crowds") {
  TempDir dir;
  write_pictures(dir, {"train/0a.jpg"});
  const auto csv = dir.write(
      "oidv6-train-annotations-bbox.csv",
      "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsTruncated,IsGroupOf\n"
      "0a,xclick,/m/01,1,0.1,0.4,0.25,0.75,0,0,1\n");
  CHECK_CONTAINS(remarks_of(read_annotations(csv)), "classes keep their codes");
  dir.write("class-descriptions-boxable.csv", "/m/01,Nut\n");
  const AnnotationSet set = read_annotations(csv);
  CHECK(set.format == "open-images");
  check_pictures(set, dir, {{"train/0a.jpg", {{"Nut", 10, 20, 40, 60}}}});
  CHECK(set.items[0].boxes[0].flags == kCrowd);
}

TEST_CASE("Open Images: codes that the file of names lacks are counted, and stay as they are") {
  TempDir dir;
  write_pictures(dir, {"0a.jpg"});
  std::string text = "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax\n";
  for (const char* code : {"/m/01", "/m/03", "/m/02", "/m/03"})
    text += "0a,xclick," + std::string(code) + ",1,0.1,0.4,0.25,0.75\n";
  const auto csv = dir.write("train-annotations-bbox.csv", text);
  dir.write("class-descriptions-boxable.csv", "/m/01,Nut\n");
  const AnnotationSet set = read_annotations(csv);
  CHECK_CONTAINS(remarks_of(set),
                 "2 codes are not in class-descriptions-boxable.csv, the first '/m/02': 3 boxes "
                 "are of a class that is called by its code; add its line there, or pass "
                 "--rename-class\n");
  CHECK(set.classes == std::vector<std::string>{"/m/02", "/m/03", "Nut"});
  dir.write("class-descriptions-boxable.csv", "/m/01,Nut\n/m/02,Bolt\n/m/03,Screw\n");
  CHECK(remarks_of(read_annotations(csv)) ==
        "classes are named by class-descriptions-boxable.csv\n");
}

TEST_CASE("CSV: semicolons and tabs, and makesense's rows without a header") {
  TempDir dir;
  write_pictures(dir, {"a.jpg"});
  for (const std::string text :
       {"filename;xmin;ymin;xmax;ymax;class\na.jpg;10;20;40;60;nut\n",
        "filename\txmin\tymin\txmax\tymax\tclass\r\na.jpg\t10\t20\t40\t60\tnut\r\n",
        "a.jpg;10;20;40;60;nut\n", "nut,10,20,30,40,a.jpg,100,80\n",
        "filename,width,height,class,xmin,ymin,xmax,ymax\na.jpg,100,80,nut,10,20,40,60\n"}) {
    CAPTURE(text);
    const AnnotationSet set = read_annotations(dir.write("boxes.csv", text));
    CHECK(set.format == "csv");
    CHECK(set.rejects.empty());
    check_pictures(set, dir, {{"a.jpg", {{"nut", 10, 20, 40, 60}}}});
  }
  const AnnotationSet background = read_annotations(
      dir.write("tabs.csv", "filename\txmin\tymin\txmax\tymax\tclass\na.jpg\t\t\t\t\t\n"));
  check_pictures(background, dir, {{"a.jpg", {}}});
}

TEST_CASE("pictures by an id: an extension in capitals is spelt as stated") {
  TempDir dir;
  write_pictures(dir, {"kitti/image_2/1.JPG", "open/1.JPG", "fiftyone/data/1.JPG"});
  dir.write("kitti/label_2/1.txt", "Car 0 0 0 1 2 9 8 0 0 0 0 0 0 0\n");
  dir.write("open/train-annotations-bbox.csv",
            "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax\n1,x,/m/1,1,.1,.5,.1,.5\n");
  dir.write("fiftyone/labels.json",
            R"({"classes": ["cat"], "labels": {"1": [{"label": 0,
                "bounding_box": [0.1, 0.1, 0.5, 0.5]}]}})");
  for (const char* input : {"kitti", "open/train-annotations-bbox.csv", "fiftyone/labels.json"}) {
    CAPTURE(input);
    const AnnotationSet set = read_annotations(dir / input);
    CHECK(set.rejects.empty());
    REQUIRE(set.items.size() == 1);
    CHECK(set.items[0].name == "1.JPG");
    CHECK_FALSE(contains(remarks_of(set), "spel"));
  }
}

}  // namespace letterpress
