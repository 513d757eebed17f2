#include <algorithm>
#include <cassert>

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

// Decoded pixels -> pixels of the displayed frame.
Affine picture_to_source(const Picture& picture) {
  const double scale = 8.0 / picture.scale_eighths;
  return {{scale, 0, -picture.offset_x * scale, 0, scale, -picture.offset_y * scale}};
}

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

void draw_values(const Recipe& recipe, const ViewKey& key, std::vector<float>& drawn) {
  std::int32_t stream = 0;
  for_each_augmentation(
      recipe, std::span(drawn), [&](const Augmentation& step, std::span<float> values) {
        RandomEngine engine({key.seed, key.draw, key.source_hash, key.view, stream++});
        step.draw(engine, values);
      });
}

// The bounding rectangle of the moved corners.
LabelBox move_box(const LabelBox& box, const Affine& map) {
  const auto a = apply(map, box.x1, box.y1), b = apply(map, box.x2, box.y1),
             c = apply(map, box.x1, box.y2), d = apply(map, box.x2, box.y2);
  LabelBox moved = box;
  moved.x1 = static_cast<float>(std::min({a[0], b[0], c[0], d[0]}));
  moved.y1 = static_cast<float>(std::min({a[1], b[1], c[1], d[1]}));
  moved.x2 = static_cast<float>(std::max({a[0], b[0], c[0], d[0]}));
  moved.y2 = static_cast<float>(std::max({a[1], b[1], c[1], d[1]}));
  if (box.area < 0) moved.area = (box.x2 - box.x1) * (box.y2 - box.y1);
  return moved;
}

LabelBox cut_at_frame(const LabelBox& box, float side) {
  LabelBox cut = box;
  cut.x1 = std::clamp(box.x1, 0.0f, side);
  cut.y1 = std::clamp(box.y1, 0.0f, side);
  cut.x2 = std::clamp(box.x2, 0.0f, side);
  cut.y2 = std::clamp(box.y2, 0.0f, side);
  return cut;
}

double area(const LabelBox& box) {
  return (static_cast<double>(box.x2) - box.x1) * (static_cast<double>(box.y2) - box.y1);
}

bool kept(const LabelBox& cut, const LabelBox& whole, const BoxRule& rule) {
  return cut.x2 - cut.x1 > rule.min_side && cut.y2 - cut.y1 > rule.min_side &&
         area(cut) >= rule.min_area * area(whole);
}

// row.boxes <- those that the recipe's rule keeps, in the frame.
void place_boxes(const ViewRequest& request, ShardRow& row) {
  constexpr double kRounding = 1e-3;  // pixels: a float that is off by less was not cut
  row.boxes.clear();
  for (const LabelBox& box : request.boxes) {
    const LabelBox whole = move_box(box, row.letterbox);
    LabelBox cut = cut_at_frame(whole, static_cast<float>(request.side));
    if (row.view > 0 && !kept(cut, whole, request.recipe.boxes())) continue;
    const double lost =
        std::max({cut.x1 - whole.x1, cut.y1 - whole.y1, whole.x2 - cut.x2, whole.y2 - cut.y2});
    if (row.view > 0 && lost > kRounding) cut.flags |= kCut;
    row.boxes.push_back(cut);
  }
}

// Rounded as the shard stores it, so that render_stored uses the same map.
Affine as_stored(Affine map) {
  for (double& value : map.m) value = static_cast<double>(static_cast<float>(value));
  return map;
}

}  // namespace

double needed_scale(const Recipe& recipe, std::int32_t source_width, std::int32_t source_height,
                    int side, std::int32_t view) {
  const Letterbox box = letterbox(source_width, source_height, side, recipe.letterbox());
  double scale = std::max(static_cast<double>(box.width) / source_width,
                          static_cast<double>(box.height) / source_height);
  if (view > 0) {
    for (const auto& augmentation : recipe.augmentations())
      scale *= augmentation->largest_zoom(source_width, source_height);
  }
  return std::min(1.0, scale);
}

void render_view(const ViewRequest& request, RenderWorkspace& workspace, ShardRow& row,
                 std::span<std::uint8_t> image) {
  const auto& [recipe, key, picture, width, height, boxes, side] = request;
  ViewFrame frame{width, height, side,
                  letterbox(width, height, side, recipe.letterbox()).source_to_frame, boxes};
  row.view = key.view;
  row.source_width = width;
  row.source_height = height;
  row.augment.assign(recipe.parameter_names().size(), 0.0f);
  if (key.view > 0) {
    draw_values(recipe, key, row.augment);
    for_each_augmentation(
        recipe, std::span(row.augment),
        [&](const Augmentation& step, std::span<float> drawn) { step.place(drawn, frame); });
  }
  row.letterbox = as_stored(frame.source_to_frame);
  render_stored({recipe, row, picture, side}, workspace, image);
  place_boxes(request, row);
}

void render_stored(const StoredView& view, RenderWorkspace& workspace,
                   std::span<std::uint8_t> image, const StepListener& after) {
  const auto& [recipe, row, picture, side] = view;
  const YccPlanes* const planes = row.view <= 0 && picture.planes ? &picture.planes : nullptr;
  assert(planes || picture.rgb.size() == 3 * static_cast<std::size_t>(picture.width) *
                                             static_cast<std::size_t>(picture.height));
  resample({picture.rgb, picture.width, picture.height, planes},
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
