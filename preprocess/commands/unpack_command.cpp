#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "letterpress/base/error.h"
#include "letterpress/commandline/program.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/progress_listener.h"
#include "preprocess/commands/text.h"
#include "preprocess/pipeline/threads.h"
#include "preprocess/unpack/unpack.h"

namespace letterpress {
namespace {

struct UnpackFlags {
  std::string store, pictures = "png";
  std::int64_t snapshot = 0;
  int threads = 0;
  UnpackOptions options;
};

std::string format_names() {
  std::string text;
  for (const UnpackFormatInfo& format : unpack_formats())
    text += (text.empty() ? "" : "; ") + format.name + ": " + format.help;
  return text;
}

// As a shell takes it.
std::string word(const std::string& text) {
  if (text.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+-") ==
      std::string::npos)
    return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void print(const UnpackFlags& flags, const UnpackReport& report, const Snapshot& snapshot) {
  for (const std::string& loss : report.losses)
    std::cout << "not kept, --to " << flags.options.to << " has no place for it: " << loss << '\n';
  std::cout << "splits:";
  for (const auto& [split, n] : report.pictures_per_split) std::cout << ' ' << split << ' ' << n;
  std::cout << "\na store of it again: letterpress-preprocess build --store NEW";
  for (const std::string& flag : report.build_flags) std::cout << ' ' << word(flag);
  std::cout << '\n'
            << flags.options.out.string() << ": " << report.pictures << " pictures and "
            << report.boxes << " boxes of snapshot " << snapshot.generation << '\n';
}

int run_unpack(UnpackFlags flags) {
  if (flags.pictures != "png" && flags.pictures != "jpeg")
    throw Error("--pictures " + flags.pictures + ": wanted png or jpeg", Exit::usage);
  if (flags.options.quality < 1 || flags.options.quality > 100) {
    throw Error(joined("--quality ", flags.options.quality, ": wanted 1 to 100"), Exit::usage);
  }
  if (flags.threads < 0 || flags.threads > 4096)
    throw Error(joined("--threads ", flags.threads, ": wanted 1 to 4096, or 0 for all cores"),
                Exit::usage);
  flags.options.jpeg = flags.pictures == "jpeg";
  const Store store = Store::open(flags.store);
  const SnapshotReader reader(store, chosen_snapshot(store, flags.snapshot));
  end_soon_when_stopped();
  UnpackReport report;
  {
    ProgressListener listener;
    report = with_threads(flags.threads, [&] {
      return unpack(store, reader, flags.options, listener, stop_by_signal());
    });
  }
  if (stop_signal()) return 128 + stop_signal();
  print(flags, report, reader.snapshot());
  return 0;
}

}  // namespace

Command unpack_command() {
  return {"unpack",
          "writes the clean pictures and their labels as a set of files again: YOLO, COCO or class "
          "folders",
          [](CLI::App& app) {
            auto flags = std::make_shared<UnpackFlags>();
            app.add_option("--store", flags->store, "folder of the shards")->required();
            app.add_option("--out", flags->options.out, "new folder for the set")->required();
            app.add_option("--to", flags->options.to, format_names())->required();
            app.add_option("--snapshot", flags->snapshot, "generation; 0: the newest");
            app.add_option("--split", flags->options.split, "only this split");
            app.add_option("--pictures", flags->pictures, "png: the store's very pixels; or jpeg");
            app.add_option("--quality", flags->options.quality, "of JPEGs, 1 to 100");
            app.add_option("--threads", flags->threads, "0: all cores");
            return [=] { return run_unpack(*flags); };
          }};
}

}  // namespace letterpress
