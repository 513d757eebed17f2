#include "trainer/commands/bench_metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>

#include "trainer/device/device.h"
#include "trainer/fit/rates/device_rate.h"
#include "trainer/loader/pixels/pixel_kernels.h"
#include "trainer/loader/rates/ceilings.h"

namespace letterpress {
namespace {

constexpr std::array kPixelNames{"bytes", "float32", "bfloat16"};  // by PixelType
const char* name_of(PixelType type) { return kPixelNames[static_cast<std::size_t>(type)]; }

class Bench {
 public:
  Bench(const SnapshotReader& reader, const std::vector<PictureRows>& pictures,
        const BenchOptions& options)
      : options_(options),
        trial_(make_trial(reader, pictures,
                          {.rows = options.rows,
                           .loading = options.loading,
                           .window = window_of(options.order),
                           .runs = options.runs})) {
    trial_.loading.verify = VerifyRows::never;
    const Snapshot& snapshot = reader.snapshot();
    const ReadSetting setting = examine_reading(reader, false);
    if (options.cold && setting.is_memory) metrics_.not_cold = setting.file_system;
    side_ = snapshot.identity.side;
    row_bytes_ = std::int64_t{3} * side_ * side_;
    metrics_.threads = reader_count(trial_.loading);
    metrics_.kernels = pixel_kernels().name;
    metrics_.side = side_;
    metrics_.batch = trial_.loading.batch;
    metrics_.rows = trial_.batches() * trial_.loading.batch;
    metrics_.where = fmt::format(
        "{} of {} pictures, side {}, {:.2f} GB of rows on {}", metrics_.rows, pictures.size(),
        side_, static_cast<double>(metrics_.rows * row_bytes_) / 1e9, setting.file_system);
  }

  BenchMetrics run() {
    options_.stage("memory's own rates");
    ceilings_ = measure_ceilings({.row_bytes = row_bytes_,
                                  .rows = metrics_.rows,
                                  .batch = trial_.loading.batch,
                                  .buffers = trial_.loading.buffers,
                                  .threads = metrics_.threads,
                                  .runs = options_.runs});
    add("memcpy", ceilings_.copy, PixelType::bytes, "", 0);
    add("copy past the caches", ceilings_.stream_copy, PixelType::bytes, "", 0);
    for (const PixelType type : options_.pixels)
      if (type != PixelType::bytes)
        add(std::string("conversion to ") + name_of(type), ceiling_of(type), type, "", 0);
    for (const PixelType type : options_.pixels) measure(type);
    trial_.loading.pixels = options_.pixels.front();
    verify();
    if (options_.cold) measure_cold();
    pace();
    to_device();
    return metrics_;
  }

 private:
  const Rate& ceiling_of(PixelType type) const {
    return type == PixelType::bytes     ? ceilings_.copy
           : type == PixelType::float32 ? ceilings_.float32
                                        : ceilings_.bfloat16;
  }

  void add(const std::string& name, const Rate& rate, PixelType type, const std::string& ceiling,
           double ceiling_rate) {
    BenchLine line{.name = name,
                   .rate = rate,
                   .row_bytes = static_cast<double>(row_bytes_ * (1 + bytes_of(type))),
                   .ceiling = ceiling};
    if (ceiling_rate > 0) line.share = rate.median / ceiling_rate;
    metrics_.lines.push_back(line);
  }

  void measure(PixelType type) {
    trial_.loading.pixels = type;
    const ReadChoice choice =
        choose_read(trial_.loading.read, examine_reading(trial_.reader, type != PixelType::bytes));
    metrics_.choices.push_back(std::string(name_of(type)) + ": " + to_string(choice));
    const std::string name = std::string(name_of(type)) + ", warm";
    options_.stage(name);
    const Rate rate = warm_rate(trial_);
    if (type == options_.pixels.front()) {
      metrics_.supply.warm = rate.median;
      metrics_.supply.from_disk = choice.from_disk;
    }
    add(name, rate, type, type == PixelType::bytes ? "memcpy" : "conversion",
        ceiling_of(type).median);
  }

  void verify() {
    const std::string name =
        std::string(name_of(trial_.loading.pixels)) + ", warm, each row verified";
    options_.stage(name);
    const VerifiedRate verified = verified_rate(trial_);
    add(name, verified.rate, trial_.loading.pixels, "", 0);
    metrics_.verification = verified.added;
  }

  void measure_cold() {
    const std::string name = std::string(name_of(trial_.loading.pixels)) + ", cold";
    options_.stage(name);
    const Rate rate = cold_rate(trial_);
    if (metrics_.not_cold.empty()) metrics_.supply.cold = rate.median;
    add(name, rate, trial_.loading.pixels, "", 0);
  }

  void to_device() {
    const torch::Device device = choose_device(options_.device);
    if (!device.is_cuda()) return;
    options_.stage("rows into the memory of " + describe(device));
    const DeviceRate rate = measure_device_rate(trial_, device);
    metrics_.supply.bus = rate.bus.median;
    add("page-locked memory to the device", rate.bus, PixelType::bytes, "", 0);
    add("bytes into the device's memory", rate.rows, PixelType::bytes, "the bus", rate.bus.median);
  }

