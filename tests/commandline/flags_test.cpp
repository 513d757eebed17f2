#include "letterpress/commandline/flags.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <sstream>

#include "letterpress/base/cores.h"
#include "letterpress/base/error.h"
#include "letterpress/commandline/program.h"
#include "letterpress/commandline/threads_flag.h"

using namespace letterpress;

namespace {

enum class Mode { slow, fast };

struct Part {
  int depth = 2;
};

struct Options {
  std::filesystem::path folder{};
  std::string name = "a";
  bool dry = false;
  int count = 3;
  std::uint64_t seed = 1;
  double rate = 0.001;
  std::int64_t size = 1 << 20;
  double share = 0.05;
  Mode mode = Mode::slow;
  std::optional<float> limit{};
  std::vector<std::string> inputs{};
  std::vector<double> anchors{};
  Part part{};
};

using OptionFlag = Flag<Options>;

FlagTable<Options> table() {
  FlagTable<Part> parts(FlagLife::kept);
  parts.add({Flag<Part>("depth", &Part::depth, "levels").at_least(1).fixed()});
  FlagTable<Options> all(FlagLife::kept);
  all.add({OptionFlag("folder", &Options::folder, "where").here(),
           OptionFlag("name", &Options::name, "what | it is called").choices({"a", "b", "c"}),
           OptionFlag("dry", &Options::dry, "do nothing").once(),
           OptionFlag("count", &Options::count, "how many").between(1, 10),
           OptionFlag("seed", &Options::seed, "of what is drawn"),
           OptionFlag("rate", &Options::rate, "of learning")
               .over(0, "over 0")
               .stored_as([](const Options& o) { return 2 * o.rate; }),
           OptionFlag("size", &Options::size, "of a file").bytes().at_least(1, "bytes"),
           OptionFlag("share", &Options::share, "of the files").share().between(0, 1),
           OptionFlag("mode", &Options::mode, "how").choices({"slow", "fast"}),
           OptionFlag("limit", &Options::limit, "none given: none").between(0, 1),
           OptionFlag("inputs", &Options::inputs, "files"),
           OptionFlag("anchors", &Options::anchors, "w,h,...").commas()});
  all.include(parts, &Options::part);
  return all;
}

const FlagInfo& info(const std::string& name) {
  static const std::vector<FlagInfo> infos = table().infos();
  for (const FlagInfo& flag : infos) {
    if (flag.name == name) return flag;
  }
  throw std::logic_error(name);
}

Options given(const std::vector<std::pair<std::string, std::vector<std::string>>>& words) {
  FlagValues values;
  for (const auto& [name, text] : words) values.emplace_back(name, parse_value(info(name), text));
  return table().read(values).options;
}

// What is said of it, "" where it is taken.
std::string refusal(const std::string& name, const std::string& word) {
  try {
    table().check(given({{name, {word}}}));
    return "";
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return error.what();
  }
}

}  // namespace

