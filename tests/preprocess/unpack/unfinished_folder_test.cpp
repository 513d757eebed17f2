// What an unpack that was killed leaves behind, and the next one.
#include "preprocess/unpack/unfinished_folder.h"

#include <doctest/doctest.h>

#include "preprocess/unpack/unpack.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

struct UnpackedStore {
  UnpackedStore() {
    set.pictures(2);
    build_quietly(set.options());
  }
  // Exit code and text, or "no error".
  std::string unpacked() const {
    return message_of([&] {
      const Store store = Store::open(set.options().store);
      const SnapshotReader reader(store, store.latest().value());
      BuildListener silent;
      unpack(store, reader, {.out = out, .to = "yolo", .split = {}}, silent, kNoStop);
    });
  }
  std::set<std::string> names_in(const fs::path& folder) const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      names.insert(fs::relative(entry.path(), folder).string());
    return names;
  }

  DrawnSet set;
  fs::path out = set.folder / "out", unfinished = set.folder / "out.unfinished";
};

}  // namespace

TEST_CASE("what a killed unpack has left goes when the next one starts, which then ends well") {
  const UnpackedStore store;
  CHECK(store.unpacked() == "no error");
  const std::set<std::string> whole = store.names_in(store.out);
  CHECK(whole.size() > 4);
  // Killed after its first step, its second, amid the pictures.
  for (const int steps : {1, 2, 3}) {
    CAPTURE(steps);
    fs::remove_all(store.out);
    fs::create_directory(store.unfinished);
    if (steps > 1) store.set.folder.write("out.unfinished/lock", "");
    if (steps > 2) store.set.folder.write("out.unfinished/set/images/train/old.png", "half");
    CHECK(store.unpacked() == "no error");
    CHECK(store.names_in(store.out) == whole);
    CHECK_FALSE(fs::exists(store.unfinished));
  }
  // Killed when the set had its name already.
  store.set.folder.write("out.unfinished/lock", "");
  CHECK(store.unpacked() ==
        "73 --out " + store.out.string() + ": is there and not empty; name a new folder");
  CHECK(store.names_in(store.out) == whole);
  CHECK_FALSE(fs::exists(store.unfinished));
}

TEST_CASE("an unpack into the folder of one that still runs is refused and leaves it alone") {
  const UnpackedStore store;
  {
    const UnfinishedFolder running(store.out);
    store.set.folder.write("out.unfinished/set/1.png", "half");
    CHECK(store.unpacked() == "75 " + (store.unfinished / "lock").string() +
                                  ": another process holds this lock; wait for it to end and try "
                                  "again");
    CHECK(file_text(store.unfinished / "set" / "1.png") == "half");
  }
  CHECK_FALSE(fs::exists(store.unfinished));
}

TEST_CASE("a folder with anything else, or without the lock, is not taken for an unpack's") {
  for (const char* file : {"set/1.png", "notes.txt", "lock.txt"}) {
    CAPTURE(file);
    const UnpackedStore store;
    store.set.folder.write("out.unfinished/" + std::string(file), "mine");
    CHECK(store.unpacked() == "73 " + store.unfinished.string() +
                                  ": is there, from an unpack that did not end or still runs; "
                                  "remove it, or name another --out");
    CHECK(file_text(store.unfinished / file) == "mine");
  }
}

}  // namespace letterpress
