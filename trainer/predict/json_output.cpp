#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "trainer/predict/output_format.h"

namespace letterpress {
namespace {

class JsonWriter : public OutputWriter {
 public:
  explicit JsonWriter(const OutputOptions& options) : options_(options) {}

  void add(const PictureFindings& findings) override {
    nlohmann::ordered_json detections = nlohmann::ordered_json::array();
    for (const Detection& one : findings.detections) {
      detections.push_back({{"box", {one.x1, one.y1, one.x2, one.y2}},
                            {"score", one.score},
                            {"class", one.class_id},
                            {"name", options_.classes.at(static_cast<std::size_t>(one.class_id))}});
    }
    pictures_.push_back({{"picture", findings.picture.file.string()},
                         {"width", findings.width},
                         {"height", findings.height},
                         {"detections", std::move(detections)}});
  }

  std::filesystem::path finish() override {
    const std::filesystem::path file = options_.out / "detections.json";
    // Names of files need not be UTF-8, JSON must be.
    replace_file(
        file,
        pictures_.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    return file;
  }

 private:
  OutputOptions options_;
  nlohmann::ordered_json pictures_ = nlohmann::ordered_json::array();
};

}  // namespace

extern constinit const OutputFormatEntry json_output{
    "json",
    "detections.json: boxes, scores and names per picture",
    false,
    "",
    [](const OutputOptions& options) -> std::unique_ptr<OutputWriter> {
      return std::make_unique<JsonWriter>(options);
    },
    false,
    false,
    "detections.json"};

}  // namespace letterpress
