#include "trainer/predict/earlier_outputs.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/detections/valid_utf8.h"
#include "letterpress/page/png.h"

namespace letterpress {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::json;

bool has_all(const Json& object, std::initializer_list<const char*> keys) {
  return object.is_object() &&
         std::ranges::all_of(keys, [&](const char* key) { return object.contains(key); });
}

// What an earlier predict wrote to --out.
struct Earlier {
  // Of its pictures' files, without extension, by their last part.
  std::unordered_multimap<std::string, std::string> pictures{};

  void add(const Json& path) {
    if (!path.is_string()) return;
    const fs::path stem = fs::path(path.get<std::string>()).replace_extension();
    pictures.emplace(stem.filename().string(), stem.string());
  }

  // name: of a drawing below its folder. A picture's own name, or that with "-2" where several
  // have it.
  bool has_drawn(const fs::path& name) const {
    const std::string stem = valid_utf8(fs::path(name).replace_extension().string());  // as JSON is
    const std::size_t dash = stem.find_last_of('-');
    const bool is_numbered = dash != std::string::npos && dash + 1 < stem.size() &&
                             stem.find_first_not_of("0123456789", dash + 1) == std::string::npos;
    return is_picture(stem) || (is_numbered && is_picture(stem.substr(0, dash)));
  }

 private:
  bool is_picture(const std::string& stem) const {
    const auto [first, last] = pictures.equal_range(fs::path(stem).filename().string());
    return std::any_of(first, last, [&](const auto& one) {
      return one.second == stem || one.second.ends_with("/" + stem);
    });
  }
};

// Of the format's file, which is a list of pictures, or a COCO data set whose annotations have
// scores; none: it is something else.
std::optional<Earlier> earlier_in(const fs::path& file) {
  const Json json = Json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  const bool is_coco = has_all(json, {"images", "annotations", "categories"});
  if (!json.is_array() && !is_coco) return std::nullopt;
  const Json& entries = is_coco ? json.at("annotations") : json;
  if (!entries.is_array()) return std::nullopt;
  if (!entries.empty() &&
      !(is_coco ? has_all(entries.front(), {"score"})
                : has_all(entries.front(), {"picture", "width", "height", "detections"})))
    return std::nullopt;
  Earlier earlier;
  for (const Json& picture : is_coco ? json.at("images") : json)
    if (picture.is_object()) earlier.add(picture.value(is_coco ? "file_name" : "picture", Json()));
  return earlier;
}

[[noreturn]] void refuse(const fs::path& file) {
  throw Error({.where = file.string(),
               .what = "is there and of no earlier predict, which would replace it",
               .fix = "name another --out, move that file away, or let predict replace it with "
                      "--overwrite"},
              Exit::cannot_create);
}

bool says_that_it_is_drawn(const fs::path& file) {
  std::string head(256, '\0');
  std::ifstream bytes(file, std::ios::binary);
  bytes.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(bytes.gcount()));
  return software_of_png(head) == kDrawnBy;
}

// Labels that stay are read with the classes that predict lists beside them.
void check_kept_classes(const fs::path& out, const std::vector<PictureInput>& pictures) {
  if (fs::exists(out / kClassList)) return;
  for (const PictureInput& picture : pictures) {
    const fs::path labels = label_file(out, picture, ".txt");
    if (!fs::exists(labels)) continue;
    throw Error(
        {.where = labels.string(),
         .what = "is there and stays, and no " + std::string(kClassList) +
                 " in --out says what its ids mean",
         .fix = "write the names of its classes there, one per line, name another --out, or "
                "let predict replace it with --overwrite"},
        Exit::configuration);
  }
}

}  // namespace

void check_earlier_outputs(const OutputFormatEntry& format, const fs::path& out,
                           const std::vector<PictureInput>& pictures, bool draws) {
  const fs::path file = out / format.file;
  Earlier earlier;
  if (*format.file && fs::is_regular_file(file)) {
    std::optional<Earlier> found = earlier_in(file);
    if (!found) refuse(file);
    earlier = *std::move(found);
  }
  if (format.lists_classes) check_kept_classes(out, pictures);
  if (!draws) return;
  const fs::path folder = format.drawings_folder(out);
  DrawnNames names(folder);
  for (const PictureInput& picture : pictures) {
    const fs::path drawn = names.next(picture.name);
    if (fs::is_regular_file(drawn) && !says_that_it_is_drawn(drawn) &&
        !earlier.has_drawn(drawn.lexically_relative(folder)))
      refuse(drawn);
  }
}

}  // namespace letterpress
