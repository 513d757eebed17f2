#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "json_text.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/folder.h"
#include "letterpress/base/own_file.h"
#include "letterpress/shards/store.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

constexpr int kPinFormat = 1;
constexpr std::int64_t kLease_s = 14 * 24 * 3600;
const std::string kUnfinished = ".unfinished";

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

// A run may be called anything; a file name may not.
std::string as_file_name(const std::string& text) {
  std::string name;
  for (const char c : text)
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' ? c : '_';
  return name;
}

std::string file_name(std::int64_t generation, const std::string& run) {
  return std::to_string(generation) + "-" + as_file_name(run) + ".json";
}

Pin::Holder read_holder(const fs::path& file) {
  const nlohmann::json content =
      unseal(read_own_file(file, kMostJsonBytes), "pin", kPinFormat, file.string()).content;
  return read_fields(file.string(), [&] {
    return Pin::Holder{
        content.at("generation").get<std::int64_t>(), content.at("run").get<std::string>(),
        content.at("host").get<std::string>(),        content.at("folder").get<std::string>(),
        content.at("expires").get<std::int64_t>(),    file};
  });
}

}  // namespace

Pin::Pin(const Store& store, std::int64_t generation, const std::string& run,
         const fs::path& run_folder)
    : file_(store.folder() / "pins" / file_name(generation, run)),
      holder_{generation, run, host_name(), fs::absolute(run_folder).string(), 0, file_} {
  renew();
}

void Pin::renew() {
  holder_.expires = static_cast<std::int64_t>(std::time(nullptr)) + kLease_s;
  const std::string content = seal("pin", kPinFormat,
                                   {{"generation", holder_.generation},
                                    {"run", holder_.run},
                                    {"host", holder_.host},
                                    {"folder", holder_.folder},
                                    {"expires", holder_.expires}});
  // A host's own, so that no other one with a run of this name takes it away.
  const std::string name =
      file_.filename().string() + "." + as_file_name(holder_.host) + kUnfinished;
  remove_file(file_.parent_path() / name);  // left by a kill of this run
  TemporaryFile unfinished(file_.parent_path(), name);
  unfinished.write_at(0, std::as_bytes(std::span(content)), file_);
  unfinished.replace(file_);
}

void Pin::release() { remove_file(file_); }

std::vector<Pin::Holder> Pin::list(const Store& store) {
  std::vector<Holder> holders;
  for (const fs::path& file : entries_of(store.folder() / "pins")) {
    if (file.extension() != ".json") continue;
    try {
      holders.push_back(read_holder(file));
    } catch (const Error& error) {
      if (error.exit() != Exit::no_input) throw;  // released since its name was read
    }
  }
  return holders;
}

std::vector<fs::path> Pin::unfinished(const Store& store) {
  std::vector<fs::path> left;
  std::error_code gone;
  for (const fs::path& file : entries_of(store.folder() / "pins")) {
    const auto age = fs::file_time_type::clock::now() - fs::last_write_time(file, gone);
    if (!gone && file.extension() != ".json" && age > std::chrono::seconds(kLease_s))
      left.push_back(file);
  }
  return left;
}

}  // namespace letterpress
