#include "trainer/predict/earlier_outputs.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"

namespace letterpress {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::json;

bool has_all(const Json& object, std::initializer_list<const char*> keys) {
  return object.is_object() &&
         std::ranges::all_of(keys, [&](const char* key) { return object.contains(key); });
}

// Whether it may be what the format writes: a list of pictures, or a COCO data set whose
// annotations have scores.
bool is_of_predict(const fs::path& file) {
  const Json json = Json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  if (json.is_array())
    return json.empty() || has_all(json.front(), {"picture", "width", "height", "detections"});
  if (!has_all(json, {"images", "annotations", "categories"})) return false;
  const Json& annotations = json.at("annotations");
  return annotations.is_array() && (annotations.empty() || has_all(annotations.front(), {"score"}));
}

[[noreturn]] void refuse(const fs::path& file) {
  throw Error({.where = file.string(),
               .what = "is there and of no earlier predict, which would replace it",
               .fix = "name another --out, move that file away, or let predict replace it with "
                      "--overwrite"},
              Exit::cannot_create);
}

}  // namespace

void check_earlier_outputs(const OutputFormatEntry& format, const fs::path& out,
                           const std::vector<PictureInput>& pictures, bool draws) {
  const fs::path file = out / format.file;
  const bool is_known = *format.file && fs::is_regular_file(file);
  if (is_known && !is_of_predict(file)) refuse(file);
  if (is_known || !draws) return;
  DrawnNames names(format.drawings_folder(out));
  for (const PictureInput& picture : pictures) {
    const fs::path drawn = names.next(picture.name);
    if (fs::is_regular_file(drawn)) refuse(drawn);
  }
}

}  // namespace letterpress
