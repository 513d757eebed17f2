#include <iostream>

#include "letterpress/base/error.h"
#include "letterpress/base/registry.h"
#include "letterpress/base/shell_word.h"
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

void print(const UnpackFlags& flags, const UnpackReport& report, const Snapshot& snapshot) {
  for (const std::string& loss : report.losses)
    std::cout << "not kept, --to " << flags.options.to << " has no place for it: " << loss << '\n';
  std::cout << "splits:";
  for (const auto& [split, n] : report.pictures_per_split) std::cout << ' ' << split << ' ' << n;
  std::cout << "\na store of it again: letterpress-preprocess build --store NEW";
  for (const std::string& flag : report.build_flags) std::cout << ' ' << shell_word(flag);
  std::cout << '\n'
            << flags.options.out.string() << ": " << report.pictures << " pictures and "
            << report.boxes << " boxes of snapshot " << snapshot.generation << '\n';
}

int run_unpack(UnpackFlags& flags) {
  flags.options.jpeg = flags.pictures == "jpeg";
  const Store store = Store::open(flags.store);
  const SnapshotReader reader(store, whole_pictures_snapshot(store, flags.snapshot, "unpack"));
  end_soon_when_stopped();
  UnpackReport report;
  {
    ProgressListener listener;
    report = with_threads(flags.threads, [&] {
      return unpack(store, reader, flags.options, listener, stop_by_signal());
    });
  }
  if (stop_by_signal()) return 128 + stop_by_signal().signal();
  print(flags, report, reader.snapshot());
  return 0;
}

}  // namespace

Command unpack_command() {
  using F = Flag<UnpackFlags>;
  const auto of = [](auto option) { return member(&UnpackFlags::options, option); };
  FlagTable<UnpackFlags> table;
  table.add({store_flag<UnpackFlags>(),
             F("out", of(&UnpackOptions::out), "new folder for the set")
                 .required()
                 .filled()
                 .says("a folder's name"),
             F("to", of(&UnpackOptions::to), help_of(unpack_formats()))
                 .required()
                 .known("format", unpack_formats()),
             snapshot_flag<UnpackFlags>(), F("split", of(&UnpackOptions::split), "only this split"),
             F("pictures", &UnpackFlags::pictures, "png: the store's very pixels; or jpeg")
                 .choices({"png", "jpeg"}),
             F("quality", of(&UnpackOptions::quality), "of JPEGs").between(1, 100),
             threads_flag<UnpackFlags>()});
  return command("unpack",
                 "writes the clean pictures and their labels as a set of files again: YOLO, COCO "
                 "or class folders",
                 table, run_unpack);
}

}  // namespace letterpress
