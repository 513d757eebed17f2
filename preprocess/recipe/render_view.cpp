#include <algorithm>
#include <cassert>

#include "letterpress/base/convex_outline.h"
#include "preprocess/augment/augmentation.h"
#include "preprocess/recipe/recipe.h"
#include "preprocess/recipe/resample.h"

namespace letterpress {

struct RenderWorkspace {
  ResampleWorkspace resampling;
  std::vector<std::uint8_t> scratch;
};

void RenderWorkspaceDeleter::operator()(RenderWorkspace* workspace) const { delete workspace; }
RenderWorkspacePointer make_render_workspace() {
  return RenderWorkspacePointer(new RenderWorkspace);
}

namespace {

// Calls step(augmentation, its values) for each, in the recipe's order. drawn: the values of all.
template <class Number, class Step>
void for_each_augmentation(const Recipe& recipe, std::span<Number> drawn, Step&& step) {
  std::size_t column = 0;
  for (const auto& augmentation : recipe.augmentations()) {
    const std::size_t n = augmentation->drawn_names().size();
    step(*augmentation, drawn.subspan(column, n));
    column += n;
  }
}

// Each augmentation is in a recipe once, so that there are fewer.
constexpr std::int32_t kStreamsOfTile = 64;

void draw_values(const Recipe& recipe, const ViewKey& key, std::int32_t tile,
                 std::vector<float>& drawn) {
  std::int32_t stream = tile * kStreamsOfTile;
  for_each_augmentation(
      recipe, std::span(drawn), [&](const Augmentation& step, std::span<float> values) {
        RandomEngine engine({key.seed, key.draw, key.source_hash, key.view, stream++});
        step.draw(engine, values);
      });
}

constexpr double kRounding = 1e-3;  // pixels: a float that is off by less was not cut

// A rectangle in the frame, as a row stores it.
struct Extent {
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0;

