#include "trainer/parity/found_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "letterpress/base/error.h"
#include "letterpress/base/extent.h"
#include "letterpress/base/file.h"
#include "letterpress/detections/valid_utf8.h"

namespace letterpress {
namespace {

using Box = FoundPicture::Box;

constexpr double kSameThing = 0.5;      // overlap over which two boxes are of one thing
constexpr std::size_t kMostNamed = 20;  // unmatched detections

Extent extent_of(const Box& box) { return {box.x1, box.y1, box.x2, box.y2}; }

double furthest_corner(const Box& a, const Box& b) {
  return std::max(
      {std::abs(a.x1 - b.x1), std::abs(a.y1 - b.y1), std::abs(a.x2 - b.x2), std::abs(a.y2 - b.y2)});
}

/// The detections of a picture that count, best first.
class BestOf {
 public:
  BestOf(const FoundPicture& found, const ParityRule& rule) : rule_(rule) {
    std::vector<Box> boxes = found.boxes;
    std::ranges::stable_sort(boxes, std::ranges::greater(), &Box::score);
    if (boxes.size() >= rule.most && !boxes.empty()) floor_ = boxes.back().score;
    for (const Box& box : boxes) {
      if (boxes_.size() == rule.most) break;
      OfClass& of_class = classes_[box.class_id];
      if (of_class.n == rule.most_of_class) continue;
      of_class = {of_class.n + 1, box.score};
      boxes_.push_back(box);
    }
    if (boxes_.size() == rule.most && !boxes_.empty()) floor_ = boxes_.back().score;
  }

  const std::vector<Box>& boxes() const { return boxes_; }

  // Nothing can be said of this class under it.
  double floor(int class_id) const {
    double floor = std::max(rule_.confidence, floor_);
    const auto of_class = classes_.find(class_id);
    if (of_class != classes_.end() && of_class->second.n == rule_.most_of_class)
      floor = std::max(floor, of_class->second.lowest);
    return floor;
  }

 private:
  struct OfClass {
    std::size_t n = 0;
    double lowest = 0;
  };
  const ParityRule& rule_;
  std::vector<Box> boxes_;
  double floor_ = 0;  // of all classes
  std::map<int, OfClass> classes_;
};

// Names that are not UTF-8 have other characters in their places, which programs count differently.
bool has_other_name(const FoundPicture& ours, const FoundPicture& theirs) {
  return ours.picture != theirs.picture && ours.picture.find(kReplaced) == std::string::npos;
}

class Comparison {
 public:
  explicit Comparison(const ParityRule& rule) : rule_(rule) {}

  void add(const FoundPicture& ours, const FoundPicture& theirs) {
    const BestOf our_best(ours, rule_), their_best(theirs, rule_);
    std::vector<Box> left = their_best.boxes();
    for (const Box& box : our_best.boxes()) {
      ++differences_.detections;
      const auto same = counterpart(box, left);
      if (!same) {
        add_alone(ours, box, their_best.floor(box.class_id), "predict");
        continue;
      }
      ++differences_.counterparts;
      const double corner = furthest_corner(box, left[*same]);
      differences_.score = std::max(differences_.score, std::abs(box.score - left[*same].score));
      differences_.corner = std::max(differences_.corner, corner);
      differences_.corner_share =
          std::max(differences_.corner_share, corner / std::max(ours.width, ours.height));
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(*same));
    }
    for (const Box& box : left) add_alone(ours, box, our_best.floor(box.class_id), "the runtime");
  }

  ParityDifferences differences() && { return std::move(differences_); }

 private:
  static std::optional<std::size_t> counterpart(const Box& box, const std::vector<Box>& others) {
    std::optional<std::size_t> nearest;
    double largest = kSameThing;
    for (std::size_t i = 0; i < others.size(); ++i) {
      const double common =
          others[i].class_id == box.class_id ? iou(extent_of(box), extent_of(others[i])) : 0;
      if (common <= largest) continue;
      largest = common;
      nearest = i;
    }
    return nearest;
  }

  void add_alone(const FoundPicture& picture, const Box& box, double floor, const char* finder) {
    const double difference = box.score - floor;
    differences_.alone = std::max(differences_.alone, difference);
    if (difference <= rule_.tolerance) return;
    ++differences_.unmatched_n;
    if (differences_.unmatched.size() == kMostNamed) return;
    const auto id = static_cast<std::size_t>(box.class_id);
    differences_.unmatched.push_back(fmt::format(
        "{}: {} {:.3f} of {} alone", picture.picture,
        id < rule_.classes.size() ? rule_.classes[id] : std::to_string(id), box.score, finder));
  }

  const ParityRule& rule_;
  ParityDifferences differences_;
};

FoundPicture found_in(const nlohmann::json& one) {
  FoundPicture found{.picture = one.at("picture").get<std::string>(),
                     .width = one.at("width").get<int>(),
                     .height = one.at("height").get<int>()};
  for (const nlohmann::json& box : one.at("detections")) {
    const auto corners = box.at("box").get<std::array<double, 4>>();
    found.boxes.push_back({corners[0], corners[1], corners[2], corners[3],
                           box.at("score").get<double>(), box.at("class").get<int>()});
  }
  return found;
}

}  // namespace

std::vector<FoundPicture> read_found_pictures(const std::filesystem::path& file) {
  std::vector<FoundPicture> pictures;
  try {
    for (const nlohmann::json& one : nlohmann::json::parse(read_file(file)))
      pictures.push_back(found_in(one));
  } catch (const nlohmann::json::exception& failure) {
    throw Error(
        {.where = file.string(),
         .what = std::string("is not what predict --format json writes: ") + failure.what()});
  }
  return pictures;
}

ParityDifferences compare_found(const std::vector<FoundPicture>& ours,
                                const std::vector<FoundPicture>& theirs, const ParityRule& rule) {
  if (ours.size() != theirs.size())
    throw Error({.where = "what was found",
                 .what = "the runtime's program wrote " + std::to_string(theirs.size()) +
                         " pictures, predict " + std::to_string(ours.size()),
                 .fix = "write an entry for each picture of the list, in its order"});
  Comparison comparison(rule);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (has_other_name(ours[i], theirs[i]) || ours[i].width != theirs[i].width ||
        ours[i].height != theirs[i].height)
      throw Error(
          {.where = theirs[i].picture,
           .what = fmt::format("is {} x {} to the runtime's program, to predict {} is {} x {}",
                               theirs[i].width, theirs[i].height, ours[i].picture, ours[i].width,
                               ours[i].height),
           .fix = "pictures are in the order of the list, their size after EXIF's turn"});
    comparison.add(ours[i], theirs[i]);
  }
  return std::move(comparison).differences();
}

}  // namespace letterpress
