#include "trainer/commands/bench_metrics.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/trainer/loader/sample_store.h"
#include "trainer/loader/pixels/pixel_kernels.h"

using namespace letterpress;

namespace {

BenchMetrics known() {
  return {.where = "1000 of 4000 pictures, side 640, 1.23 GB of rows on ext4",
          .threads = 2,
          .side = 640,
          .batch = 32,
          .kernels = "AVX2",
          .rows = 1000,
          .choices = {"bytes: rows are read by pread: 1.23 GB of pixels stay in 20 GB of memory"},
          .lines = {{.name = "memcpy", .rate = {5000, 4900, 5100}, .row_bytes = 2e6},
                    {.name = "bytes, warm",
                     .rate = {4500, 4400, 4600},
                     .row_bytes = 2e6,
                     .ceiling = "memcpy",
                     .share = 0.9},
                    {.name = "bytes, cold", .rate = {1000, 900, 1100}, .row_bytes = 2e6}},
          .supply = {.warm = 4500, .cold = 1000},
          .verification = 0.31,
          .pace = 1.1,
          .paced_rate = 4091,
          .waiting = 0.0042,
          .need = {.source = "2 x yolov3-tiny"}};
}

std::string printed(const BenchMetrics& metrics) {
  std::ostringstream text;
  print(metrics, text);
  return text.str();
}

std::string last_line(const BenchMetrics& metrics) {
  const std::string text = printed(metrics);
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

}  // namespace

TEST_CASE("the table says where, how, how fast and how near to the ceiling") {
  CHECK(printed(known()) ==
        "1000 of 4000 pictures, side 640, 1.23 GB of rows on ext4; batches of 32, 2 threads, AVX2 "
        "kernels\n"
        "bytes: rows are read by pread: 1.23 GB of pixels stay in 20 GB of memory\n"
        "\n"
        "                                       rows/s     GB/s  of the ceiling\n"
        "memcpy                                   5000    10.00\n"
        "bytes, warm                              4500     9.00  0.90 of memcpy\n"
        "bytes, cold                              1000     2.00\n"
        "\n"
        "checking each row adds 31 % to the time of a row\n"
        "a consumer paced at 1.1 x the loader's own time, 4091 rows/s, waits 0.42 % of its time\n");
}

TEST_CASE("the limit is named: the devices, the disk or memory") {
  BenchMetrics metrics = known();
  metrics.need.rows_per_s = 500;
  CHECK(last_line(metrics) ==
        "2 x yolov3-tiny: 500.0 rows/s; the store gives 9.0 times that from memory, 2.0 times from "
        "the disk: the devices are the limit\n");
  metrics.need.rows_per_s = 2000;
  CHECK(last_line(metrics) ==
        "2 x yolov3-tiny: 2000.0 rows/s; the store gives 2.2 times that from memory, 0.5 times "
        "from the disk: the disk is the limit until "
        "the "
        "rows are in memory\n");
  metrics.need.rows_per_s = 9000;
  metrics.supply.cold.reset();
  CHECK(last_line(metrics) ==
        "2 x yolov3-tiny: 9000.0 rows/s; the store gives 0.5 times that from memory: memory is the "
        "limit; use more --readers, or --pixels "
        "bytes for a GPU\n");
  CHECK(json_of(metrics).at("need").at("rows_per_s") == 9000);
  CHECK(json_of(metrics).at("lines").at("bytes, warm").at("share") == 0.9);
  CHECK_FALSE(json_of(known()).contains("need"));
}

TEST_CASE(
    "rows that come from the disk in each epoch are limited by what the disk gives, not by "
    "memory") {
  CHECK(limiter(2000, {.warm = 4500, .cold = 1000, .from_disk = true}) ==
        "the store gives 0.5 times that from the disk, where each epoch reads it: the disk is the "
        "limit; more --readers ask it for more at "
        "once");
  CHECK(limiter(500, {.warm = 400, .cold = 1000, .from_disk = true}) ==
        "the store gives 2.0 times that from the disk, where each epoch reads it: the devices are "
        "the limit");
  CHECK(limiter(500, {.warm = 4500, .from_disk = true}) ==
        "the store gives 9.0 times that, but each epoch reads it from the disk: leave --warm-only "
        "out to see the limit");
  BenchMetrics metrics = known();
  metrics.need.rows_per_s = 2000;
  metrics.supply.from_disk = true;
  CHECK(last_line(metrics).starts_with(
      "2 x yolov3-tiny: 2000.0 rows/s; the store gives 0.5 times that from the disk, "));
  CHECK(json_of(metrics).at("from_disk") == true);
}

TEST_CASE(
    "the bus to the devices is the limit where it takes less than they want, and than the store "
    "gives") {
  CHECK(limiter(1000, {.warm = 4500, .bus = 400}) ==
        "the bus takes 0.4 times that to the devices: the bus is the limit");
  CHECK(limiter(1000, {.warm = 4500, .bus = 1200}) ==
        "the store gives 4.5 times that from memory: the devices are the limit");
  CHECK(limiter(1000, {.warm = 300, .bus = 400}).find("memory is the limit") != std::string::npos);
  CHECK(limiter(1000, {.warm = 4500, .cold = 300, .from_disk = true, .bus = 400})
            .find("the disk is the limit") != std::string::npos);
  BenchMetrics metrics = known();
  metrics.supply.bus = 400;
  metrics.need.rows_per_s = 1000;
  metrics.need.devices = 2;  // each has a bus of its own
  CHECK(last_line(metrics) ==
        "2 x yolov3-tiny: 1000.0 rows/s; the bus takes 0.8 times that to the devices: the bus is "
        "the limit\n");
}

TEST_CASE("on a file system that is memory no disk is the limit, and the table says so") {
  BenchMetrics metrics = known();
  metrics.not_cold = "tmpfs";
  metrics.supply.cold.reset();
  metrics.need.rows_per_s = 2000;
  CHECK(last_line(metrics) ==
        "2 x yolov3-tiny: 2000.0 rows/s; the store gives 2.2 times that from memory: the devices "
        "are the limit\n");
  CHECK(printed(metrics).find("\nwhat is called cold was in memory, too: tmpfs is not a disk\n") !=
        std::string::npos);
  CHECK(json_of(metrics).at("not_cold") == "tmpfs");
  CHECK_FALSE(json_of(known()).contains("not_cold"));
}

TEST_CASE(
    "a measured store has a line for each kind of pixels, beside its ceiling, in any order of "
    "rows") {
  const SampleStore store(40, 2, 64);
  for (const std::string order : {"shuffle", "window"}) {
    const BenchOptions options{
        .rows = 20,
        .pixels = {PixelType::float32, PixelType::bytes, PixelType::bfloat16},
        .loading = {.batch = 8, .threads = 2},
        .order = order,
        .runs = 1};
    const BenchMetrics metrics = measure_bench(store.reader(), store.train(), options);
    CHECK(metrics.rows == 16);
    CHECK(metrics.threads == 2);
    CHECK(metrics.kernels == pixel_kernels().name);
    CHECK(metrics.where.starts_with("16 of 40 pictures, side 64, 0.00 GB of rows on "));
    CHECK(metrics.choices.size() == 3);
    std::vector<std::string> names;
    for (const BenchLine& line : metrics.lines) {
      names.push_back(line.name);
      CHECK(line.rate.median > 0);
      CHECK(line.share.has_value() == line.name.ends_with(", warm"));
    }
    CHECK(names == std::vector<std::string>{"memcpy", "copy past the caches",
                                            "conversion to float32", "conversion to bfloat16",
                                            "float32, warm", "bytes, warm", "bfloat16, warm",
                                            "float32, warm, each row verified", "float32, cold"});
    CHECK(metrics.supply.warm == metrics.lines[4].rate.median);  // of the first kind
    CHECK(metrics.supply.cold == (metrics.not_cold.empty()
                                      ? std::optional(metrics.lines.back().rate.median)
                                      : std::nullopt));
    CHECK_FALSE(metrics.supply.bus);
    CHECK(metrics.waiting >= 0);
    CHECK(metrics.waiting <= 1);
  }
}
