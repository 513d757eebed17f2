#include "letterpress/shards/letterbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/nesting.h"

namespace letterpress {
namespace {

// Names of each enumerator, in its order.
const std::vector<std::string> kScales{"fit", "shrink"};
const std::vector<std::string> kRoundings{"nearest", "truncate"};
const std::vector<std::string> kAlignments{"centre", "top_left"};
const std::vector<std::string> kResizes{"linear", "cubic"};

template <class Enum>
const std::string& name_of(const std::vector<std::string>& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

[[noreturn]] void fail(const std::string& field, const std::string& got,
                       const std::string& allowed) {
  throw Error({.where = "letterbox rule", .what = field + " is " + got + ", must be " + allowed});
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " or "));
}

template <class Enum>
Enum enum_field(const nlohmann::json& rule, const std::string& field,
                const std::vector<std::string>& names) {
  if (!rule.contains(field)) fail(field, "missing", joined(names));
  const nlohmann::json& value = rule.at(field);
  const auto found = value.is_string()
                         ? std::find(names.begin(), names.end(), value.get<std::string>())
                         : names.end();
  if (found == names.end()) fail(field, value.dump(), joined(names));
  return static_cast<Enum>(found - names.begin());
}

int fill_field(const nlohmann::json& rule) {
  const nlohmann::json value = rule.value("fill", nlohmann::json());
  const bool good =
      value.is_number_integer() && value.get<double>() >= 0 && value.get<double>() <= 255;
  if (!good) fail("fill", value.is_null() ? "missing" : value.dump(), "0..255");
  return value.get<int>();
}

int resized(double length, LetterboxRule::Rounding rounding, int side) {
  // Half to even, as Python's round(): the tools with this rule are written in it.
  const double whole =
      rounding == LetterboxRule::Rounding::nearest ? std::nearbyint(length) : std::trunc(length);
  return std::clamp(static_cast<int>(whole), 1, side);
}

}  // namespace

Affine operator*(const Affine& after, const Affine& before) {
  const auto& a = after.m;
  const auto& b = before.m;
  return {{a[0] * b[0] + a[1] * b[3], a[0] * b[1] + a[1] * b[4],
           a[0] * b[2] + a[1] * b[5] + a[2],  //
           a[3] * b[0] + a[4] * b[3], a[3] * b[1] + a[4] * b[4], a[3] * b[2] + a[4] * b[5] + a[5]}};
}

Affine inverse(const Affine& map) {
  const auto& m = map.m;
  const double determinant = m[0] * m[4] - m[1] * m[3];
  if (determinant == 0 || !std::isfinite(determinant)) {
    throw Error(Message{
        .what = "an affine map with determinant " + std::to_string(determinant) + " has no inverse",
        .fix = "its scales must be finite and not 0"});
  }
  const double a = m[4] / determinant, b = -m[1] / determinant, c = -m[3] / determinant,
               d = m[0] / determinant;
  return {{a, b, -(a * m[2] + b * m[5]), c, d, -(c * m[2] + d * m[5])}};
}

std::array<double, 2> apply(const Affine& map, double x, double y) {
  const auto& m = map.m;
  return {m[0] * x + m[1] * y + m[2], m[3] * x + m[4] * y + m[5]};
}

std::string to_json(const LetterboxRule& rule) {
  return "{\"scale\":\"" + name_of(kScales, rule.scale) + "\",\"rounding\":\"" +
         name_of(kRoundings, rule.rounding) + "\",\"place\":\"" + name_of(kAlignments, rule.place) +
         "\",\"fill\":" + std::to_string(rule.fill) + ",\"resize\":\"" +
         name_of(kResizes, rule.resize) + "\"}";
}

LetterboxRule letterbox_rule_from_json(const std::string& text) {
  check_nesting(text, "letterbox rule");
  const nlohmann::json rule = nlohmann::json::parse(text, nullptr, false);
  if (!rule.is_object())
    throw Error({.where = "letterbox rule",
                 .what = "'" + text + "' is not a JSON object like " + to_json(LetterboxRule{})});
  return {.scale = enum_field<LetterboxRule::Scale>(rule, "scale", kScales),
          .rounding = enum_field<LetterboxRule::Rounding>(rule, "rounding", kRoundings),
          .place = enum_field<LetterboxRule::Alignment>(rule, "place", kAlignments),
          .fill = fill_field(rule),
          .resize = enum_field<LetterboxRule::Resize>(rule, "resize", kResizes)};
}

Letterbox letterbox(int source_width, int source_height, int side, const LetterboxRule& rule) {
  if (source_width < 1 || source_height < 1 || side < 1) {
    throw Error({.where = "letterbox",
                 .what = "a picture of " + std::to_string(source_width) + "x" +
                         std::to_string(source_height) + " in a frame of side " +
                         std::to_string(side) + ", all three must be at least 1"});
  }
  double scale =
      std::min(static_cast<double>(side) / source_width, static_cast<double>(side) / source_height);
  if (rule.scale == LetterboxRule::Scale::shrink) scale = std::min(scale, 1.0);
  Letterbox box;
  box.width = resized(source_width * scale, rule.rounding, side);
  box.height = resized(source_height * scale, rule.rounding, side);
  if (rule.place == LetterboxRule::Alignment::centre) {
    box.x = (side - box.width) / 2;
    box.y = (side - box.height) / 2;
  }
  box.source_to_frame.m = {static_cast<double>(box.width) / source_width,
                           0,
                           static_cast<double>(box.x),
                           0,
                           static_cast<double>(box.height) / source_height,
                           static_cast<double>(box.y)};
  return box;
}

Letterbox letterbox_of(const Affine& source_to_frame, int source_width, int source_height,
                       int side) {
  const auto& m = source_to_frame.m;
  const auto pixel = [&](double value) {
    return std::clamp(static_cast<int>(std::lround(value)), 0, side);
  };
  Letterbox box;
  box.x = std::min(pixel(m[2]), side - 1);
  box.y = std::min(pixel(m[5]), side - 1);
  box.width = std::max(1, pixel(m[0] * source_width + m[2]) - box.x);
  box.height = std::max(1, pixel(m[4] * source_height + m[5]) - box.y);
  box.source_to_frame = source_to_frame;
  return box;
}

}  // namespace letterpress
