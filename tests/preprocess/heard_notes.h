#pragma once
#include <string>

#include "preprocess/pipeline/build.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {

/// Keeps what a build notes.
struct HeardNotes : BuildListener {
  std::string all{};
  void note(const std::string& text) override { all += text + "\n"; }
};

inline std::string notes_of_build(const BuildOptions& options) {
  HeardNotes heard;
  build(options, heard, kNoStop);
  return heard.all;
}

}  // namespace letterpress