TEST_CASE("each kind of flag is read as people write it") {
  const Options options = given({{"folder", {"/x y"}},
                                 {"count", {"+7"}},
                                 {"seed", {"18446744073709551615"}},
                                 {"rate", {"1e-2"}},
                                 {"size", {"1.5 GB"}},
                                 {"share", {"12.5%"}},
                                 {"mode", {"fast"}},
                                 {"limit", {"0.5"}},
                                 {"inputs", {"a", "b,c"}},
                                 {"anchors", {"1", "2.5"}},
                                 {"depth", {"4"}}});
  CHECK(options.folder == "/x y");
  CHECK(options.count == 7);
  CHECK(options.seed == 18446744073709551615U);
  CHECK(options.rate == 0.01);
  CHECK(options.size == 1'500'000'000);
  CHECK(options.share == 0.125);
  CHECK(options.mode == Mode::fast);
  CHECK(options.limit == 0.5F);
  CHECK(options.inputs == std::vector<std::string>{"a", "b,c"});
  CHECK(options.anchors == std::vector<double>{1, 2.5});
  CHECK(options.part.depth == 4);
}

TEST_CASE("bytes have units: powers of 1000, with an i of 1024") {
  const std::vector<std::pair<const char*, std::int64_t>> cases{{"268435456", 268435456},
                                                                {"256MiB", 268435456},
                                                                {"10GB", 10'000'000'000},
                                                                {"1k", 1000},
                                                                {"1 KiB", 1024},
                                                                {"2t", 2'000'000'000'000},
                                                                {"7b", 7}};
  for (const auto& [word, bytes] : cases) {
    CAPTURE(word);
    CHECK(given({{"size", {word}}}).size == bytes);
  }
  for (const char* wrong : {"", "lots", "1 mile", "-1", "1e30", "1xib"}) {
    CAPTURE(wrong);
    CHECK(refusal("size", wrong) == std::string("--size is '") + wrong +
                                        "', must be bytes, for instance 268435456, 256MiB or 10GB");
  }
}

TEST_CASE("a wrong value is refused with the flag, what was got and what it must be") {
  const std::vector<std::array<const char*, 3>> cases{
      {"count", "0", "--count is 0, must be 1 to 10"},
      {"count", "x", "--count is 'x', must be a whole number"},
      {"count", "3000000000", "--count is 3000000000, must be -2147483648 to 2147483647"},
      {"seed", "-1", "--seed is '-1', must be a whole number from 0 to 18446744073709551615"},
      {"rate", "nan", "--rate is nan, must be over 0"},
      {"rate", "1x", "--rate is '1x', must be a number"},
      {"share", "150%", "--share is 1.5 (150%), must be 0 to 1"},
      {"share", "half",
       "--share is 'half', must be a share like 0.01 or a percentage like 1%, from 0 to 100%"},
      {"name", "delta", "--name is 'delta', must be a, b or c"},
      {"mode", "idle", "--mode is 'idle', must be slow or fast"},
      {"mode", "slwo", "--mode is 'slwo', must be slow or fast; did you mean 'slow'?"},
      {"limit", "2", "--limit is 2, must be 0 to 1"},
      {"anchors", "x", "--anchors is 'x', must be a number"},
      {"depth", "0", "--depth is 0, must be 1 or more"}};
  for (const auto& [name, word, text] : cases) {
    CAPTURE(text);
    CHECK(refusal(name, word) == text);
  }
  for (const char* name : {"count", "seed", "rate", "size", "share", "limit", "depth"}) {
    CAPTURE(name);
    CHECK(refusal(name, "").starts_with("--" + std::string(name) + " is '', must be "));
  }
}

TEST_CASE("defaults are printed from the options struct as people write them") {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"count", "3"}, {"rate", "0.001"}, {"size", "1MiB"}, {"share", "5%"}, {"mode", "slow"},
      {"dry", ""},    {"limit", ""},     {"inputs", ""},   {"depth", "2"}};
  for (const auto& [name, initial] : cases) {
    CAPTURE(name);
    CHECK(info(name).initial == initial);
  }
}

TEST_CASE("what is stored is taken over by later runs, but for what is given and of the machine") {
  Options options;
  options.folder = "/x";
  options.dry = true;
  options.count = 9;
  options.mode = Mode::fast;
  options.part.depth = 7;
  const std::string json = table().to_json(options);
  CHECK(json ==
        R"({"folder":"/x","name":"a","count":9,"seed":1,"rate":0.002,"size":1048576,"share":0.05,)"
        R"("mode":"fast","inputs":[],"anchors":[],"depth":7})");
  Options later;
  table().take_over(json, {"count"}, {}, later);
  CHECK(later.folder.empty());
  CHECK(!later.dry);
  CHECK(later.count == 3);
  CHECK(later.mode == Mode::fast);
  CHECK(later.part.depth == 7);
  Options none;
  table().take_over("null", {}, {}, none);
  table().take_over(R"({"unknown":1})", {}, {}, none);
  CHECK(none.count == 3);
}

