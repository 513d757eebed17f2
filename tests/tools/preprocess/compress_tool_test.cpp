// Compressed stores from outside: every command reads them as it reads others.
#include <doctest/doctest.h>

#include "letterpress/base/file.h"
#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

// The same set in two stores: store, compressed, and plain.
struct BuiltTwice {
  DrawnSet set;
  std::string packed = (set.folder / "store").string(), plain = (set.folder / "plain").string();

  BuiltTwice() {
    set.pictures(6);
    REQUIRE(preprocess(build_words(set, {"--compress", "deflate"})).exit_code == 0);
    std::vector<std::string> words = build_words(set);
    words[2] = plain;
    REQUIRE(preprocess(words).exit_code == 0);
  }
};

std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), folder).string()] = file_text(entry.path());
  }
  return files;
}

}  // namespace

TEST_CASE("info says how many shards are compressed; verify --deep passes") {
  const BuiltTwice built;
  CHECK(preprocess({"info", "--store", built.packed})
            .out.find("\n2 shards (2 compressed: deflate), ") != std::string::npos);
  CHECK(preprocess({"info", "--store", built.plain}).out.find("\n2 shards, ") != std::string::npos);
  const ProgramResult deep = preprocess({"verify", "--deep", "--store", built.packed});
  CHECK(deep.exit_code == 0);
  CHECK(deep.last_line() == built.packed + ": snapshot 1 is whole: 2 shards, every row");
}

TEST_CASE("preview and unpack give the same files from a compressed store as from another") {
  const BuiltTwice built;
  const auto sheet = [&](const std::string& store, const std::string& name) {
    const fs::path out = built.set.folder / name;
    CHECK(preprocess(
              {"preview", "--store", store, "--out", out.string(), "--views", "2", "--tile", "96"})
              .exit_code == 0);
    return file_text(out);
  };
  CHECK(sheet(built.packed, "a.png") == sheet(built.plain, "b.png"));
  const auto unpacked = [&](const std::string& store, const std::string& name) {
    const fs::path out = built.set.folder / name;
    CHECK(
        preprocess({"unpack", "--store", store, "--out", out.string(), "--to", "yolo"}).exit_code ==
        0);
    return files_below(out);
  };
  const auto files = unpacked(built.packed, "u1");
  CHECK(files.size() > 12);
  CHECK(files == unpacked(built.plain, "u2"));
}

TEST_CASE("a later build repeats --compress; the other way is said, and another word is refused") {
  const BuiltTwice built;
  const auto again = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"build", "--store", built.packed};
    words.insert(words.end(), more.begin(), more.end());
    return preprocess(words);
  };
  CHECK(again({"--verbose"}).out.find("\"compress\":\"deflate\"") != std::string::npos);
  const ProgramResult other = again({"--compress", "none"});
  CHECK(other.exit_code == 0);
  CHECK(other.err.find("2 of 2 shards stay as they are, compressed; --rebuild makes them anew") !=
        std::string::npos);
  const ProgramResult wrong = again({"--compress", "zip"});
  CHECK(wrong.exit_code == 64);
  CHECK(wrong.err.find("--compress is 'zip', must be none or deflate") != std::string::npos);
}

TEST_CASE("a turned bit in a compressed row is found by verify --deep, which names shard and row") {
  const BuiltTwice built;
  const Store store = Store::open(built.packed);
  const fs::path shard = store.shard_path(store.latest()->shards.at(0).digest);
  const FileRange row = ShardReader(shard).stored_pixels(3);
  std::string bytes = file_text(shard);
  bytes.at(static_cast<std::size_t>(row.offset + row.bytes / 2)) ^= 4;
  fs::remove(shard);
  std::ofstream(shard, std::ios::binary) << bytes;
  CHECK(preprocess({"verify", "--store", built.packed}).exit_code == 0);
  const ProgramResult deep = preprocess({"verify", "--deep", "--store", built.packed});
  CHECK(deep.exit_code == 65);
  CHECK(deep.err.find(shard.string() + ": row 3 (p3.png) is damaged: its compressed pixels cannot "
                                       "be decompressed; restore it from a copy") !=
        std::string::npos);
}

}  // namespace letterpress
