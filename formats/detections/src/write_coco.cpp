#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "letterpress/detections/coco.h"

namespace letterpress {
namespace {

/// JSON text, written by hand: nlohmann's tree would take ten times the memory of the boxes.
class JsonText {
 public:
  JsonText& raw(std::string_view text) { return text_ += text, *this; }
  JsonText& number(double value) { return append(value); }
  JsonText& number(std::int64_t value) { return append(value); }
  JsonText& quoted(const std::string& value) {
    return raw(
        nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  JsonText& box(const CocoBox& box) {
    return raw("\"bbox\":[")
        .number(box.x)
        .raw(",")
        .number(box.y)
        .raw(",")
        .number(box.width)
        .raw(",")
        .number(box.height)
        .raw("]");
  }
  const std::string& text() const { return text_; }

 private:
  template <class T>
  JsonText& append(T value) {
    std::array<char, 40> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    text_.append(digits.data(), end.ptr);
    return *this;
  }

  std::string text_;
};

/// "[" one line per entry "]".
template <class Entries, class Write>
void write_list(JsonText& text, const Entries& entries, const Write& write) {
  text.raw("[");
  bool first = true;
  for (const auto& entry : entries) {
    text.raw(first ? "\n" : ",\n");
    first = false;
    write(entry);
  }
  text.raw("]");
}

JsonText& id_or_name(JsonText& text, std::int64_t id, const std::string& name) {
  return name.empty() ? text.number(id) : text.quoted(name);
}

}  // namespace

void write_coco_results(const std::filesystem::path& file, std::span<const CocoResult> results) {
  JsonText text;
  write_list(text, results, [&](const CocoResult& result) {
    id_or_name(text.raw("{\"image_id\":"), result.image_id, result.image).raw(",\"category_id\":");
    id_or_name(text, result.category_id, result.category)
        .raw(",")
        .box(result.box)
        .raw(",\"score\":")
        .number(result.score)
        .raw("}");
  });
  replace_file(file, text.raw("\n").text());
}

void write_coco_ground_truth(const std::filesystem::path& file,
                             const CocoGroundTruth& ground_truth) {
  JsonText text;
  text.raw("{\"info\":{},\"licenses\":[],\"images\":");
  write_list(text, ground_truth.images, [&](const CocoGroundTruth::Image& image) {
    text.raw("{\"id\":").number(image.id).raw(",\"file_name\":").quoted(image.file_name);
    if (image.width > 0)
      text.raw(",\"width\":")
          .number(std::int64_t{image.width})
          .raw(",\"height\":")
          .number(std::int64_t{image.height});
    text.raw("}");
  });
  text.raw(",\n\"categories\":");
  write_list(text, ground_truth.categories, [&](const CocoGroundTruth::Category& category) {
    text.raw("{\"id\":").number(category.id).raw(",\"name\":").quoted(category.name).raw("}");
  });
  text.raw(",\n\"annotations\":");
  std::int64_t id = 0;
  write_list(text, ground_truth.annotations, [&](const CocoGroundTruth::Annotation& one) {
    text.raw("{\"id\":")
        .number(++id)
        .raw(",\"image_id\":")
        .number(one.image_id)
        .raw(",\"category_id\":")
        .number(one.category_id);
    text.raw(",")
        .box(one.box)
        .raw(",\"area\":")
        .number(one.area)
        .raw(one.crowd ? ",\"iscrowd\":1" : ",\"iscrowd\":0");
    if (one.score >= 0) text.raw(",\"score\":").number(one.score);
    text.raw(one.difficult ? ",\"difficult\":1}" : "}");
  });
  replace_file(file, text.raw("}\n").text());
}

}  // namespace letterpress