  void pace() {
    options_.stage(fmt::format("a consumer paced at {:g} x", options_.pace));
    const Pacing pacing = paced(trial_, options_.pace);
    metrics_.pace = options_.pace;
    metrics_.paced_rate = pacing.rate;
    metrics_.waiting = pacing.waiting;
  }

  const BenchOptions& options_;
  LoaderTrial trial_;
  int side_ = 0;
  std::int64_t row_bytes_ = 0;
  Ceilings ceilings_{};
  BenchMetrics metrics_{};
};

std::string verdict(const BenchMetrics& metrics) {
  Supply supply = metrics.supply;
  if (supply.bus) *supply.bus *= metrics.need.devices;
  return limiter(metrics.need.rows_per_s, supply);
}

}  // namespace

std::string limiter(double need, const Supply& supply) {
  const auto& [warm, cold, from_disk, bus] = supply;
  if (bus && *bus < need && *bus < (from_disk ? cold.value_or(warm) : warm))
    return fmt::format("the bus takes {:.1f} times that to the devices: the bus is the limit",
                       *bus / need);
  if (from_disk && cold) {
    const std::string text = fmt::format(
        "the store gives {:.1f} times that from the disk, where each epoch reads it", *cold / need);
    return text + (*cold < need ? ": the disk is the limit; more --readers ask it for more at once"
                                : ": the devices are the limit");
  }
  if (from_disk)
    return fmt::format(
        "the store gives {:.1f} times that, but each epoch reads it from the disk: leave "
        "--warm-only out to see the limit",
        warm / need);
  std::string text = fmt::format("the store gives {:.1f} times that from memory", warm / need);
  if (cold) text += fmt::format(", {:.1f} times from the disk", *cold / need);
  if (warm < need)
    return text + ": memory is the limit; use more --readers, or --pixels bytes for a GPU";
  if (cold && *cold < need) return text + ": the disk is the limit until the rows are in memory";
  return text + ": the devices are the limit";
}

BenchMetrics measure_bench(const SnapshotReader& reader, const std::vector<PictureRows>& pictures,
                           const BenchOptions& options) {
  return Bench(reader, pictures, options).run();
}

void print(const BenchMetrics& metrics, std::ostream& out) {
  out << fmt::format("{}; batches of {}, {} thread{}, {} kernels\n{}\n\n", metrics.where,
                     metrics.batch, metrics.threads, metrics.threads == 1 ? "" : "s",
                     metrics.kernels, fmt::join(metrics.choices, "\n"))
      << fmt::format("{:<34} {:>10} {:>8}  of the ceiling\n", "", "rows/s", "GB/s");
  for (const BenchLine& line : metrics.lines) {
    out << fmt::format("{:<34} {:>10.0f} {:>8.2f}", line.name, line.rate.median,
                       line.rate.median * line.row_bytes / 1e9);
    if (line.share) out << fmt::format("  {:.2f} of {}", *line.share, line.ceiling);
    out << "\n";
  }
  if (!metrics.not_cold.empty())
    out << fmt::format("what is called cold was in memory, too: {} is not a disk\n",
                       metrics.not_cold);
  out << fmt::format("\nchecking each row adds {:.0f} % to the time of a row\n",
                     100 * metrics.verification)
      << fmt::format(
             "a consumer paced at {:g} x the loader's own time, {:.0f} rows/s, waits {:.2f} % of "
             "its time\n",
             metrics.pace, metrics.paced_rate, 100 * metrics.waiting);
  if (metrics.need.rows_per_s > 0)
    out << fmt::format("{}: {:.1f} rows/s; {}\n", metrics.need.source, metrics.need.rows_per_s,
                       verdict(metrics));
}

nlohmann::json json_of(const BenchMetrics& metrics) {
  nlohmann::json lines = nlohmann::json::object();
  for (const BenchLine& line : metrics.lines) {
    nlohmann::json one{{"rows_per_s", line.rate.median},
                       {"low", line.rate.low},
                       {"high", line.rate.high},
                       {"row_bytes", line.row_bytes}};
    if (line.share) one["share"] = *line.share;
    lines[line.name] = std::move(one);
  }
  nlohmann::json json{{"where", metrics.where},
                      {"threads", metrics.threads},
                      {"kernels", metrics.kernels},
                      {"side", metrics.side},
                      {"rows", metrics.rows},
                      {"batch", metrics.batch},
                      {"choices", metrics.choices},
                      {"from_disk", metrics.supply.from_disk},
                      {"lines", lines},
                      {"pace", metrics.pace},
                      {"paced_rows_per_s", metrics.paced_rate},
                      {"verification", metrics.verification},
                      {"waiting", metrics.waiting}};
  if (!metrics.not_cold.empty()) json["not_cold"] = metrics.not_cold;
  if (metrics.need.rows_per_s > 0)
    json["need"] = {{"rows_per_s", metrics.need.rows_per_s},
                    {"source", metrics.need.source},
                    {"verdict", verdict(metrics)}};
  return json;
}

}  // namespace letterpress
