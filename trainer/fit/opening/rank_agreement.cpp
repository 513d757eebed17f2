#include "trainer/fit/opening/rank_agreement.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/hash.h"

namespace letterpress {
namespace {

using Json = nlohmann::json;

// Flags that may differ: where things are on a machine, and what it has.
constexpr std::array kOfAMachine{"store",   "out",   "init",      "pretrained",    "device",
                                 "devices", "gpus",  "ranks",     "threads",       "readers",
                                 "read",    "notes", "log-every", "rank-deadline", "read-deadline",
                                 "refresh", "verify"};

// What the other rank has otherwise, and rank 0: "--lr 0.1, rank 0 --lr 0.01"; empty: nothing.
std::string difference(const Json& first, const Json& other) {
  for (const auto& [name, value] : first.items()) {
    const Json theirs = other.value(name, Json());
    if (theirs != value)
      return name + " " + theirs.dump() + ", rank 0 has " + name + " " + value.dump();
  }
  return {};
}

// Throws on every rank what rank 0 finds.
void require_same(RankGroup& group, const Json& own, const std::string& fix) {
  const std::vector<std::string> all = group.gather(own.dump());
  std::string found;
  for (std::size_t rank = 1; rank < all.size() && found.empty(); ++rank) {
    const std::string other = difference(own, Json::parse(all[rank]));
    if (!other.empty()) found = "rank " + std::to_string(rank) + " has " + other;
  }
  found = group.broadcast(found);
  if (!found.empty())
    throw Error({.where = "ranks of one run", .what = found, .fix = fix}, Exit::configuration);
}

}  // namespace

void check_same_run(const FitOptions& options, const CheckpointInfo* resumed) {
  if (!options.group) return;
  const Json checkpoint =
      resumed ? Json(hash_file(options.out / "last.safetensors").hex()) : Json("none");
  require_same(*options.group, {{"last.safetensors", checkpoint}},
               "--out must be one folder that all ranks see (a shared disk), or hold copies of it");
  // A rank that goes on takes flags over from its checkpoint, so these come second.
  Json flags;
  const Json all = Json::parse(to_json(options));
  for (const auto& [name, value] : all.items()) {
    if (std::ranges::find(kOfAMachine, name) == kOfAMachine.end()) flags["--" + name] = value;
  }
  require_same(*options.group, flags, "start all with the same flags");
}

void check_same_store(const Run& run) {
  if (!run.options.group) return;
  require_same(*run.options.group, {{"snapshot", run.snapshot().logical_digest.hex()}},
               "--store must be one store that all ranks see, or whole copies of it");
}

}  // namespace letterpress
