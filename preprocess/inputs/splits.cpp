#include "preprocess/inputs/splits.h"

#include <charconv>
#include <cmath>
#include <filesystem>
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

struct SplitKey::Expression {
  std::regex regex;
};

SplitKey::SplitKey(const std::string& group) : by_folder_(group == "folder") {
  if (group.empty() || by_folder_) return;
  try {
    expression_ =
        std::make_shared<const Expression>(Expression{std::regex(group, std::regex::ECMAScript)});
  } catch (const std::regex_error& error) {
    throw Error(
        "--group " + group + ": wanted 'folder' or a regular expression (" + error.what() + ")",
        Exit::usage);
  }
}

Hash128 SplitKey::of(const Candidate& candidate, const Inputs& inputs) const {
  // Not the name's folder: VOC and COCO name pictures without one.
  if (by_folder_) {
    const std::filesystem::path folder = std::filesystem::path(candidate.item.path).parent_path();
    if (!candidate.item.member.empty())
      return hash128(std::filesystem::path(candidate.item.name).parent_path().generic_string());
    return hash128(
        folder.lexically_relative(inputs.label_folders.at(candidate.label_file)).generic_string());
  }
  std::smatch match;
  if (expression_ && std::regex_search(candidate.item.name, match, expression_->regex))
    return hash128(match[match.size() > 1 ? 1 : 0].str());
  return candidate.picture_hash;
}

void assign_val_share(Inputs& inputs, double share, const std::string& group) {
  const SplitKey key(group);
  for (Candidate& candidate : inputs.candidates) {
    if (candidate.reject || candidate.split != "train") continue;
    const double place = std::ldexp(static_cast<double>(key.of(candidate, inputs).prefix()), -64);
    if (place < share) candidate.split = "val";
  }
}

}  // namespace letterpress
