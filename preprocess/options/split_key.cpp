#include "preprocess/options/split_key.h"

#include <regex>

#include "letterpress/base/error.h"
#include "letterpress/base/parse_as.h"

namespace letterpress {

std::optional<double> parse_share(const std::string& text) {
  const bool percent = text.ends_with('%');
  const auto number =
      parse_as<double>(std::string_view(text).substr(0, text.size() - (percent ? 1 : 0)));
  if (!number) return std::nullopt;
  const double value = percent ? *number / 100 : *number;
  return value >= 0 && value <= 1 ? std::optional(value) : std::nullopt;
}

KeptSplits kept_splits(const std::string& val) {
  const std::optional<double> share = parse_share(val);
  if (!share) return KeptSplits::all;
  return *share == 0 ? KeptSplits::none : KeptSplits::held_out;
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
