// A build that dies (SIGKILL) at its n-th change of the file system: killed_build STORE FOLDER N.
// Without a death it ends with 0 and prints how many rows it took over from a build before it.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>
#include <string>

#include "letterpress/base/fault_hook.h"
#include "preprocess/pipeline/build.h"

int main(int argc, char** argv) {
  using namespace letterpress;
  if (argc != 4) return 64;
  const std::filesystem::path folder = argv[2];
  std::atomic<int> left{std::stoi(argv[3])};
  set_fault_hook([&](std::string_view operation, std::string_view) {
    if (operation != "read" && --left == 0) kill(getpid(), SIGKILL);
    return 0;
  });
  BuildOptions options;
  options.store = argv[1];
  options.inputs = {folder / "train.txt"};
  options.classes = folder / "classes.txt";
  options.side = 64;
  options.views = 2;
  options.threads = 2;
  options.max_removed = 1;
  options.shard_bytes = 4 * 64 * 64 * 3;
  BuildListener silent;
  std::cout << build(options, silent, StopRequest{}).rows_resumed << '\n';
  return 0;
}
