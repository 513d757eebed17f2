#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/contains.h"
#include "tests/tools/processor_time.h"
#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;

namespace {

std::string one_decimal(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", number);
  return text.data();
}

ProgramResult bench_of(const TrainerBench& bench, std::vector<std::string> more) {
  std::vector<std::string> words{"bench",   "--store", bench.path("store"), "--runs", "1",
                                 "--batch", "4"};
  words.insert(words.end(), more.begin(), more.end());
  return trainer(words);
}

}  // namespace

TEST_CASE(
    "bench tells how a store is read, how fast, and whether two devices of a model would starve") {
  const TrainerBench bench;
  const ProgramResult result = bench_of(bench, {"--model", "yolov3-tiny", "--gpus", "2", "--device",
                                                "cpu", "--step-batch", "2", "--json"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  CHECK(contains(result.out, "8 of 8 pictures, side 64, "));
  CHECK(contains(result.out, "\nbytes: rows are read by "));
  CHECK(contains(result.out, "\nfloat32: rows are read by "));
  CHECK(contains(result.out, "2 x yolov3-tiny in training steps of 2, measured here (cpu, "));
  CHECK(contains(result.out, ": the devices are the limit\n"));
  const auto json = nlohmann::json::parse(result.last_line());
  CHECK(json.at("rows") == 8);
  CHECK(json.at("lines").contains("float32, cold"));
  const double need = json.at("need").at("rows_per_s");
  CHECK(need > 0);
  // A CPU's steps take numbers: bytes would be read faster than the model is fed.
  CHECK(json.at("lines").contains("bytes, warm"));
  const double ratio = json.at("lines").at("float32, warm").at("rows_per_s").get<double>() / need;
  CHECK(contains(json.at("need").at("verdict"),
                 "the store gives " + one_decimal(ratio) + " times that from memory"));
}

TEST_CASE(
    "a need that was measured elsewhere, a given pace and way to read are taken; the page cache is "
    "kept when told") {
  const TrainerBench bench;
  const ProgramResult result = bench_of(bench, {"--need", "1e12", "--pace", "2", "--read", "mmap",
                                                "--pixels", "bfloat16", "--warm-only"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  CHECK(contains(result.out, "\nbfloat16: rows are read by mmap: as asked for\n"));
  CHECK(contains(result.out, "a consumer paced at 2 x the loader's own time, "));
  CHECK(contains(result.out, "1 x a device of --need: "));
  CHECK(contains(result.out, "memory is the limit"));
  CHECK_FALSE(contains(result.out, "cold"));
}

TEST_CASE(
    "SIGTERM ends bench and a dry run within two seconds of work, with 143; what they measure is "
    "on stderr") {
  const TrainerBench bench;
  const auto ended_by_signal = [&](std::vector<std::string> words, const std::string& stage) {
    CAPTURE(stage);
    words.insert(words.begin(), program_path("letterpress-trainer"));
    const double before = children_cpu_s();
    RunningProgram program(words);
    REQUIRE(program.wait_for_output(stage, "err"));
    const double at_signal = cpu_s(program.id());
    program.send(SIGTERM);
    const ProgramResult result = program.wait();
    CAPTURE(result.err);
    CHECK(result.exit_code == 143);
    CHECK(children_cpu_s() - before - at_signal < 2);
  };
  // One thread each, so that a second of the clock is no more than one of the processor.
  const std::vector<std::string> endless{
      "bench",     "--store", bench.path("store"), "--runs", "1000000000",
      "--readers", "1",       "--batch",           "4",      "--warm-only"};
  ended_by_signal(endless, "letterpress-trainer bench: measuring memory's own rates\n");
  ended_by_signal({"fit", "--store", bench.path("store"), "--device", "cpu", "--threads", "1",
                   "--batch", "4", "--dry-run"},
                  "letterpress-trainer fit: measuring training steps of ");
}

TEST_CASE("a way to read that is not to be had is refused before anything is measured") {
  const TrainerBench bench({.train = 8, .val = 0, .compression = Compression::deflate});
  const ProgramResult result =
      bench_of(bench, {"--read", "mmap", "--model", "yolov3-tiny", "--device", "cpu"});
  CHECK(result.exit_code == 78);
  CHECK_MESSAGE(
      contains(result.err,
               "--read mmap: shards of this snapshot are compressed (build --compress deflate)"),
      result.err);
  CHECK_FALSE(contains(result.err, "measuring"));
}

TEST_CASE("what bench cannot do is said with the way out") {
  const TrainerBench bench;
  const auto refused = [&](const std::vector<std::string>& more, const std::string& text,
                           int exit_code) {
    CAPTURE(text);
    const ProgramResult result = bench_of(bench, more);
    CHECK(result.exit_code == exit_code);
    CHECK_MESSAGE(contains(result.err, text), result.err);
  };
  refused({"--pixels", "bytes,int8"},
          "--pixels is 'bytes,int8', must be one or more of bytes, float32, bfloat16, with commas "
          "between",
          64);
  refused({"--need", "5", "--model", "yolov3"}, "got both --model and --need; leave one out", 64);
  refused({"--model", "yolov9", "--device", "cpu"}, "unknown model 'yolov9'", 64);
  refused({"--rows", "0"}, "--rows is 0, must be 1 or more", 64);
  refused({"--threads", "-1"}, "--threads is -1, must be 0 (all cores) to 4096", 64);
  refused({"--precision", "x"}, "--precision is 'x', must be fp32, bf16 or fp16", 64);
  const std::string alone =
      ": is for --model, which is not given; add --model yolov8n, or leave it out";
  refused({"--precision", "bf16"}, "--precision bf16" + alone, 64);
  refused({"--tf32"}, "--tf32" + alone, 64);
  refused({"--cuda-graph", "on"}, "--cuda-graph on" + alone, 64);
  refused({"--model", "yolov8n", "--cuda-graph", "1"},
          "--cuda-graph is '1', must be auto, on or off", 64);
  refused({"--model", "yolov8n", "--cuda-graph", "on", "--gpus", "2"},
          "--cuda-graph on is for one device, --gpus is 2; leave one of the two out", 64);
  refused({"--step-batch", "3"}, "--step-batch 3" + alone, 64);
  refused({"--threads", "1"}, "--threads 1" + alone, 64);
  refused({"--readers", "1000000"}, "--readers is 1000000, must be 0 (as many as fit) to 1024", 64);
  refused({"--pace", "4000"},
          "--pace is 4000, must be 0.1 to 10 times what the loader takes for a row (1.1: a "
          "consumer that is a tenth slower)",
          64);
  refused({"--read", "fast"}, "--read is 'fast', must be auto, pread, mmap or direct", 64);
  refused({"--order", "sorted"}, "--order is 'sorted', must be shuffle or window", 64);
  refused({"--device", "gpu"}, "--device is 'gpu', must be auto, cpu, cuda or cuda:N", 64);
  refused({"--split", "trian"}, "did you mean 'train'", 64);
}
