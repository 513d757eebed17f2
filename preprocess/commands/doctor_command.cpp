#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>

#include "letterpress/base/bytes_text.h"
#include "letterpress/base/clock.h"
#include "letterpress/base/cores.h"
#include "letterpress/base/error.h"
#include "letterpress/base/side.h"
#include "letterpress/machine/diagnosis.h"
#include "letterpress/machine/gpus.h"
#include "preprocess/commands/commands.h"
#include "preprocess/options/build_options.h"
#include "preprocess/pictures/picture.h"
#include "preprocess/plan/software_version.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {
namespace {

constexpr double kSeconds = 1;
constexpr std::int32_t kWidth = 1280, kHeight = 960;

struct DoctorFlags {
  std::string store = ".";
  int side = BuildOptions{}.side;
  std::string recipe = BuildOptions{}.recipe;
  bool json = false;
};

/// A photograph's worth of work for a decoder: smooth places, edges and some noise.
std::vector<std::byte> drawn_jpeg() {
  std::vector<std::uint8_t> rgb(std::size_t{3} * kWidth * kHeight);
  std::uint32_t noise = 1;
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    const auto x = static_cast<std::uint32_t>(i / 3 % kWidth),
               y = static_cast<std::uint32_t>(i / 3 / kWidth);
    noise = noise * 1664525U + 1013904223U;
    const std::uint32_t tone = (x / 5 + y / 7 + ((x / 160 + y / 160) % 2) * 90) % 240;
    rgb[i] = static_cast<std::uint8_t>(tone + noise % 16);
  }
  return encode_jpeg(rgb, kWidth, kHeight, 90);
}

/// Rows per second that one thread makes of such pictures: each decoded once, for the clean view
/// and four augmented ones.
double rows_per_s(const Recipe& recipe, int side) {
  const std::vector<std::byte> jpeg = drawn_jpeg();
  const PictureInfo info = *probe(jpeg, "a drawn picture");
  const std::int32_t views = recipe.augments() ? 4 : 0;
  const auto frame = static_cast<std::size_t>(side);
  const RenderWorkspacePointer workspace = make_render_workspace();
  std::vector<std::uint8_t> image(frame * frame * 3);
  Picture picture;
  std::int64_t rows = 0;
  const Clock::time_point start = Clock::now();
  do {
    decode(jpeg, info, needed_scale(recipe, kWidth, kHeight, side, views), "a drawn picture",
           picture, views > 0 ? Pixels::rgb : Pixels::planes);
    for (std::int32_t view = 0; view <= views; ++view, ++rows) {
      ShardRow row;
      render_view({recipe, {.view = view}, picture, kWidth, kHeight, {}, side}, *workspace, row,
                  image);
    }
  } while (seconds_since(start) < kSeconds);
  return static_cast<double>(rows) / seconds_since(start);
}

/// Builds use none; shown for later trainings.
void add_gpus(Diagnosis& diagnosis) {
  const std::vector<std::string> names = gpus_of_driver();
  diagnosis.add("gpus",
                names.empty() ? "none that an NVIDIA driver knows; builds need none"
                              : fmt::format("{}; builds use none", fmt::join(names, ", ")),
                {{"of_driver", names}});
}

/// What would hold a build up.
void add_building(Diagnosis& diagnosis, const DoctorFlags& flags, double disk_per_s) {
  const double of_one = rows_per_s(Recipe::load(flags.recipe), flags.side);
  const int threads = available_cores();
  const double rows = of_one * threads, row_bytes = 3.0 * flags.side * flags.side;
  const bool disk_limits = disk_per_s > 0 && disk_per_s < rows * row_bytes;
  const std::string limit =
      disk_limits      ? fmt::format("the disk limits it to {:.0f}", disk_per_s / row_bytes)
      : disk_per_s > 0 ? "the processor limits it"
                       : "the disk could not be tried";
  diagnosis.add(
      "building",
      fmt::format("{:.0f} rows/s of {} x {} on {} threads, {}/s, from pictures of {} x {}; {}",
                  rows, flags.side, flags.side, threads, bytes_text(rows * row_bytes), kWidth,
                  kHeight, limit),
      {{"rows_per_s", rows},
       {"rows_per_s_of_a_thread", of_one},
       {"threads", threads},
       {"side", flags.side},
       {"bytes_per_s", rows * row_bytes},
       {"limit", disk_limits ? "disk" : "processor"}});
}

int run_doctor(const DoctorFlags& flags) {
  Diagnosis diagnosis;
  diagnosis.add("program", software_version(), {{"version", software_version()}});
  add_processor(diagnosis);
  add_memory(diagnosis);
  add_gpus(diagnosis);
  const double disk_per_s = add_disk(diagnosis, flags.store);
  add_building(diagnosis, flags, disk_per_s);
  std::cout << diagnosis.text();
  if (flags.json) std::cout << diagnosis.json().dump() << '\n';
  return diagnosis.is_healthy() ? 0 : static_cast<int>(Exit::configuration);
}

}  // namespace

Command doctor_command() {
  using F = Flag<DoctorFlags>;
  FlagTable<DoctorFlags> table;
  table.add({F("store", &DoctorFlags::store, "where shards are to lie; its disk is tried"),
             F("size", &DoctorFlags::side, "side of the frame, pixels").must_be(kSideLimits),
             F("recipe", &DoctorFlags::recipe, "of the augmented views: a shipped name or a file"),
             json_flag<DoctorFlags>()});
  return command("doctor",
                 "what this machine has, how fast it builds and what limits it; 78 when a store "
                 "cannot lie there",
                 table, run_doctor);
}

}  // namespace letterpress
