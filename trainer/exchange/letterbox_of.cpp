#include "trainer/exchange/letterbox_of.h"

#include <array>

#include "letterpress/base/registry.h"

namespace letterpress {
namespace {

struct System {
  const char* name;
  LetterboxRule rule;
};
using Rule = LetterboxRule;
constexpr System kKerasYolo3{"keras-yolo3",
                             {.rounding = Rule::Rounding::truncate,
                              .place = Rule::Alignment::centre,
                              .fill = 128,
                              .resize = Rule::Resize::cubic}};
constexpr System kUltralytics{
    "ultralytics",
    {.rounding = Rule::Rounding::nearest, .place = Rule::Alignment::centre, .fill = 114}};
constexpr System kYolox{
    "yolox",
    {.rounding = Rule::Rounding::truncate, .place = Rule::Alignment::top_left, .fill = 114}};
constexpr std::array kSystems{&kKerasYolo3, &kUltralytics, &kYolox};

}  // namespace

LetterboxRule letterbox_of(const std::string& system) {
  return find_entry(kSystems, "letterbox system", system).rule;
}

std::string letterbox_systems() {
  std::string names;
  for (const System* system : kSystems)
    names += std::string(names.empty() ? "" : ", ") + system->name;
  return names;
}

}  // namespace letterpress
