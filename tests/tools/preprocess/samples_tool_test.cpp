// The samples for many machines and for cron: their own words are run, with stand-ins for the
// schedulers.
#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "tests/contains.h"
#include "tests/preprocess/published_files.h"
#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

std::string sample(const std::string& name) {
  return std::string(LETTERPRESS_SOURCE_DIR) + "/samples/" + name;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// A set of several groups of shards with what one build makes of it, and a folder of programs that
// comes first in PATH.
struct Machines {
  DrawnSet set;
  std::string store = (set.folder / "store").string();

  Machines() {
    set.pictures(12);
    REQUIRE(preprocess(words("build", "single")).exit_code == 0);
    fs::create_directory(set.folder / "bin");
    fs::create_symlink(program_path("letterpress-preprocess"),
                       set.folder / "bin/letterpress-preprocess");
  }
  std::vector<std::string> words(const std::string& command, const std::string& folder) const {
    std::vector<std::string> words = build_words(set, {"--shard-bytes", "50k"});
    words[0] = command;
    words[2] = (set.folder / folder).string();
    return words;
  }
  std::string planned() const {
    const ProgramResult result = preprocess(words("plan", "store"));
    REQUIRE(result.last_line().starts_with("plan "));
    return result.last_line().substr(5);
  }
  void stand_in(const std::string& name, const std::string& script) const {
    fs::permissions(set.folder.write("bin/" + name, script), fs::perms::owner_all);
  }
  // With no variables but these and PATH.
  ProgramResult run_there(const std::vector<std::string>& variables,
                          const std::vector<std::string>& command) const {
    std::vector<std::string> all{"/usr/bin/env", "-i",
                                 "PATH=" + (set.folder / "bin").string() + ":/usr/bin:/bin"};
    all.insert(all.end(), variables.begin(), variables.end());
    all.insert(all.end(), command.begin(), command.end());
    return run(all);
  }
  bool equals_one_build() const {
    return published_files(store) == published_files(set.folder / "single");
  }
};

// What Slurm does with the flags that the sample gives it: a batch script's variables, an array's
// indices, the wrapped command by sh.
constexpr const char* kSbatch = R"(#!/bin/bash
set -eu
folder=$(dirname "$0")
array= wrap= parsable=false
echo "$@" >> "$folder/calls"
while [ $# -gt 0 ]; do
  case $1 in
    --array=*) array=${1#--array=}; shift ;;
    --wrap) wrap=$2; shift 2 ;;
    --parsable) parsable=true; shift ;;
    --cpus-per-task=* | --dependency=afterok:4711) shift ;;
    *) echo "sbatch: unrecognized option '$1'" >&2; exit 1 ;;
  esac
done
export SLURM_PROCID=0 SLURM_NTASKS=1
if [ -n "$array" ]; then
  first=${array%-*} last=${array#*-}
  export SLURM_ARRAY_TASK_MIN=$first SLURM_ARRAY_TASK_MAX=$last SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=$((last - first + 1))
  for i in $(seq "$last" -1 "$first"); do SLURM_ARRAY_TASK_ID=$i sh -c "$wrap" >> "$folder/out"; done
else
  sh -c "$wrap" >> "$folder/out"
fi
$parsable && echo 4711 || echo "Submitted batch job 4712"
)";

}  // namespace

TEST_CASE(
    "slurm.sh plans, maps in an array and reduces after it, to what one build makes; nothing to do "
    "is said") {
  const Machines machines;
  machines.stand_in("sbatch", kSbatch);
  std::vector<std::string> words{"/bin/bash", sample("machines/slurm.sh"), machines.store};
  const std::vector<std::string> flags = machines.words("build", "store");
  words.insert(words.end(), flags.begin() + 3, flags.end());
  const ProgramResult result = machines.run_there({}, words);
  CHECK_MESSAGE(result.exit_code == 0, result.err);
  CHECK(machines.equals_one_build());
  const std::string calls = file_text(machines.set.folder / "bin/calls");
  CHECK(calls.starts_with("--parsable --array=0-15 "));
  CHECK(
      contains(calls, "\n--dependency=afterok:4711 --wrap letterpress-preprocess reduce --plan "));
  const std::string out = file_text(machines.set.folder / "bin/out");
  for (int i = 0; i < 16; ++i)
    CHECK_MESSAGE(contains(out, "part " + std::to_string(i) + "/16"), out);
  const ProgramResult again = machines.run_there({}, words);
  CHECK(again.exit_code == 0);
  CHECK(again.out == "nothing has changed\n");
}

