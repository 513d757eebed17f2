#include "trainer/device/process_setup.h"

#include <malloc.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace letterpress {
namespace {

// About 20 us: longer than the next part of a step takes to come when nothing else runs here.
constexpr const char* kSpins = "1000";

// What glibc would take from the kernel for each tensor, and give back.
constexpr int kMappedAlone = 1 << 30, kKept = INT_MAX, kTakenAtOnce = 64 << 20;

std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace

void set_up_process() {
  mallopt(M_MMAP_THRESHOLD, kMappedAlone);
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_TOP_PAD, kTakenAtOnce);
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  std::vector<std::string> words = own_words();
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  if (arguments.empty()) return;
  arguments.push_back(nullptr);
  setenv("GOMP_SPINCOUNT", kSpins, 1);
  execv("/proc/self/exe", arguments.data());
  // Where that cannot be done, the threads spin.
}

}  // namespace letterpress
