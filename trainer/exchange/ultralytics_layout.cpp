#include "trainer/exchange/ultralytics_layout.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

using NamePart = std::pair<const char*, const char*>;
constexpr std::array<NamePart, 4> kWhole{
    {{"", ""}, {"_split", ".cv1"}, {"_reduce", ".cv1"}, {"_join", ".cv2"}}};
constexpr std::array<NamePart, 10> kInBlock{{{"_first", ".cv1"},
                                             {"_second", ".cv2"},
                                             {"_split", ".cv1"},
                                             {"_side", ".cv2"},
                                             {"_join", ".cv3"},
                                             {"_qkv", ".attn.qkv"},
                                             {"_project", ".attn.proj"},
                                             {"_position", ".attn.pe"},
                                             {"_widen", ".ffn.0"},
                                             {"_narrow", ".ffn.1"}}};
constexpr std::array<NamePart, 3> kBranch{{{"_first", ".0"}, {"_second", ".1"}, {"_output", ".2"}}};
constexpr std::array<NamePart, 5> kSeparableBranch{{{"_first_depth", ".0.0"},
                                                    {"_first", ".0.1"},
                                                    {"_second_depth", ".1.0"},
                                                    {"_second", ".1.1"},
                                                    {"_output", ".2"}}};

const UltralyticsLayout& yolov8_layout() {
  static const UltralyticsLayout layout{
      .family = "yolov8",
      .modules = {{"Conv", {-1}}, {"Conv", {-1}},          {"C2f", {-1}},
                  {"Conv", {-1}}, {"C2f", {-1}},           {"Conv", {-1}},
                  {"C2f", {-1}},  {"Conv", {-1}},          {"C2f", {-1}},
                  {"SPPF", {-1}}, {"Upsample", {-1}},      {"Concat", {-1, 6}},
                  {"C2f", {-1}},  {"Upsample", {-1}},      {"Concat", {-1, 4}},
                  {"C2f", {-1}},  {"Conv", {-1}},          {"Concat", {-1, 12}},
                  {"C2f", {-1}},  {"Conv", {-1}},          {"Concat", {-1, 9}},
                  {"C2f", {-1}},  {"Detect", {15, 18, 21}}},
      .blocks = {{"stem", "0", kWhole},
                 {"stage1_down", "1", kWhole},
                 {"stage1", "2", kWhole},
                 {"stage2_down", "3", kWhole},
                 {"stage2", "4", kWhole},
                 {"stage3_down", "5", kWhole},
                 {"stage3", "6", kWhole},
                 {"stage4_down", "7", kWhole},
                 {"stage4", "8", kWhole},
                 {"pooling", "9", kWhole},
                 {"neck16", "12", kWhole},
                 {"neck8", "15", kWhole},
                 {"scale16_down", "16", kWhole},
                 {"scale16", "18", kWhole},
                 {"scale32_down", "19", kWhole},
                 {"scale32", "21", kWhole},
                 {"head8_box", "22.cv2.0", kBranch},
                 {"head16_box", "22.cv2.1", kBranch},
                 {"head32_box", "22.cv2.2", kBranch},
                 {"head8_class", "22.cv3.0", kBranch},
                 {"head16_class", "22.cv3.1", kBranch},
                 {"head32_class", "22.cv3.2", kBranch}},
      .block_parts = kInBlock,
      .pooling = "9",
      .upsamples = {"10", "13"},
      .distances = "22.dfl.conv.weight"};
  return layout;
}

const UltralyticsLayout& yolo11_layout() {
  static const UltralyticsLayout layout{
      .family = "yolo11",
      .modules = {{"Conv", {-1}},       {"Conv", {-1}},  {"C3k2", {-1}},
                  {"Conv", {-1}},       {"C3k2", {-1}},  {"Conv", {-1}},
                  {"C3k2", {-1}},       {"Conv", {-1}},  {"C3k2", {-1}},
                  {"SPPF", {-1}},       {"C2PSA", {-1}}, {"Upsample", {-1}},
                  {"Concat", {-1, 6}},  {"C3k2", {-1}},  {"Upsample", {-1}},
                  {"Concat", {-1, 4}},  {"C3k2", {-1}},  {"Conv", {-1}},
                  {"Concat", {-1, 13}}, {"C3k2", {-1}},  {"Conv", {-1}},
                  {"Concat", {-1, 10}}, {"C3k2", {-1}},  {"Detect", {16, 19, 22}}},
      .blocks = {{"stem", "0", kWhole},
                 {"stage1_down", "1", kWhole},
                 {"stage1", "2", kWhole},
                 {"stage2_down", "3", kWhole},
                 {"stage2", "4", kWhole},
                 {"stage3_down", "5", kWhole},
                 {"stage3", "6", kWhole},
                 {"stage4_down", "7", kWhole},
                 {"stage4", "8", kWhole},
                 {"pooling", "9", kWhole},
                 {"attention", "10", kWhole},
                 {"neck16", "13", kWhole},
                 {"neck8", "16", kWhole},
                 {"scale16_down", "17", kWhole},
                 {"scale16", "19", kWhole},
                 {"scale32_down", "20", kWhole},
                 {"scale32", "22", kWhole},
                 {"head8_box", "23.cv2.0", kBranch},
                 {"head16_box", "23.cv2.1", kBranch},
                 {"head32_box", "23.cv2.2", kBranch},
                 {"head8_class", "23.cv3.0", kSeparableBranch},
                 {"head16_class", "23.cv3.1", kSeparableBranch},
                 {"head32_class", "23.cv3.2", kSeparableBranch}},
      .block_parts = kInBlock,
      .pooling = "9",
      .upsamples = {"11", "14"},
      .distances = "23.dfl.conv.weight"};
  return layout;
}

/// "_block2_first", "_inner1_second" -> ".m.1", ".m.0", and what is left: "_first". Empty: neither.
std::string take_numbered(std::string_view& rest) {
  for (const std::string_view begin : {"_block", "_inner"}) {
    if (!rest.starts_with(begin)) continue;
    const std::size_t end = std::min(rest.find('_', begin.size()), rest.size());
    int number = 0;
    std::from_chars(rest.data() + begin.size(), rest.data() + end, number);
    rest.remove_prefix(end);
    return ".m." + std::to_string(number - 1);
  }
  return "";
}

}  // namespace

const UltralyticsLayout* ultralytics_layout(const std::string& model) {
  for (const UltralyticsLayout* layout : {&yolov8_layout(), &yolo11_layout()}) {
    if (model.starts_with(layout->family)) return layout;
  }
  return nullptr;
}

std::string ultralytics_module(const UltralyticsLayout& layout, const std::string& layer) {
  for (const ListedBlock& block : layout.blocks) {
    if (!layer.starts_with(block.ours)) continue;
    std::string_view rest = std::string_view(layer).substr(std::string_view(block.ours).size());
    std::string module = block.theirs;
    LayerParts parts = block.parts;
    for (std::string taken = take_numbered(rest); !taken.empty(); taken = take_numbered(rest)) {
      module += taken;
      parts = layout.block_parts;
    }
    const auto found = std::find_if(parts.begin(), parts.end(),
                                    [&](const NamePart& part) { return part.first == rest; });
    if (found != parts.end()) return module + found->second;
  }
  throw Error("exchange: " + layer + " is not a layer of " + layout.family, Exit::bug);
}

}  // namespace letterpress
