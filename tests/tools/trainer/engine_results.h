#pragma once
// What tests of predict's engines share: pictures, what was found in them, and comparing that.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "tests/tools/trainer/predicted_pictures.h"

namespace letterpress {

using Json = nlohmann::json;
namespace fs = std::filesystem;

inline const fs::path kBccd = fs::path(LETTERPRESS_SOURCE_DIR) / "../shared/data/bccd/JPEGImages";

struct Found {
  Json summary, pictures;
};

inline Found found(const TrainerBench& bench, const std::string& input,
                   const std::vector<std::string>& more, const std::string& checkpoint = "run") {
  std::vector<std::string> words{"--checkpoint", bench.path(checkpoint),
                                 "--input",      input,
                                 "--out",        bench.path("out"),
                                 "--no-draw",    "--json",
                                 "--conf",       "0.0001",
                                 "--device",     "cpu"};
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = predict(words);
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  return {Json::parse(result.last_line()),
          Json::parse(read_file(bench.folder / "out/detections.json"))};
}

inline bool same(const Json& one, const Json& other) {
  if (one.at("class") != other.at("class")) return false;
  if (std::abs(one.at("score").get<double>() - other.at("score").get<double>()) > 1e-5)
    return false;
  for (std::size_t i = 0; i < 4; ++i) {
    if (std::abs(one.at("box")[i].get<double>() - other.at("box")[i].get<double>()) > 0.05)
      return false;
  }
  return true;
}

// Each detection of one has its counterpart in the other. Returns how many there are.
inline std::size_t check_same(const Json& ones, const Json& others) {
  std::size_t n = 0;
  REQUIRE(ones.size() == others.size());
  for (std::size_t i = 0; i < ones.size(); ++i) {
    CAPTURE(ones[i].at("picture"));
    CHECK(ones[i].at("picture") == others[i].at("picture"));
    Json theirs = others[i].at("detections");
    REQUIRE(ones[i].at("detections").size() == theirs.size());
    for (const Json& one : ones[i].at("detections")) {
      CAPTURE(one.dump());
      const auto counterpart =
          std::ranges::find_if(theirs, [&](const Json& other) { return same(one, other); });
      REQUIRE(counterpart != theirs.end());
      theirs.erase(counterpart);
      ++n;
    }
  }
  return n;
}

// Wide and high, large and small; photographs too where there are any.
inline void write_pictures(const TrainerBench& bench) {
  for (const auto& [width, height] :
       {std::pair{100, 80}, {37, 200}, {64, 64}, {300, 20}, {640, 480}})
    bench.folder.write("in/" + std::to_string(width) + ".png", drawn_png(width, height));
  if (!fs::exists(kBccd)) return;
  for (const char* name : {"BloodImage_00000.jpg", "BloodImage_00007.jpg"})
    fs::copy_file(kBccd / name, bench.folder / "in" / name);
}

/// A run of a model, pictures in `in`, and what torch finds in them.
struct FoundByTorch {
  TrainerBench bench;
  Found torch;
  explicit FoundByTorch(const std::string& model) {
    REQUIRE(trainer(bench.fit_words("run", {"--model", model})).exit_code == 0);
    write_pictures(bench);
    torch = found(bench, bench.path("in"), {"--engine", "torch"});
  }
};

/// With and without anchors, and with attention.
inline const std::vector<std::string>& models_of_all_kinds() {
  static const std::vector<std::string> models{"yolov3-tiny", "yolov8n", "yolo11n"};
  return models;
}

}  // namespace letterpress