TEST_CASE("the line for GNU parallel makes all parts of a plan") {
  const Machines machines;
  machines.stand_in("parallel",
                    "#!/bin/bash\nset -eu\nwhile read -r line; do \"${@//\\{\\}/$line}\"; done\n");
  const std::string plan = machines.planned(), text = file_text(sample("README.md"));
  std::smatch found;
  REQUIRE(std::regex_search(text, found, std::regex("`(seq [^`]*parallel [^`]*)`")));
  const ProgramResult mapped = machines.run_there(
      {}, {"/bin/bash", "-euc", "set -o pipefail; " + replaced(found[1], "PLAN", plan)});
  CHECK_MESSAGE(mapped.exit_code == 0, mapped.err);
  CHECK(preprocess({"reduce", "--plan", plan}).exit_code == 0);
  CHECK(machines.equals_one_build());
}

TEST_CASE(
    "kubernetes.yaml is an Indexed Job whose pods, run for every index, make all parts of a plan") {
  const Machines machines;
  const std::string plan = machines.planned();
  const YAML::Node job = YAML::LoadFile(sample("machines/kubernetes.yaml"));
  CHECK(job["apiVersion"].as<std::string>() == "batch/v1");
  CHECK(job["kind"].as<std::string>() == "Job");
  const YAML::Node spec = job["spec"];
  CHECK(spec["completionMode"].as<std::string>() == "Indexed");
  const YAML::Node pod = spec["template"]["spec"], container = pod["containers"][0];
  CHECK(pod["restartPolicy"].as<std::string>() == "Never");  // podFailurePolicy needs it
  for (const YAML::Node& mount : container["volumeMounts"]) {
    const auto name = mount["name"].as<std::string>();
    bool declared = false;
    for (const YAML::Node& volume : pod["volumes"])
      declared = declared || volume["name"].as<std::string>() == name;
    CHECK_MESSAGE(declared, name);
  }
  std::vector<std::string> command;
  for (const std::string& word : container["command"].as<std::vector<std::string>>())
    command.push_back(word == "PLAN" ? plan : word);
  const int parts = spec["completions"].as<int>();
  REQUIRE(command.size() > 2);
  CHECK(command[command.size() - 2] == "--parts");
  CHECK(command.back() == std::to_string(parts));
  for (int i = parts; i-- > 0;) {
    const ProgramResult result =
        machines.run_there({"JOB_COMPLETION_INDEX=" + std::to_string(i)}, command);
    CHECK_MESSAGE(result.exit_code == 0, result.err);
    CHECK(contains(result.err, "part " + std::to_string(i) + "/" + std::to_string(parts) +
                                   ", from JOB_COMPLETION_INDEX"));
  }
  CHECK(preprocess({"reduce", "--plan", plan}).exit_code == 0);
  CHECK(machines.equals_one_build());
  // What may not be tried again is what the program leaves with when the plan is gone.
  const ProgramResult gone = machines.run_there({"JOB_COMPLETION_INDEX=0"}, command);
  const auto fatal =
      spec["podFailurePolicy"]["rules"][0]["onExitCodes"]["values"].as<std::vector<int>>();
  CHECK(std::ranges::count(fatal, gone.exit_code) == 1);
}

TEST_CASE(
    "the line for cron has five times, a user and a command that builds again and says nothing") {
  const Machines machines;
  REQUIRE(preprocess(machines.words("build", "store")).exit_code == 0);
  machines.set.picture("p0.png", 77);
  std::istringstream lines(file_text(sample("schedule/letterpress.cron")));
  std::vector<std::string> jobs;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != '#' && !std::regex_match(line, std::regex("[A-Z]+=.*")))
      jobs.push_back(line);
  }
  REQUIRE(jobs.size() == 1);
  std::smatch found;
  REQUIRE(std::regex_match(jobs[0], found, std::regex("(\\d+) (\\d+) \\* \\* \\* ([a-z]+) (/.*)")));
  CHECK(std::stoi(found[1]) < 60);
  CHECK(std::stoi(found[2]) < 24);
  CHECK(!contains(found[4], "%"));  // cron's newline
  const std::string page = (machines.set.folder / "report.html").string();
  std::string command =
      replaced(found[4], "/opt/letterpress/", std::string(LETTERPRESS_SOURCE_DIR) + "/");
  command = replaced(replaced(command, "/data/store", machines.store), "/data/report.html", page);
  const ProgramResult result = machines.run_there({"TMPDIR=" + machines.set.folder.path().string()},
                                                  {"/bin/sh", "-c", command});
  CHECK(result.exit_code == 0);
  CHECK(result.out + result.err == "");
  CHECK(Store::open(machines.store).latest().value().generation == 2);
  CHECK(contains(file_text(page), "<h1>Snapshot 2</h1>"));
}

}  // namespace letterpress
