#include "preprocess/options/split_key.h"

#include <charconv>
#include <regex>

#include "letterpress/base/error.h"

namespace letterpress {

std::optional<double> parse_share(const std::string& text) {
  const bool percent = text.ends_with('%');
  const char* end = text.data() + text.size() - (percent ? 1 : 0);
  double value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end) return std::nullopt;
  if (percent) value /= 100;
  if (!(value >= 0 && value <= 1)) return std::nullopt;
  return value;
}

bool groups_by_name(const std::string& group) {
  return !group.empty() && group != "auto" && group != "none";
}

struct SplitKey::Expression {
  std::regex regex;
};

SplitKey::SplitKey(const std::string& group) : by_folder_(group == "folder") {
  if (by_folder_ || !groups_by_name(group)) return;
  try {
    expression_ =
        std::make_shared<const Expression>(Expression{std::regex(group, std::regex::ECMAScript)});
  } catch (const std::regex_error& error) {
    throw Error({.where = "--group " + group,
                 .what = std::string("must be 'auto', 'none', 'folder' or a regular expression (") +
                         error.what() + ")"},
                Exit::usage);
  }
}

bool SplitKey::leaves_alone(const Item& item) const {
  return expression_ && !std::regex_search(item.name, expression_->regex);
}

Hash128 SplitKey::of(const Item& item, const std::filesystem::path& label_folder,
                     const Hash128& picture_hash) const {
  // Not the name's folder: VOC and COCO name pictures without one.
  if (by_folder_) {
    const std::filesystem::path folder = std::filesystem::path(picture_path(item)).parent_path();
    return hash128(folder.lexically_relative(label_folder).generic_string());
  }
  std::smatch match;
  if (expression_ && std::regex_search(item.name, match, expression_->regex))
    return hash128(match[match.size() > 1 ? 1 : 0].str());
  return picture_hash;
}

}  // namespace letterpress