  double area() const { return (static_cast<double>(x2) - x1) * (static_cast<double>(y2) - y1); }
  Extent cut_at_frame(float side) const {
    return {std::clamp(x1, 0.0f, side), std::clamp(y1, 0.0f, side), std::clamp(x2, 0.0f, side),
            std::clamp(y2, 0.0f, side)};
  }
  // Whether `part` is less of it than rounding explains.
  bool loses(const Extent& part) const {
    return std::max({part.x1 - x1, part.y1 - y1, x2 - part.x2, y2 - part.y2}) > kRounding;
  }
};

Extent extent_of(const ConvexOutline& outline) {
  const auto [x1, y1, x2, y2] = outline.extent();
  return {static_cast<float>(x1), static_cast<float>(y1), static_cast<float>(x2),
          static_cast<float>(y2)};
}

// The bounding rectangle of the moved corners.
Extent moved_extent(const LabelBox& box, const Affine& map) {
  const auto a = apply(map, box.x1, box.y1), b = apply(map, box.x2, box.y1),
             c = apply(map, box.x1, box.y2), d = apply(map, box.x2, box.y2);
  return {static_cast<float>(std::min({a[0], b[0], c[0], d[0]})),
          static_cast<float>(std::min({a[1], b[1], c[1], d[1]})),
          static_cast<float>(std::max({a[0], b[0], c[0], d[0]})),
          static_cast<float>(std::max({a[1], b[1], c[1], d[1]}))};
}

bool is_oblique(const Affine& map) {
  return (map.m[0] != 0 || map.m[4] != 0) && (map.m[1] != 0 || map.m[3] != 0);
}

// What a view has of an object: the rectangles around all of it and around what the frame shows,
// and the areas of the object there.
struct ShownObject {
  Extent whole{}, shown{};
  double whole_area = 0, shown_area = 0;
};

// An upright box.
ShownObject shown_rectangle(const Extent& whole, int side) {
  const Extent shown = whole.cut_at_frame(static_cast<float>(side));
  return {whole, shown, whole.area(), shown.area()};
}

// Of an object that is not an upright rectangle in the frame the edges may cut corners off, so that
// the rectangle around what is left is less than the whole one's part in the frame.
ShownObject shown_outline(const LabelBox& box, const Affine& map, int side) {
  ConvexOutline outline(box);
  outline.move(
      [&](const ConvexOutline::Point& corner) { return apply(map, corner[0], corner[1]); });
  ShownObject object{.whole = extent_of(outline), .whole_area = outline.area()};
  const auto edge = static_cast<double>(side);
  outline.cut_at({0, 0}, {edge, edge});
  if (outline.empty()) return object;
  object.shown = extent_of(outline);
  object.shown_area = outline.area();
  return object;
}

ShownObject shown_in_frame(const LabelBox& box, const Affine& map, int side) {
  if (is_oblique(map)) return shown_outline(box, map, side);
  const ShownObject upright = shown_rectangle(moved_extent(box, map), side);
  const bool cut = upright.whole.loses(upright.shown);
  return cut && !box.outline.empty() ? shown_outline(box, map, side) : upright;
}

// Of a crowd any part is to be ignored as the whole is.
bool kept(const ShownObject& object, const BoxRule& rule, bool crowd) {
  const Extent& shown = object.shown;
  return shown.x2 - shown.x1 > rule.min_side && shown.y2 - shown.y1 > rule.min_side &&
         (crowd || object.shown_area >= rule.min_area * object.whole_area);
}

LabelBox box_at(const Extent& extent, const LabelBox& label) {
  return {.x1 = extent.x1,
          .y1 = extent.y1,
          .x2 = extent.x2,
          .y2 = extent.y2,
          .class_id = label.class_id,
          .flags = label.flags,
          .area = label.area < 0 ? (label.x2 - label.x1) * (label.y2 - label.y1) : label.area};
}

// row.boxes <- those that the recipe's rule keeps, in the frame.
void place_boxes(const ViewRequest& request, ShardRow& row) {
  const bool cuts = row.view > 0 || request.recipe.tiles();
  row.boxes.clear();
  row.whole_boxes.clear();
  for (const LabelBox& box : request.boxes) {
    const auto placed =
        box_in_frame(box, row.letterbox, request.side, cuts ? &request.recipe.boxes() : nullptr);
    if (!placed) continue;
    row.boxes.push_back(*placed);
    if (request.recipe.tiles()) row.whole_boxes.push_back({box.x1, box.y1, box.x2, box.y2});
  }
}

// What an augmentation sees: the picture, or of a tile what it shows, as if that were the picture.
struct Surroundings {
  std::int32_t width = 0, height = 0;
  Affine source_to_frame{};
  double x = 0, y = 0;  ///< the tile's place in the source
};

Surroundings surroundings(const ViewRequest& request) {
  const auto& [recipe, key, picture, width, height, boxes, side, tile] = request;
  if (!recipe.tiles()) {
    return {.width = width,
            .height = height,
            .source_to_frame = letterbox(width, height, side, recipe.letterbox()).source_to_frame};
  }
  const TilePlace place =
      TileGrid(width, height, side, *recipe.tiles(), recipe.letterbox()).place(tile);
  return {.width = place.width,
          .height = place.height,
          .source_to_frame = place.source_to_frame,
          .x = 1.0 * place.x,
          .y = 1.0 * place.y};
}

// Draws, and returns the map from source to frame that results.
Affine augmented_map(const ViewRequest& request, const Surroundings& shown,
                     std::vector<float>& drawn) {
  draw_values(request.recipe, request.key, request.tile, drawn);
  const auto x = static_cast<float>(shown.x), y = static_cast<float>(shown.y);
  std::vector<LabelBox> boxes;
  boxes.reserve(request.boxes.size());
  for (const LabelBox& box : request.boxes)  // without the outlines, which would be allocated
    boxes.push_back({box.x1 - x, box.y1 - y, box.x2 - x, box.y2 - y, box.class_id, box.flags});
  ViewFrame frame{shown.width, shown.height, request.side,
                  shown.source_to_frame * Affine{{1, 0, shown.x, 0, 1, shown.y}}, boxes};
  for_each_augmentation(
      request.recipe, std::span(drawn),
      [&](const Augmentation& step, std::span<float> values) { step.place(values, frame); });
  return frame.source_to_frame * Affine{{1, 0, -shown.x, 0, 1, -shown.y}};
}

}  // namespace

Affine as_stored(Affine map) {
  for (double& value : map.m) value = static_cast<double>(static_cast<float>(value));
  return map;
}

Affine picture_to_source(const Picture& picture) {
  const double scale = 8.0 / picture.scale_eighths;
  return {{scale, 0, -picture.offset_x * scale, 0, scale, -picture.offset_y * scale}};
}

bool has_lines(const Picture& picture, const LineRange& wanted) {
  const auto line = 3 * static_cast<std::size_t>(picture.width);
  return wanted.first >= wanted.end ||
         (wanted.first >= picture.first_line &&
          line * static_cast<std::size_t>(wanted.end - picture.first_line) <= picture.rgb.size());
}

double needed_scale(const Recipe& recipe, std::int32_t source_width, std::int32_t source_height,
                    int side, std::int32_t view) {
  double scale = 0;
  if (recipe.tiles()) {
    scale = recipe.tiles()->scale;
    const int span =
        TileGrid(source_width, source_height, side, *recipe.tiles(), recipe.letterbox()).span();
    source_width = std::min(source_width, span);
    source_height = std::min(source_height, span);
  } else {
    const Letterbox box = letterbox(source_width, source_height, side, recipe.letterbox());
    scale = std::max(static_cast<double>(box.width) / source_width,
                     static_cast<double>(box.height) / source_height);
  }
  if (view > 0) {
    for (const auto& augmentation : recipe.augmentations())
      scale *= augmentation->largest_zoom(source_width, source_height);
  }
  return std::min(1.0, scale);
}

std::optional<LabelBox> box_in_frame(const LabelBox& box, const Affine& source_to_frame, int side,
                                     const BoxRule* rule) {
  const Affine map = as_stored(source_to_frame);
  if (!rule) return box_at(moved_extent(box, map).cut_at_frame(static_cast<float>(side)), box);
  const ShownObject object = shown_in_frame(box, map, side);
  if (!kept(object, *rule, (box.flags & kCrowd) != 0)) return std::nullopt;
  LabelBox placed = box_at(object.shown, box);
  if (object.whole.loses(object.shown)) placed.flags |= kCut;
  return placed;
}

void place_view(const ViewRequest& request, ShardRow& row) {
  const Surroundings shown = surroundings(request);
  row.tile = request.tile;
  row.view = request.key.view;
  row.source_width = request.source_width;
  row.source_height = request.source_height;
  row.augment.assign(request.recipe.parameter_names().size(), 0.0f);
  row.letterbox =
      as_stored(row.view > 0 ? augmented_map(request, shown, row.augment) : shown.source_to_frame);
  place_boxes(request, row);
}

LineRange lines_of(const StoredView& view) {
  return lines_read(view.row.letterbox * picture_to_source(view.picture), view.side,
                    view.picture.height);
}

void render_view(const ViewRequest& request, RenderWorkspace& workspace, ShardRow& row,
                 std::span<std::uint8_t> image) {
  place_view(request, row);
  render_stored({request.recipe, row, request.picture, request.side}, workspace, image);
}

void render_stored(const StoredView& view, RenderWorkspace& workspace,
                   std::span<std::uint8_t> image, const StepListener& after) {
  const auto& [recipe, row, picture, side] = view;
  const YccPlanes* const planes =
      row.view <= 0 && picture.planes && !recipe.tiles() ? &picture.planes : nullptr;
  assert(planes || has_lines(picture, lines_of(view)));
  resample({picture.rgb, picture.width, picture.height, planes, picture.first_line},
           row.letterbox * picture_to_source(picture), recipe.letterbox(), side, image,
           workspace.resampling);
  if (after) after(0);
  if (row.view <= 0) return;
  std::size_t n = 0;
  const FrameImage frame{image, side, workspace.scratch};
  for_each_augmentation(recipe, std::span(row.augment),
                        [&](const Augmentation& step, std::span<const float> drawn) {
                          step.colour(drawn, frame);
                          ++n;
                          if (after) after(n);
                        });
}

}  // namespace letterpress
