#include "trainer/fit/opening/model_for_store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "letterpress/base/error.h"
#include "letterpress/shards/anchors.h"
#include "trainer/augment/batch_augmentation.h"
#include "trainer/fit/options/multi_scale.h"
#include "trainer/fit/options/positive_number.h"

namespace letterpress {
namespace {

std::vector<double> parse_anchors(const std::string& text, std::size_t n) {
  std::vector<double> anchors;
  std::istringstream fields(text);
  std::string field;
  while (std::getline(fields, field, ',')) {
    const auto value = positive_number(field);
    if (!value)
      throw Error({.where = "--anchors",
                   .what = "'" + field + "' is not a size in pixels",
                   .fix = "give auto, model, or w,h,w,h,..."},
                  Exit::usage);
    anchors.push_back(*value);
  }
  if (anchors.size() == 2 * n) return anchors;
  throw Error({.where = "--anchors",
               .what = "got " + std::to_string(anchors.size()) + " numbers, must be " +
                       std::to_string(2 * n) + ", width and height in turn: the model has " +
                       std::to_string(n) + " anchors"},
              Exit::usage);
}

// How many, without making the model: the store's side may be none of its.
int anchors_of(const std::string& model) {
  for (const ModelInfo& info : model_infos())
    if (info.name == model) return info.anchors;
  return static_cast<int>(make_model(model, {}).anchors.size() /
                          2);  // throws, listing the known ones
}

std::vector<std::vector<int>> masks_of(const Graph& graph) {
  std::vector<std::vector<int>> masks;
  for (const int output : graph.outputs)
    masks.push_back(graph.layers[static_cast<std::size_t>(output)].anchor_mask);
  return masks;
}

// Anchors that some head uses: yolov3-tiny's published masks leave one out.
std::vector<std::array<double, 2>> used_anchors(const Graph& graph) {
  std::set<std::size_t> used;
  for (const int output : graph.outputs) {
    for (const int anchor : graph.layers[static_cast<std::size_t>(output)].anchor_mask)
      used.insert(static_cast<std::size_t>(anchor));
  }
  std::vector<std::array<double, 2>> pairs;
  for (const std::size_t i : used)
    pairs.push_back({graph.anchors[2 * i], graph.anchors[2 * i + 1]});
  return pairs;
}

std::vector<double> scaled(std::vector<double> anchors, int from_side, int to_side) {
  for (double& size : anchors) size = size * to_side / from_side;
  return anchors;
}

std::vector<double> kmeans(const std::vector<std::array<float, 2>>& sizes, std::size_t n) {
  if (sizes.empty()) {
    throw Error({.where = "--anchors auto",
                 .what = "the train split has no box to compute anchors from",
                 .fix = "label some pictures, or use --anchors model"});
  }
  std::vector<double> anchors;
  for (const auto& [width, height] : kmeans_anchors(sizes, static_cast<int>(n)))
    anchors.insert(anchors.end(), {width, height});
  return anchors;
}

std::string counted(const std::vector<std::string>& names) {
  return fmt::format("{} ({})", names.size(), fmt::join(names, ", "));
}

}  // namespace

AnchorChoice choose_anchors(const std::string& wanted, const std::string& model,
                            const SnapshotReader& reader, const std::vector<PictureRows>& pictures,
                            const Graph* init) {
  const Snapshot& snapshot = reader.snapshot();
  const auto n = static_cast<std::size_t>(anchors_of(model));
  if (n == 0 && wanted == "auto") return {};
  if (n == 0)
    throw Error({.where = "--anchors '" + wanted + "'",
                 .what = model + " has no anchors",
                 .fix = "leave the flag out"},
                Exit::usage);
  const Graph published = make_model(model, {.classes = 1, .side = snapshot.identity.side});
  const auto sizes = box_sizes(reader, pictures);
  AnchorChoice choice;
  if (wanted == "model") {
    choice = {published.anchors, true, true, "published"};
  } else if (wanted != "auto") {
    choice = {parse_anchors(wanted, n), false, false, "given"};
  } else if (init && init->model == model) {
    const Graph own = make_model(model, {.classes = 1, .side = init->side});
    const bool same_masks = masks_of(*init) == masks_of(own);
    choice = {scaled(init->anchors, init->side, published.side),
              same_masks && init->anchors == own.anchors, same_masks, "of the start weights"};
  } else {
    choice = {kmeans(sizes, n), false, false,
              "k-means over " + std::to_string(sizes.size()) + " boxes"};
    if (init && init->model == model)
      choice.source += "; those of the start weights are of side " + std::to_string(init->side);
  }
  choice.mean_best_iou =
      sizes.empty() ? 0 : mean_best_iou(sizes, used_anchors(make_graph(model, snapshot, choice)));
  return choice;
}

Graph make_graph(const std::string& model, const Snapshot& snapshot, const AnchorChoice& anchors,
                 int side) {
  const int stored = snapshot.identity.side, own = side > 0 ? side : stored;
  std::vector<double> mean;
  for (const double channel : snapshot.statistics.channel_mean) mean.push_back(channel / 255);
  return make_model(model, {.classes = static_cast<int>(snapshot.classes.size()),
                            .side = own,
                            .anchors = anchors.published ? std::vector<double>{}
                                                         : scaled(anchors.anchors, stored, own),
                            .published_masks = anchors.published_masks,
                            .mean = mean});
}

void check_labels(const Graph& graph, const Snapshot& snapshot, const std::string& where) {
  // A store may hold both kinds of labels.
  const bool whole_pictures = !snapshot.statistics.pictures_per_class.empty();
  const auto& boxes = snapshot.statistics.boxes_per_class;
  const bool any_boxes = std::any_of(boxes.begin(), boxes.end(),
                                     [](const auto& counted) { return counted.second > 0; });
  if (is_classifier(graph) ? whole_pictures : any_boxes || !whole_pictures) return;
  if (whole_pictures)
    throw Error(
        {.where = where,
         .what = "its labels are classes of whole pictures, model " + graph.model + " finds boxes",
         .fix = "take a model for whole pictures: minigooglenet"},
        Exit::configuration);
  throw Error(
      {.where = where,
       .what = "its labels are boxes, model " + graph.model + " gives whole pictures a class",
       .fix = "take a model that finds boxes: yolov8n"},
      Exit::configuration);
}

BoxRule box_rule_of(const Snapshot& snapshot) {
  const nlohmann::json recipe =
      nlohmann::json::parse(snapshot.identity.recipe_json, nullptr, false);
  if (!recipe.is_object() || recipe.value("augment", nlohmann::json()).empty())
    return kDetectBoxRule;
  const nlohmann::json boxes = recipe.value("boxes", nlohmann::json());
  const auto number = [&](const char* name, double otherwise) {
    const bool there = boxes.is_object() && boxes.contains(name) && boxes[name].is_number();
    return there ? boxes[name].get<double>() : otherwise;
  };
  return {number("min_side", kDetectBoxRule.min_side), number("min_area", kDetectBoxRule.min_area)};
}

LetterboxRule letterbox_rule_of(const Snapshot& snapshot) {
  const nlohmann::json recipe =
      nlohmann::json::parse(snapshot.identity.recipe_json, nullptr, false);
  if (!recipe.is_object() || !recipe.contains("letterbox")) {
    throw Error({.where = "snapshot " + std::to_string(snapshot.generation),
                 .what = "its recipe has no letterbox rule",
                 .fix = "was the store made by another program?"});
  }
  return letterbox_rule_from_json(recipe.at("letterbox").dump());
}

namespace {

// Those that build a store that a checkpoint of tiles fits.
std::string flags_of(const TileRule& rule, int side) {
  return fmt::format("--tile {} --overlap {} --scale {}", side, rule.overlap, rule.scale);
}

// Of the store that it was trained on.
int side_of(const CheckpointInfo& checkpoint) {
  return checkpoint.stored_side > 0 ? checkpoint.stored_side : checkpoint.graph.side;
}

// Overlap and background change which tiles there are, not what a tile is.
void check_tiles(const CheckpointInfo& checkpoint, const Snapshot& snapshot,
                 const std::string& where) {
  const std::optional<TileRule> stored = tile_rule_of_recipe(snapshot.identity.recipe_json);
  const std::optional<TileRule>& trained = checkpoint.tiles;
  if (trained.has_value() == stored.has_value() && (!trained || trained->scale == stored->scale))
    return;
  const auto described = [](const std::optional<TileRule>& rule) {
    return rule ? fmt::format("tiles at scale {}", rule->scale) : "whole pictures";
  };
  const int side = side_of(checkpoint);
  const std::string flags =
      trained ? flags_of(*trained, side) : fmt::format("--tile 0 --size {}", side);
  throw Error(
      {.where = where,
       .what = "was trained on " + described(trained) + ", the store holds " + described(stored),
       .fix = "build a store with `letterpress-preprocess build " + flags +
              "`, or train anew (fit --init takes over the weights)"},
      Exit::configuration);
}

void check_side(const CheckpointInfo& checkpoint, const Snapshot& snapshot,
                const std::string& where) {
  const int stored = snapshot.identity.side;
  if (checkpoint.graph.side == stored || checkpoint.stored_side == stored) return;
  const int side = checkpoint.tiles ? side_of(checkpoint) : checkpoint.graph.side;
  const std::string flags =
      checkpoint.tiles ? flags_of(*checkpoint.tiles, side) : "--size " + std::to_string(side);
  throw Error({.where = where,
               .what = fmt::format("was trained on {} of side {}, the store's are {}",
                                   checkpoint.tiles ? "tiles" : "pictures", side, stored),
               .fix = "build a store with `letterpress-preprocess build " + flags +
                      "`, or train anew (fit --init takes over the weights)"},
              Exit::configuration);
}

}  // namespace

void check_fits(const CheckpointInfo& checkpoint, const Snapshot& snapshot,
                const std::string& where) {
  if (checkpoint.classes != snapshot.classes) {
    throw Error({.where = where,
                 .what = "its classes are " + counted(checkpoint.classes) + ", the store's are " +
                         counted(snapshot.classes),
                 .fix = "train anew on the store (fit --init takes over what fits), or use the "
                        "store that the model was trained on"},
                Exit::configuration);
  }
  check_tiles(checkpoint, snapshot, where);
  check_side(checkpoint, snapshot, where);
  const LetterboxRule rule = letterbox_rule_of(snapshot);
  if (checkpoint.letterbox != rule) {
    throw Error({.where = where,
                 .what = "was trained with letterbox " + to_json(checkpoint.letterbox) +
                         ", the store was made with " + to_json(rule),
                 .fix = "build a store with the recipe that the model was trained with"},
                Exit::configuration);
  }
}

void check_model_takes(const Graph& graph, const FitOptions& options) {
  if (!is_classifier(graph)) return;
  if (side_range_of(options.multi_scale)) {
    throw Error({.where = "--multi-scale " + options.multi_scale,
                 .what = graph.model + " gives whole pictures of side " +
                         std::to_string(graph.side) + " a class and takes no other side",
                 .fix = "leave the flag out"},
                Exit::configuration);
  }
  for (const BatchAugmentation* operation : batch_augmentations(options.on_device)) {
    if (!operation->mixes) continue;
    throw Error({.where = "--on-device " + options.on_device,
                 .what = std::string(operation->name) + " makes one picture of several, " +
                         graph.model + " gives each a class",
                 .fix = std::string("leave ") + operation->name + " out"},
                Exit::configuration);
  }
}

std::string to_string(const AnchorChoice& choice) {
  std::string text =
      std::to_string(choice.anchors.size() / 2) + " anchors (" + choice.source + "):";
  char number[64];
  for (std::size_t i = 0; i + 1 < choice.anchors.size(); i += 2) {
    std::snprintf(number, sizeof number, " %.4gx%.4g", choice.anchors[i], choice.anchors[i + 1]);
    text += number;
  }
  std::snprintf(number, sizeof number, ", mean best IoU %.3f", choice.mean_best_iou);
  return text + number;
}

}  // namespace letterpress
