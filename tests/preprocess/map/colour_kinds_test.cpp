// 16 bits, CMYK and alpha: converted, counted, or refused.
#include <doctest/doctest.h>

#include "tests/preprocess/drawn_set.h"
#include "tests/preprocess/golden.h"
#include "tests/preprocess/heard_notes.h"
#include "tests/preprocess/remembered_files.h"

namespace letterpress {
namespace {

BuildOptions options_of(const DrawnSet& set, const std::string& depth) {
  BuildOptions options;
  options.store = set.folder / "store";
  options.inputs = {set.folder / "train.txt"};
  options.classes = set.folder / "classes.txt";
  options.side = 64;
  options.views = 1;
  options.max_rejects = options.max_removed = 1;
  options.depth = depth;
  return options;
}

BuildReport build_of(const DrawnSet& set, const std::string& depth, bool rebuild = false) {
  BuildOptions options = options_of(set, depth);
  options.rebuild = rebuild;
  return build_quietly(options);
}

}  // namespace

TEST_CASE(
    "CMYK and alpha are stored and counted; a second build, which does not read them again, counts "
    "the same") {
  DrawnSet set;
  set.folder.write("cmyk.jpg", golden("pictures/cmyk.jpg"));
  set.folder.write("rgba.png", golden("pictures/rgba.png"));
  set.folder.write("plain.jpg", golden("pictures/photo.jpg"));
  set.list("train.txt", "cmyk.jpg 1,1,20,20,0\nrgba.png 1,1,20,20,1\nplain.jpg 1,1,20,20,2\n");
  for (const bool published : {true, false}) {
    const OpenedFiles opened(set.folder.path());
    const BuildReport report = build_of(set, "");
    CHECK(opened.names("cmyk.jpg").empty() != published);
    CHECK(report.published == published);
    CHECK(report.accounting.pictures_stored == 3);
    CHECK(report.accounting.pictures_cmyk == 1);
    CHECK(report.accounting.pictures_alpha == 1);
    CHECK(report.accounting.pictures_deep == 0);
    remember_pictures(options_of(set, ""));
  }
}

TEST_CASE(
    "16 bits are rejected until --depth is told, then stored and counted; another depth is another "
    "store's") {
  DrawnSet set;
  set.pictures(1);
  set.folder.write("deep.png", golden("pictures/deep.png"));
  set.list("train.txt", file_text(set.folder / "train.txt") + "deep.png 1,1,6,6,0\n");
  const BuildReport first = build_of(set, "");
  CHECK(first.accounting.pictures_rejected == 1);
  REQUIRE(first.rejects.size() == 1);
  CHECK(first.rejects[0].fix == "say with --depth 8, 12, 16 or minmax which of its levels matter");
  try {
    build_of(set, "12");
    FAIL("the rows of another depth were mixed");
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::configuration);
    CHECK(std::string(error.what())
              .find("which has other parameters or another --depth or --truncated now; use "
                    "another --store, or "
                    "--rebuild") != std::string::npos);
  }
  const BuildReport told = build_of(set, "12", true);
  CHECK(told.accounting.pictures_stored == 2);
  CHECK(told.accounting.pictures_deep == 1);
  remember_pictures(options_of(set, "12"));
  {
    const OpenedFiles opened(set.folder.path());
    CHECK(build_of(set, "12").published == false);
    CHECK(opened.names(".png").empty());
  }
  remember_pictures(options_of(set, "12"));
  REQUIRE(remembered(options_of(set, ""), set.folder / "deep.png").value().bit_depth == 16);
  // Back again: what is remembered of the file does not let it in.
  const BuildReport back = build_of(set, "", true);
  CHECK(back.accounting.pictures_rejected == 1);
  CHECK(back.rejects.at(0).fix ==
        "say with --depth 8, 12, 16 or minmax which of its levels matter");
}

#ifdef LETTERPRESS_IMGCODECS
TEST_CASE("pages that are not read are told, of pictures that are remembered as well") {
  DrawnSet set;
  set.pictures(1);
  const std::string two_pages = golden("pictures/two_pages.tiff");
  set.folder.write("a.tiff", two_pages);
  set.folder.write("b.tiff", two_pages + " ");
  set.list("train.txt",
           file_text(set.folder / "train.txt") + "a.tiff 1,1,20,20,0\nb.tiff 1,1,20,20,0\n");
  const std::string told = "pictures that hold several pages or frames: 2, such as " +
                           (set.folder / "a.tiff").string() +
                           "; only the first one is read; to have the others, save them as files "
                           "of their own";
  for (int build = 0; build < 2; ++build) {
    CHECK(notes_of_build(options_of(set, "")).find(told) != std::string::npos);
    remember_pictures(options_of(set, ""));
  }
}
#endif

}  // namespace letterpress
