// --truncated: what a build does with JPEGs that end early.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

std::string drawn_jpeg(int seed) {
  const std::vector<std::byte> bytes = encode_jpeg(drawn_pixels(seed, 80, 60), 80, 60, 90);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Three JPEGs, the last of which ends after half of its bytes.
void write_jpegs(DrawnSet& set) {
  std::string lines;
  for (int i = 0; i < 3; ++i) {
    const std::string name = "p" + std::to_string(i) + ".jpg", jpeg = drawn_jpeg(i);
    set.folder.write(name, i < 2 ? jpeg : jpeg.substr(0, jpeg.size() / 2));
    lines += name + " 10,10,40,30," + std::to_string(i) + "\n";
  }
  set.list("train.txt", lines);
}

BuildOptions truncating_options(const DrawnSet& set, const std::string& store,
                                Truncated truncated) {
  BuildOptions options = set.options(store);
  options.truncated = truncated;
  return options;
}

class HeardNotes : public BuildListener {
 public:
  void note(const std::string& text) override { texts += text + "\n"; }
  std::string texts;
};

std::string notes_of(const BuildOptions& options) {
  HeardNotes notes;
  build(options, notes, kNoStop);
  return notes.texts;
}

}  // namespace

TEST_CASE(
    "a JPEG that ends early is rejected, or kept and counted, with the same bytes each time") {
  DrawnSet set;
  write_jpegs(set);
  const BuildReport rejecting = build_quietly(truncating_options(set, "reject", Truncated::reject));
  CHECK(rejecting.accounting.pictures_stored == 2);
  CHECK(rejecting.accounting.pictures_rejected == 1);
  CHECK_CONTAINS(file_text(set.folder / "reject/quarantine.jsonl"), "Premature end of JPEG file");

  BuildOptions keep = truncating_options(set, "keep", Truncated::keep);
  const std::string note =
      "JPEGs that end early: 1, such as " + (set.folder / "p2.jpg").string() +
      "; they are kept by --truncated keep, what is missing is grey; copy them "
      "again to have it";
  CHECK_CONTAINS(notes_of(keep), note);
  CHECK(Store::open(keep.store).latest()->accounting.pictures_stored == 3);
  CHECK_CONTAINS(notes_of(keep), note);  // nothing is new, and it is said again
  CHECK(Store::open(keep.store).generations().size() == 1);
  const std::string rows = row_text(keep.store);
  keep.store = set.folder / "one";
  keep.threads = 1;
  build_quietly(keep);
  CHECK(row_text(keep.store) == rows);
}

TEST_CASE("a store keeps to rejecting or to keeping until it is rebuilt") {
  DrawnSet set;
  write_jpegs(set);
  for (const Truncated first : {Truncated::reject, Truncated::keep}) {
    const Truncated other = first == Truncated::reject ? Truncated::keep : Truncated::reject;
    const std::string store = first == Truncated::reject ? "a" : "b";
    build_quietly(truncating_options(set, store, first));
    BuildOptions options = truncating_options(set, store, other);
    CHECK_CONTAINS(message_of([&] { build_quietly(options); }),
                   "which has other parameters or another --depth or --truncated now; use another "
                   "--store, or --rebuild");
    options.rebuild = true;
    const BuildReport report = build_quietly(options);
    CHECK(report.accounting.pictures_stored == (other == Truncated::keep ? 3 : 2));
    CHECK(report.accounting.pictures_rejected == (other == Truncated::keep ? 0 : 1));
  }
}

}  // namespace letterpress
