#include "coco_document.h"

#include <simdjson.h>

#include <algorithm>
#include <span>
#include <utility>

#include "coco_entries.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"

namespace letterpress::annotations {
namespace {

namespace ondemand = simdjson::ondemand;

class CocoFile {
 public:
  CocoFile(const FileTree& files, const std::filesystem::path& path, double slack)
      : path_(path.string()), slack_(slack), text_(load(files, path)) {}

  CocoDocument read() {
    CocoDocument result;
    ondemand::document document;
    try {
      document = parser_.iterate(text_);
    } catch (const simdjson::simdjson_error& error) {
      fail_at(text_.size(), "is not whole JSON: " + std::string(error.what()) + " in the " +
                                std::to_string(text_.size()) + " bytes before");
    }
    try {
      read_lists(document, result);
    } catch (const simdjson::simdjson_error& error) {
      if (error.error() == simdjson::INCORRECT_TYPE)
        fail_at(place_in(document),
                "is not COCO JSON: must be an object with the lists images, annotations and "
                "categories");
      // simdjson looks for the end at the beginning.
      const bool is_incomplete = error.error() == simdjson::INCOMPLETE_ARRAY_OR_OBJECT;
      if (is_incomplete && !ends_with_brace())
        fail_at(
            text_.size(),
            "is not whole JSON: its last character is not }, so it is cut, or other text follows");
      fail_at(is_incomplete ? text_.size() : place_in(document),
              "is not whole JSON: " + std::string(error.what()));
    }
    check(result);
    return result;
  }

 private:
  static simdjson::padded_string load(const FileTree& files, const std::filesystem::path& path) {
    simdjson::padded_string text(static_cast<std::size_t>(files.size_of(path, "name a COCO JSON")));
    files.read(path, std::as_writable_bytes(std::span(text.data(), text.size())));
    // simdjson takes no byte order mark; blanks keep the byte numbers of messages true.
    if (std::string_view(text.data(), text.size()).starts_with("\xEF\xBB\xBF"))
      std::fill_n(text.data(), 3, ' ');
    return text;
  }

  [[noreturn]] void fail(const std::string& what, const std::string& fix) const {
    throw Error({.where = path_, .what = what, .fix = fix});
  }
  [[noreturn]] void fail_at(std::size_t byte, const std::string& what) const {
    fail("byte " + std::to_string(byte) + " of " + std::to_string(text_.size()) + ": " + what,
         "copy or export the file again");
  }

  std::size_t place_in(ondemand::document& document) {
    const char* place = nullptr;
    if (document.current_location().get(place) || place < text_.data() ||
        place > text_.data() + text_.size())
      return text_.size();
    return static_cast<std::size_t>(place - text_.data());
  }

  // As a JSON object does, blanks aside.
  bool ends_with_brace() const {
    const std::string_view text(text_.data(), text_.size());
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    return last != std::string_view::npos && text[last] == '}';
  }

  void read_lists(ondemand::document& document, CocoDocument& result) {
    ondemand::object object = document.get_object();
    for (ondemand::field field : object) {
      const std::string_view key = field.unescaped_key();
      if (key == "images") {
        begin_list("images", has_images_);
        read_list(field.value(), result.images,
                  [&](ondemand::object entry) { return read_coco_image(entry, result.ids); });
      }
      if (key == "annotations") {
        begin_list("annotations", has_annotations_);
        read_list(field.value(), result.annotations, [&](ondemand::object entry) {
          return read_coco_annotation(entry, result.ids, outline_, slack_);
        });
      }
      if (key == "categories") {
        begin_list("categories", has_categories_);
        read_list(field.value(), result.categories, [&](ondemand::object entry) {
          return read_coco_category(entry, result.ids, category_fault_);
        });
      }
    }
    const char* rest = nullptr;
    if (!document.current_location().get(rest))
      throw simdjson::simdjson_error(simdjson::TRAILING_CONTENT);
  }

  // JSON's readers take the first, the last or both.
  void begin_list(const std::string& name, bool& has_list) const {
    if (std::exchange(has_list, true))
      fail("holds the list `" + name + "` twice",
           "keep one, with the entries of both where they belong together");
  }

  // An entry that is not an object throws: a list of anything else is not a COCO file.
  template <class T, class Read>
  static void read_list(ondemand::value value, std::vector<T>& list, Read read_entry) {
    for (ondemand::value entry : value.get_array()) list.push_back(read_entry(entry.get_object()));
  }

  void check(CocoDocument& result) const {
    if (!has_images_) fail("holds no list `images`", "is it a COCO detection file?");
    if (!has_annotations_)
      fail("holds no list `annotations`, so no boxes", "name the file with the labels");
    if (!has_categories_)
      fail("holds no list `categories`, so the ids have no names", "export it with categories");
    if (!category_fault_.empty()) fail(category_fault_, "give every category an id and a name");
    std::vector<CocoCategory>& categories = result.categories;
    std::stable_sort(categories.begin(), categories.end(),
                     [](const auto& a, const auto& b) { return a.id < b.id; });
    for (std::size_t i = 1; i < categories.size(); ++i) {
      if (categories[i].id != categories[i - 1].id) continue;
      fail("category id " + result.ids.text(categories[i].id) + " is given twice, for " +
               in_quotes(categories[i - 1].name) + " and " + in_quotes(categories[i].name),
           "give each its own");
    }
    std::vector<std::string> names;
    for (const CocoCategory& category : categories) names.push_back(category.name);
    check_class_names(names, path_ + " (categories by id)");
    leave_out_group_of_all(result);
  }

  static void leave_out_group_of_all(CocoDocument& result) {
    std::vector<CocoCategory>& categories = result.categories;
    if (categories.size() < 2 || categories.front().id != 0) return;
    const std::string& group = categories.front().name;
    if (!std::all_of(categories.begin() + 1, categories.end(),
                     [&](const CocoCategory& one) { return one.group == group; }))
      return;
    if (std::ranges::any_of(result.annotations,
                            [](const CocoAnnotation& one) { return one.category_id == 0; }))
      return;
    result.group_of_all = group;
    categories.erase(categories.begin());
  }

  std::string path_;
  double slack_;
  simdjson::padded_string text_;
  ondemand::parser parser_;
  bool has_images_ = false, has_annotations_ = false, has_categories_ = false;
  std::string category_fault_;
  CocoOutline outline_;
};

}  // namespace

CocoDocument read_coco_document(const FileTree& files, const std::filesystem::path& path,
                                double slack) {
  return CocoFile(files, path, slack).read();
}

}  // namespace letterpress::annotations