TEST_CASE("stored JSON that is wrong names its place, the flag and what to do") {
  Options options;
  const Message source{.where = "c.json", .what = "the run", .fix = "start anew"};
  const auto message = [&](const char* json) -> std::string {
    try {
      table().take_over(json, {}, source, options);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  CHECK(message(R"({"count":"x"})") ==
        "c.json: --count of the run cannot be read: is \"x\", must be a whole number; start anew");
  CHECK(message(R"({"count":3000000000})")
            .starts_with("c.json: --count of the run cannot be read: is 3000000000, must be "));
  CHECK(message("{") == "c.json: the flags of the run are not a JSON object; start anew");
  options.folder = "/\xff";
  CHECK_THROWS_WITH_AS(table().to_json(options),
                       "--folder is '/\xff', must be UTF-8: it is stored as JSON", Error);
}

TEST_CASE("more threads than cores are as many as there are cores, and a note says so") {
  const int cores = available_cores();
  for (const int kept : {0, 1, kMostThreads + 1}) {
    CAPTURE(kept);
    CHECK(limit_to_cores(kept).number == kept);
    CHECK(limit_to_cores(kept).note.empty());
  }
  const Capped capped = limit_to_cores(kMostThreads);
  CHECK(capped.number == cores);
  CHECK(capped.note ==
        "--threads 4096 is more than the cores here; " + std::to_string(cores) + " are used");
}

TEST_CASE("more readers than sixteen for each core are as many as that, and a note says so") {
  const int most = 16 * available_cores();
  for (const int kept : {0, 16, kMostReaders + 1}) {
    CAPTURE(kept);
    CHECK(limit_readers(kept).number == kept);
    CHECK(limit_readers(kept).note.empty());
  }
  const Capped capped = limit_readers(kMostReaders);
  CHECK(capped.number == std::min(kMostReaders, most));
  if (most >= kMostReaders) return;
  CHECK(capped.note ==
        "--readers 1024 is more than 16 for each core here; " + std::to_string(most) + " are used");
}

TEST_CASE("a name of a registry, or the default: an unknown one lists the known ones") {
  struct Entry {
    const char* name;
  };
  static constexpr Entry kFirst{"adam"}, kSecond{"sgd"};
  FlagTable<Options> flags;
  flags.add({OptionFlag("name", &Options::name, "which")
                 .known("optimiser", std::array{&kFirst, &kSecond}),
             OptionFlag("rate", &Options::rate, "of learning").must_be(kUnderOne),
             OptionFlag("inputs", &Options::inputs, "files").says("files that are there")});
  CHECK(flags.infos()[0].limits == "adam or sgd");
  CHECK(flags.infos()[2].limits == "files that are there");
  for (const char* name : {"a", "adam", "sgd"}) CHECK_NOTHROW(flags.check({.name = name}));
  CHECK_THROWS_WITH_AS(flags.check({.name = "adm"}),
                       "--name: unknown optimiser 'adm'; did you mean 'adam'? known: adam, sgd",
                       Error);
  CHECK_THROWS_WITH_AS(flags.check({.rate = 1}), "--rate is 1, must be 0 or more and under 1",
                       Error);
}

TEST_CASE("a flag that says nothing without another one is refused where that is not given") {
  FlagTable<Options> flags;
  const auto has_folder = [](const Options& options) { return !options.folder.empty(); };
  flags.add(
      {OptionFlag("folder", &Options::folder, "where"),
       OptionFlag("count", &Options::count, "how many").only_with("--folder DIR", has_folder)});
  Options options;
  CHECK_NOTHROW(flags.check(options));
  options.count = 4;
  CHECK_THROWS_WITH_AS(
      flags.check(options),
      "--count 4: is for --folder, which is not given; add --folder DIR, or leave it out", Error);
  options.folder = "there";
  CHECK_NOTHROW(flags.check(options));
}

TEST_CASE("the reference page has every command and flag with default, limits and help") {
  const Command work = command("work", "does it", table(), [](const Options&) { return 0; });
  std::ostringstream out;
  auto* const old = std::cout.rdbuf(out.rdbuf());
  std::vector<char*> argv{const_cast<char*>("tool"), const_cast<char*>("reference")};
  const int code = run_program("tool", "a tool", {work}, 2, argv.data());
  std::cout.rdbuf(old);
  CHECK(code == 0);
  const std::string page = out.str();
  for (const char* part :
       {"# tool\n\na tool\n", "\n## work\n\ndoes it\n",
        "| `--dry` |  |  |  | not stored | do nothing |",
        "| `--count` | INT | `3` | 1 to 10 | taken over | how many |",
        "| `--size` | BYTES | `1MiB` | bytes | taken over | of a file |",
        "| `--name` | TEXT | `a` | a, b or c | taken over | what \\| it is called |",
        "| `--depth` | INT | `2` | 1 or more | must stay | levels |"}) {
    CAPTURE(part);
    CHECK_MESSAGE(page.find(part) != std::string::npos, page);
  }
}
