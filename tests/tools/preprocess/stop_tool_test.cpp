#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/tools/preprocess/preprocess_tool.h"
#include "tests/tools/processor_time.h"

namespace letterpress {
namespace {

// A black BMP of side x side whose pixels take no disk space; `seed` makes its bytes differ from
// another's.
void huge_bmp(const std::filesystem::path& file, std::int32_t side, char seed) {
  std::string header(54, '\0');
  const auto put = [&](std::size_t at, std::int32_t value) {
    std::memcpy(header.data() + at, &value, 4);
  };
  header[0] = 'B';
  header[1] = 'M';
  const std::int32_t bytes = 54 + (side * 3 + 3) / 4 * 4 * side;
  put(2, bytes);
  put(10, 54);
  put(14, 40);
  put(18, side);
  put(22, side);
  header[26] = 1;
  header[28] = 24;
  std::ofstream(file, std::ios::binary) << header << seed;
  std::filesystem::resize_file(file, static_cast<std::uintmax_t>(bytes));
}

// A shard is in the making: its file is there, larger than any other that a build keeps in tmp/.
bool makes_rows(const std::filesystem::path& store) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(store / "tmp", error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const std::uintmax_t bytes = entry->file_size(gone);
    if (!gone && bytes > (1 << 20)) return true;
  }
  return false;
}

// Sends SIGTERM; seconds until the program has ended, whatever it waited for.
double stop_s(RunningProgram& program, ProgramResult& result) {
  const auto start = std::chrono::steady_clock::now();
  program.send(SIGTERM);
  result = program.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Far more than the two seconds that are promised, as the machine may be busy; a program that waits
// for what never comes takes longer.
constexpr double kPatience_s = 60;

}  // namespace

TEST_CASE("SIGTERM among huge pictures ends a build within two seconds of work, with 143") {
  DrawnSet set;
  std::string lines;
  for (int i = 0; i < 3; ++i) {
    const std::string name = "huge" + std::to_string(i) + ".bmp";
    huge_bmp(set.folder / name, 6000, static_cast<char>('a' + i));
    lines += name + " 10,10,400,300,0\n";
  }
  set.list("train.txt", lines);
  std::vector<std::string> words = build_words(
      set, {"--threads", "1", "--size", "2048", "--views", "64", "--shard-bytes", "16MiB"});
  words.erase(words.begin() + 7, words.begin() + 11);  // its own --size and --views
  words.insert(words.begin(), program_path("letterpress-preprocess"));
  const double before = children_cpu_s();
  RunningProgram program(words);
  REQUIRE(program.wait_until([&] { return makes_rows(set.folder / "store"); }));
  const double at_signal = cpu_s(program.id());
  ProgramResult result;
  CHECK(stop_s(program, result) < kPatience_s);
  CAPTURE(result.err);
  CHECK(result.exit_code == 143);
  // Of the processor, so that a busy machine does not fail the test.
  CHECK(children_cpu_s() - before - at_signal < 2);
}

TEST_CASE(
    "SIGTERM ends a part of a plan with 143; the same command goes on with the finished shards, "
    "and the plan is published") {
  namespace fs = std::filesystem;
  DrawnSet set;
  set.pictures(12);
  std::vector<std::string> words = build_words(set, {"--shard-bytes", "5MiB"});
  words[0] = "plan";
  words[8] = "416";
  words[10] = "30";  // views
  const ProgramResult planned = preprocess(words);
  REQUIRE(planned.exit_code == 0);
  const std::string plan = planned.last_line().substr(5);
  const std::vector<std::string> part{"map", "--plan",    plan, "--part",
                                      "0/1", "--threads", "1",  "--json"};
  words = part;
  words.insert(words.begin(), program_path("letterpress-preprocess"));
  RunningProgram program(words);
  const auto has_record = [&] {
    for (const auto& entry : fs::directory_iterator(fs::path(plan).parent_path())) {
      if (entry.path().extension() == ".json" && entry.path().filename() != "terms.json")
        return true;
    }
    return false;
  };
  REQUIRE(program.wait_until(has_record));
  ProgramResult stopped;
  CHECK(stop_s(program, stopped) < kPatience_s);
  CAPTURE(stopped.err);
  REQUIRE(stopped.exit_code == 143);
  // The second when two seconds were not enough to reach the first.
  CHECK((stopped.out.find(
             "part 0/1: stopped by SIGTERM; finished shards are kept, the same command goes on") !=
             std::string::npos ||
         stopped.err.find("stopped in the middle of its work; what is finished stays") !=
             std::string::npos));
  const ProgramResult again = preprocess(part);
  CHECK(again.exit_code == 0);
  const nlohmann::json summary = nlohmann::json::parse(again.last_line());
  CHECK(summary.at("shards_resumed").get<int>() >= 1);
  CHECK(summary.at("shards_resumed").get<int>() < summary.at("shards").get<int>());
  CHECK(preprocess({"reduce", "--plan", plan}).exit_code == 0);
  CHECK(Store::open(set.folder / "store").latest()->accounting.pictures_stored == 12);
}

}  // namespace letterpress
