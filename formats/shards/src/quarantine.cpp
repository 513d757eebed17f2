// Store::quarantine(): what people are told of rejects, a line each.
#include <array>
#include <ctime>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "letterpress/base/file.h"
#include "letterpress/base/nesting.h"
#include "letterpress/base/own_file.h"
#include "letterpress/shards/store.h"

namespace letterpress {
namespace {

nlohmann::ordered_json object_of(const Reject& reject) {
  return {{"where", reject.where}, {"what", reject.what}, {"fix", reject.fix}};
}

// Paths may hold any bytes; the file is for people and tools that want UTF-8.
std::string line_of(const nlohmann::ordered_json& object) {
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// What two equal rejects have in common: their whole text. A reject that is carried over from a
// ledger has all of it in `what`.
std::string key_of(const Message& reject) { return line_of(to_string(reject)); }

std::string text_in(const nlohmann::ordered_json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// The rejects in the file, by their keys. A line that a full disk has cut is ignored.
std::set<std::string> known_rejects(const std::string& text) {
  std::set<std::string> known;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (nesting_of(line) > kDeepest) continue;
    const auto object = nlohmann::ordered_json::parse(line, nullptr, false);
    if (!object.is_object()) continue;
    known.insert(key_of({.where = text_in(object, "where"),
                         .what = text_in(object, "what"),
                         .fix = text_in(object, "fix")}));
  }
  return known;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace

void Store::quarantine(std::int64_t generation, const std::vector<Reject>& rejects) const {
  if (rejects.empty()) return;
  const std::string before = std::filesystem::exists(quarantine_path())
                                 ? read_own_file(quarantine_path(), kMostJsonBytes,
                                                 "move it elsewhere: the build begins a new one")
                                 : "";
  std::set<std::string> known = known_rejects(before);
  std::string lines;
  const std::string time = utc_now();
  for (const Reject& reject : rejects) {
    if (!known.insert(key_of(reject)).second) continue;
    nlohmann::ordered_json line{{"time", time}, {"generation", generation}};
    line.update(object_of(reject));
    lines += (lines.empty() ? "" : "\n") + line_of(line);
  }
  if (lines.empty()) return File::open_to_read(quarantine_path()).sync();  // told before a kill?
  const bool is_cut = !before.empty() && !before.ends_with('\n');
  append_line(quarantine_path(), (is_cut ? "\n" : "") + lines);
}

}  // namespace letterpress
