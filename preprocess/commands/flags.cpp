#include <cctype>
#include <charconv>
#include <filesystem>
#include <map>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "preprocess/commands/commands.h"
#include "preprocess/inputs/splits.h"

namespace letterpress {

Snapshot chosen_snapshot(const Store& store, std::int64_t generation) {
  if (generation < 0) {
    throw Error("--snapshot " + std::to_string(generation) +
                    ": wanted a generation from 1 on, or 0 for the newest",
                Exit::usage);
  }
  if (generation > 0) return store.snapshot(generation);
  if (auto snapshot = store.latest()) return std::move(*snapshot);
  throw Error(
      store.folder().string() + ": holds no snapshot yet; run `letterpress-preprocess build`",
      Exit::no_input);
}

void check_not_an_input(const std::string& out, const Store& store, const Snapshot& snapshot) {
  namespace fs = std::filesystem;
  const fs::path file = fs::weakly_canonical(fs::absolute(out));
  const auto refuse = [&](const std::string& what) {
    throw Error("--out " + out + ": " + what + "; name another file", Exit::cannot_create);
  };
  const std::string inside = file.lexically_relative(fs::weakly_canonical(store.folder())).string();
  if (!inside.empty() && !inside.starts_with("..")) refuse("lies in the store");
  const BuildOptions options = build_options_from_json(snapshot.configuration_json);
  std::vector<fs::path> read{options.classes, options.val, options.recipe};
  read.insert(read.end(), options.inputs.begin(), options.inputs.end());
  for (const SplitLabels& split : options.splits) read.push_back(split.labels);
  for (const fs::path& path : read) {
    if (!path.empty() && fs::weakly_canonical(path) == file) refuse("was read by the build");
  }
  for (const LedgerEntry& entry : store.ledger(snapshot.generation)) {
    if (entry.path == file.string()) refuse("is a picture of the store");
  }
}

void write_out(const std::string& out, std::string_view content) {
  try {
    replace_file(std::filesystem::absolute(out), content);
  } catch (const Error& error) {
    throw Error("--out " + out + ": cannot be written (" + error.what() + ")", error.exit());
  }
}

std::int64_t parse_bytes(const std::string& flag, const std::string& text) {
  static const std::map<std::string, double> units{{"", 1},
                                                   {"b", 1},
                                                   {"k", 1e3},
                                                   {"kb", 1e3},
                                                   {"kib", 1024},
                                                   {"m", 1e6},
                                                   {"mb", 1e6},
                                                   {"mib", 1048576},
                                                   {"g", 1e9},
                                                   {"gb", 1e9},
                                                   {"t", 1e12},
                                                   {"tb", 1e12},
                                                   {"gib", 1073741824},
                                                   {"tib", 1099511627776}};
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit;
  for (const char* c = end; c != text.data() + text.size(); ++c) {
    if (*c != ' ') unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
  }
  const auto factor = units.find(unit);
  const bool good = failure == std::errc() && factor != units.end() && number >= 0 &&
                    number * factor->second < 9e18;
  if (!good)
    throw Error(flag + " " + text + ": wanted bytes, for instance 268435456, 256MiB or 10GB",
                Exit::usage);
  return static_cast<std::int64_t>(number * factor->second);
}

double parse_share_flag(const std::string& flag, const std::string& text) {
  if (const auto share = parse_share(text)) return *share;
  throw Error(
      flag + " " + text + ": wanted a share like 0.01 or a percentage like 1%, from 0 to 100%",
      Exit::usage);
}

}  // namespace letterpress
