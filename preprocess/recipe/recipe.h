#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "letterpress/base/box.h"
#include "letterpress/base/hash.h"
#include "letterpress/shards/letterbox.h"
#include "letterpress/shards/shard.h"
#include "preprocess/pictures/picture.h"

namespace letterpress {

class Augmentation;

/// Which boxes of an augmented view are kept after they were cut at the frame. View 0 keeps all.
struct BoxRule {
  double min_side = 0;  ///< pixels of the frame: both sides must be longer
  double min_area = 0;  ///< share 0..1 of the box's area that must be left
  bool operator==(const BoxRule&) const = default;
};

/// One augmentation of a recipe: its kind and its columns [first, first + count) of /augment.
struct RecipeStepInfo {
  std::string kind;
  std::size_t first = 0, count = 0;
};

/// Ordered augmentations with their parameters, and the letterbox rule. From a shipped name or a
/// TOML file; immutable, shared by all threads.
class Recipe {
 public:
  /// Throws Error: (usage) unknown name, nearest first; (data) unknown augmentation or key, value
  /// out of its range (the range is named).
  static Recipe load(const std::string& name_or_file);
  /// The same with 16-bit pictures made 8 bits in this way; part of json(), for it decides the
  /// rows' bytes.
  Recipe with_depth(Depth depth) &&;
  static std::vector<std::string> shipped();  ///< names
  /// The TOML of a shipped recipe. Throws Error (usage): unknown name (nearest first).
  static std::string shipped_toml(const std::string& name);
  /// The recipe of a store: the reverse of json(). Throws Error (configuration) naming `where`.
  static Recipe from_json(const std::string& json, const std::string& where);
  /// The clean letterbox by `rule` and no augmentation: what a model with that rule is shown
  /// (render_view's view 0).
  static Recipe clean(const LetterboxRule& rule);
  ~Recipe();
  Recipe(Recipe&&) noexcept;

  const std::string& name() const noexcept;
  const std::string& json() const
      noexcept;  ///< canonical, defaults included, name left out: what the rows' identity contains
  std::string toml() const;  ///< what load() makes this recipe of again, to the same json(); depth
                             ///< is no part of a TOML
  const std::vector<std::string>& parameter_names()
      const noexcept;                                         ///< columns of /augment, "hsv.hue"
  const std::vector<RecipeStepInfo>& steps() const noexcept;  ///< in the order of the recipe
  const LetterboxRule& letterbox() const noexcept;
  Depth depth() const noexcept;  ///< of 16-bit pictures
  const BoxRule& boxes() const noexcept;
  bool augments() const noexcept;  ///< false: views beside 0 make no sense (recipe none)
  double largest_zoom()
      const noexcept;  ///< of any view of a square picture against its clean letterbox, >= 1
  std::span<const std::unique_ptr<Augmentation>> augmentations() const noexcept;

  struct Content;

 private:
  explicit Recipe(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

/// Names one view of one picture: the key of its random draws.
struct ViewKey {
  std::uint64_t seed = 1, draw = 0;
  Hash128 source_hash{};
  std::int32_t view = 0;
};

/// Memory that a thread keeps between views.
struct RenderWorkspace;
struct RenderWorkspaceDeleter {
  void operator()(RenderWorkspace*) const;
};
using RenderWorkspacePointer = std::unique_ptr<RenderWorkspace, RenderWorkspaceDeleter>;
RenderWorkspacePointer make_render_workspace();

/// The smallest decode scale that keeps every view of a source_width x source_height picture at
/// full quality: from picture, side and the recipe's largest zoom, never from the draws.
double needed_scale(const Recipe& recipe, std::int32_t source_width, std::int32_t source_height,
                    int side);

/// One view. View 0 is the clean letterbox, others draw their parameters from an engine keyed by
/// `key`, rounded to 1/65536 before use. View 0 is blended while the picture is planes, where it
/// has any: fewer bytes, and only the row's lines become RGB. Other views are resampled from RGB.
/// picture: decoded (maybe at reduced scale), to RGB unless view 0 is all that is asked for;
/// source_width, source_height: the displayed frame's pixels; boxes: in that frame. image <- uint8
/// [side, side, 3]; row <- boxes in the frame (kCut set where the augmentation cut one), letterbox
/// affine, source size, view, augment. The caller sets source_hash, label, status. Same bytes for
/// the same arguments on every x86-64 host, whatever the thread.
void render_view(const Recipe& recipe, const ViewKey& key, const Picture& picture,
                 std::int32_t source_width, std::int32_t source_height,
                 std::span<const LabelBox> boxes, int side, RenderWorkspace& workspace,
                 ShardRow& row, std::span<std::uint8_t> image);

/// Hears how a picture is drawn: 0 after the resampling, n after the n-th augmentation has worked
/// on the frame.
using StepListener = std::function<void(std::size_t step)>;

/// The pixels of a view from what its row stores, without drawing anything: row.letterbox,
/// row.augment and row.view are read. picture: of the same bytes, decoded at needed_scale. The
/// result is what render_view made of it, to the byte.
void render_drawn(const Recipe& recipe, const ShardRow& row, const Picture& picture, int side,
                  RenderWorkspace& workspace, std::span<std::uint8_t> image,
                  const StepListener& after = {});

}  // namespace letterpress
