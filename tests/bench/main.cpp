#include <CLI/CLI.hpp>
#include <cstdio>
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
  return {"run", "times each inner loop alone", [](CLI::App& app) {
            auto flags = std::make_shared<Flags>();
            app.add_option("--only", flags->only, "names, comma-separated; all by default")
                ->delimiter(',');
            app.add_option("--pictures", flags->pictures,
                           "folder of JPEG files; drawn ones by default");
            app.add_option("--folder", flags->folder, "where rows are written")
                ->check(CLI::ExistingDirectory);
            app.add_option("--size", flags->setting.side, "pixels of a row's side")
                ->check(CLI::Range(32, 4096));
            app.add_option("--rows", flags->setting.rows, "items of a pass")
                ->check(CLI::Range(1, 1 << 20));
            app.add_option("--threads", flags->measure.threads, "threads at once")
                ->check(CLI::Range(1, 1024));
            app.add_option("--passes", flags->measure.passes, "how many passes; the median counts")
                ->check(CLI::Range(1, 1000));
            app.add_flag("--json", flags->json, "one JSON object instead of the table");
            return [flags] { return run(*flags, stop_by_signal()); };
          }};
}

}  // namespace
}  // namespace letterpress

int main(int argc, char** argv) {
  using namespace letterpress;
  return run_program("letterpress-microbench", "micro-benchmarks of Letterpress", {run_command()},
                     argc, argv);
}
