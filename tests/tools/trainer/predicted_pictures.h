#pragma once
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "letterpress/page/png.h"
#include "tests/contains.h"
#include "tests/tools/trainer/trained_run.h"

namespace letterpress {

/// letterpress-predict with these words.
inline ProgramResult predict(std::vector<std::string> words) {
  words.insert(words.begin(), program_path("letterpress-predict"));
  return run(words);
}

/// A grey PNG of width x height with a red square.
inline std::string drawn_png(int width, int height) {
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(3 * width * height), 114);
  for (int y = height / 4; y < height / 2; ++y) {
    for (int x = width / 4; x < width / 2; ++x)
      rgb[static_cast<std::size_t>(3 * (y * width + x))] = 230;
  }
  const auto png = encode_png(rgb, width, height);
  return {reinterpret_cast<const char*>(png.data()), png.size()};
}

}  // namespace letterpress
