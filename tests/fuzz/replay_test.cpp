// Good files of every format, and what the fuzzer has found worth keeping.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <random>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "target.h"
#include "tests/locations.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

const fs::path kCorpus = fs::path(LETTERPRESS_SOURCE_DIR) / "tests/fuzz/corpus";

// All of them, or the one that LETTERPRESS_FUZZ_TARGET names.
std::vector<FuzzTarget> chosen_targets() {
  const char* name = std::getenv("LETTERPRESS_FUZZ_TARGET");
  std::vector<FuzzTarget> chosen;
  for (const auto& group : {labels_targets(), pictures_targets(), runs_targets(), stores_targets(),
                            texts_targets(), weights_targets()})
    std::ranges::copy_if(group, std::back_inserter(chosen),
                         [&](const FuzzTarget& target) { return !name || target.name == name; });
  return chosen;
}

// The corpus's own inputs, or those of the folder that LETTERPRESS_FUZZ_INPUTS names.
fs::path inputs_of(const FuzzTarget& target) {
  const char* folder = std::getenv("LETTERPRESS_FUZZ_INPUTS");
  return folder ? fs::path(folder) : kCorpus / target.name;
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

using Bytes = std::vector<std::byte>;

Bytes bytes_of(const fs::path& file) {
  const std::string text = read_file(file);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// One change of the kinds that a fuzzer without coverage makes.
void change(Bytes& bytes, const Bytes& other, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  const auto at = static_cast<std::ptrdiff_t>(below(bytes.size()));
  const auto n = static_cast<std::ptrdiff_t>(
      std::min(1 + below(16), bytes.size() - static_cast<std::size_t>(at)));
  switch (random() % 6) {
    case 0:  // a bit
      if (!bytes.empty()) bytes[static_cast<std::size_t>(at)] ^= std::byte{1} << below(8);
      break;
    case 1:  // bytes that mean something in many formats
      for (std::ptrdiff_t i = 0; i < n; ++i)
        bytes[static_cast<std::size_t>(at + i)] = random() % 2 ? std::byte{0xff} : std::byte{0};
      break;
    case 2:
      bytes.resize(static_cast<std::size_t>(at));
      break;
    case 3:
      bytes.erase(bytes.begin() + at, bytes.begin() + at + n);
      break;
    case 4: {
      const Bytes twice(bytes.begin() + at, bytes.begin() + at + n);
      bytes.insert(bytes.begin() + at, twice.begin(), twice.end());
      break;
    }
    default:  // the end of another input
      bytes.resize(static_cast<std::size_t>(at));
      bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(below(other.size())),
                   other.end());
  }
}

// How often each input is changed; more by LETTERPRESS_FUZZ_ROUNDS.
int rounds() {
  const char* text = std::getenv("LETTERPRESS_FUZZ_ROUNDS");
  return text ? std::atoi(text) : 20;
}

// Changed inputs, from the same seed in every run.
void read_changed(const FuzzTarget& target, const fs::path& folder) {
  const std::vector<fs::path> files = files_of(kCorpus / target.name);
  std::mt19937 random(1);
  for (const fs::path& file : files) {
    const Bytes whole = bytes_of(file), other = bytes_of(files[random() % files.size()]);
    for (int round = 0; round < rounds(); ++round) {
      CAPTURE(round);
      CAPTURE(file.string());
      Bytes bytes = whole;
      for (std::uint32_t changes = 1 + random() % 4; changes > 0; --changes)
        change(bytes, other, random);
      CHECK(wrong_with(target, folder, bytes) == "");
    }
  }
}

}  // namespace

TEST_CASE("every input of the corpus is read, or refused with a message") {
  for (const FuzzTarget& target : chosen_targets()) {
    CAPTURE(target.name);
    const TempDir folder;
    if (target.prepare) target.prepare(folder.path());
    const std::vector<fs::path> files = files_of(inputs_of(target));
    CHECK(!files.empty());
    for (const fs::path& file : files) {
      CAPTURE(file.filename().string());
      CHECK(wrong_with(target, folder.path(), bytes_of(file)) == "");
    }
  }
}

TEST_CASE("each target reads one of its first inputs at least, so that changes go deep") {
  for (const FuzzTarget& target : chosen_targets()) {
    CAPTURE(target.name);
    const TempDir folder;
    if (target.prepare) target.prepare(folder.path());
    std::string messages;
    int read = 0;
    for (const fs::path& file : files_of(kCorpus / target.name)) {
      try {
        target.read(folder.path(), bytes_of(file));
        ++read;
      } catch (const Error& error) {
        messages += error.what() + std::string("; ");
      }
    }
    CAPTURE(messages);
    CHECK(read > 0);
  }
}

TEST_CASE("every folder of the corpus has a target") {
  const std::vector<FuzzTarget> targets = chosen_targets();
  for (const fs::path& folder : files_of(kCorpus)) {
    CAPTURE(folder.string());
    CHECK(std::ranges::count(targets, folder.filename().string(), &FuzzTarget::name) == 1);
  }
}

TEST_CASE(
    "inputs of the corpus that are changed, cut and mixed are read or refused with a message") {
  for (const FuzzTarget& target : chosen_targets()) {
    CAPTURE(target.name);
    const TempDir folder;
    if (target.prepare) target.prepare(folder.path());
    read_changed(target, folder.path());
  }
}
