#pragma once
#include <string>

#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {

/// A small store of drawn pictures, one of them a duplicate and one rejected.
struct BuiltStore {
  DrawnSet set;
  std::string store = (set.folder / "store").string();

  explicit BuiltStore(int n = 6) {
    set.pictures(n);
    set.folder.write("bad.png", "text");
    set.list("train.txt",
             file_text(set.folder / "train.txt") + "bad.png 1,1,5,5,0\np0.png 10,10,40,30,0\n");
    REQUIRE(preprocess(build_words(set, {"--max-rejects", "1"})).exit_code == 0);
  }
  std::filesystem::path shard(std::size_t index) const {
    const Store opened = Store::open(store);
    return opened.shard_path(opened.latest()->shards.at(index).digest);
  }
};

}  // namespace letterpress
