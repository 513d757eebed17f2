#include <cstdio>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

#include "letterpress/base/registry.h"
#include "letterpress/commandline/program.h"
#include "tests/bench/measure.h"
#include "tests/bench/photographs.h"

namespace letterpress {
namespace {

struct Flags {
  std::vector<std::string> only;
  std::string pictures, folder = std::filesystem::temp_directory_path().string();
  BenchmarkSetting setting;
  MeasureOptions measure;
  bool json = false;
};

std::vector<const BenchmarkEntry*> chosen(const std::vector<std::string>& only) {
  const auto all = benchmarks();
  if (only.empty()) return {all.begin(), all.end()};
  std::vector<const BenchmarkEntry*> entries;
  for (const std::string& name : only) entries.push_back(&find_entry(all, "benchmark", name));
  return entries;
}

void print(const BenchmarkEntry& entry, const Measurement& measurement) {
  std::cout << std::left << std::setw(30) << entry.name << std::right << std::fixed
            << std::setprecision(0) << std::setw(10) << measurement.items_per_s << " /s"
            << std::setprecision(2) << std::setw(8) << measurement.bytes_per_s / 1e9 << " GB/s  "
            << entry.summary << std::endl;
}

int run(Flags& flags, const StopRequest& stop) {
  const std::vector<const BenchmarkEntry*> entries = chosen(flags.only);
  flags.setting.folder = flags.folder;
  flags.setting.photographs = load_photographs(flags.pictures);
  nlohmann::json results = nlohmann::json::object();
  for (const BenchmarkEntry* entry : entries) {
    std::cerr << "letterpress-microbench run: measuring " << entry->name << std::endl;
    const Measurement measurement = measure(*entry->make(flags.setting), flags.measure, stop);
    if (stop) return 128 + stop.signal();
    results[std::string(entry->name)] = {{"items_per_s", measurement.items_per_s},
                                         {"bytes_per_s", measurement.bytes_per_s}};
    if (!flags.json) print(*entry, measurement);
  }
  if (flags.json) std::cout << results.dump() << std::endl;
  return 0;
}

Command run_command() {
  using F = Flag<Flags>;
  const auto of_setting = [](auto option) { return member(&Flags::setting, option); };
  const auto of_measure = [](auto option) { return member(&Flags::measure, option); };
  FlagTable<Flags> table;
  table.add(
      {F("only", &Flags::only, "names; all by default").commas(),
       F("pictures", &Flags::pictures, "folder of JPEG files; drawn ones by default"),
       F("folder", &Flags::folder, "where rows are written")
           .must_be("a folder",
                    [](const Flags& f) { return std::filesystem::is_directory(f.folder); }),
       F("size", of_setting(&BenchmarkSetting::side), "pixels of a row's side").between(32, 4096),
       F("rows", of_setting(&BenchmarkSetting::rows), "items of a pass").between(1, 1 << 20),
       F("threads", of_measure(&MeasureOptions::threads), "at once").between(1, 1024),
       F("passes", of_measure(&MeasureOptions::passes), "their median counts").between(1, 1000),
       F("json", &Flags::json, "one JSON object in place of the table")});
  return command("run", "times the inner loops, each alone", table,
                 [](Flags flags) { return run(flags, stop_by_signal()); });
}

}  // namespace
}  // namespace letterpress

int main(int argc, char** argv) {
  using namespace letterpress;
  return run_program("letterpress-microbench", "micro-benchmarks of Letterpress", {run_command()},
                     argc, argv);
}
