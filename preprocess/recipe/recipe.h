#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "letterpress/base/box.h"
#include "letterpress/base/hash.h"
#include "letterpress/shards/letterbox.h"
#include "letterpress/shards/shard.h"
#include "letterpress/shards/tiles.h"
#include "preprocess/pictures/picture.h"
#include "preprocess/recipe/recipe_parts.h"

namespace letterpress {

class Augmentation;
struct RecipeContent;

/// Ordered augmentations with their parameters, and the letterbox rule. Comes from a shipped name
/// or a TOML file. Immutable: shared by all threads.
class Recipe {
 public:
  /// Throws Error: (usage) for an unknown name, with the known ones, nearest first; (data) for an
  /// unknown augmentation or key, and for a value out of its range, with the range.
  static Recipe load(const std::string& name_or_file);
  /// The same recipe, which turns 16-bit pictures into 8 bits in this way. Part of json(), because
  /// it decides the rows' bytes.
  Recipe with_depth(Depth depth) &&;
  /// The same recipe, which rejects or keeps JPEGs that end early. Part of json(), because it
  /// decides which rows there are.
  Recipe with_truncated(Truncated truncated) &&;
  /// The same recipe for tiles of pictures; none: for pictures as a whole.
  Recipe with_tiles(const std::optional<TileRule>& tiles) &&;
  static std::vector<std::string> shipped();  ///< names
  /// The TOML of a shipped recipe. Throws Error (usage) for an unknown name, as load does.
  static std::string shipped_toml(const std::string& name);
  /// The recipe of a store: the reverse of json(). `where` names the store in messages. Throws
  /// Error (configuration).
  static Recipe from_json(const std::string& json, const std::string& where);
  /// The clean letterbox by `rule` and no augmentation: what a model with that rule sees
  /// (render_view's view 0).
  static Recipe clean(const LetterboxRule& rule);
  ~Recipe();
  Recipe(Recipe&&) noexcept;
  Recipe& operator=(Recipe&&) noexcept;

  const std::string& name() const noexcept;
  /// Canonical, with the defaults and without the name: part of the rows' identity.
  const std::string& json() const noexcept;
  /// A TOML from which load() makes a recipe with the same json(), but for depth, truncated and
  /// tiles: a TOML has none.
  std::string toml() const;
  /// Columns of /augment: "hsv.hue".
  const std::vector<std::string>& parameter_names() const noexcept;
  const std::vector<RecipeStepInfo>& steps() const noexcept;  ///< in the recipe's order
  const LetterboxRule& letterbox() const noexcept;
  Depth depth() const noexcept;                           ///< of 16-bit pictures
  Truncated truncated() const noexcept;                   ///< of JPEGs that end early
  const std::optional<TileRule>& tiles() const noexcept;  ///< none: pictures are whole
  const BoxRule& boxes() const noexcept;
  bool augments() const noexcept;  ///< false: there are no views but view 0 (recipe none)
  /// How much larger than in its clean letterbox a square picture can be in any view, >= 1.
  double largest_zoom() const noexcept;
  std::span<const std::unique_ptr<Augmentation>> augmentations() const noexcept;
  /// Which step undoes what another one before it has moved, and what to do; empty: none does.
  std::string fault_of_order() const;

 private:
  explicit Recipe(std::unique_ptr<RecipeContent> content);
  std::unique_ptr<RecipeContent> content_;
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

/// The smallest decode scale that keeps a view of a source_width x source_height picture at full
/// quality. View 0: by picture, side and letterbox alone, so that a clean row is the same under
/// every recipe, and what predict makes of the picture; of tiles by their scale alone. Other views:
/// also by the recipe's largest zoom, never by the draws.
double needed_scale(const Recipe& recipe, std::int32_t source_width, std::int32_t source_height,
                    int side, std::int32_t view);

/// Which view of which picture is rendered.
struct ViewRequest {
  const Recipe& recipe;
  ViewKey key{};
  /// Decoded, at needed_scale of the view or larger (of view 0: at just that), to RGB unless view 0
  /// is all that is rendered of it.
  const Picture& picture;
  std::int32_t source_width = 0, source_height = 0;  ///< pixels of the displayed frame
  std::span<const LabelBox> boxes{};                 ///< in that frame's pixels
  int side = 0;                                      ///< pixels of the square frame
  std::int32_t tile = 0;  ///< of a recipe with tiles: number in the picture's TileGrid
};

/// row <- all that render_view() says of it; the request's picture is not read.
void place_view(const ViewRequest& request, ShardRow& row);

/// A box of the source in the frame, cut at its edges (kCut set where it was). A box that is turned
/// or cut is the one around what is shown of the label's outline, where it has one, else of the
/// label's box. rule: none is the result where the rule does not keep what is left; nullptr: the
/// label's box as it is, all are kept, and no cut is said.
std::optional<LabelBox> box_in_frame(const LabelBox& box, const Affine& source_to_frame, int side,
                                     const BoxRule* rule);

/// Renders one view. View 0 is the clean letterbox; the others draw their parameters from an engine
/// keyed by `key`, rounded to 1/65536 before use. View 0 is blended while the picture is planes,
/// where it has any: that touches fewer bytes, and only the row's lines become RGB. Other views are
/// resampled from RGB, and so are tiles, whose augmented views show the picture around the tile
/// where they turn or shrink it. image <- uint8 [side, side, 3]; row <- boxes in the frame (kCut
/// set where the augmentation or a tile cut one), letterbox affine, source size, tile, view,
/// augment. The caller sets source_hash, label and status. Gives the same bytes for the same
/// arguments on every x86-64 host and thread.
void render_view(const ViewRequest& request, RenderWorkspace& workspace, ShardRow& row,
                 std::span<std::uint8_t> image);

/// A view whose row is stored already. Of the row, letterbox, augment and view are read.
struct StoredView {
  const Recipe& recipe;
  const ShardRow& row;
  const Picture& picture;  ///< of the same bytes, decoded at the view's needed_scale; of one in
                           ///< bands, with the view's lines_of
  int side = 0;            ///< pixels of the square frame
};

/// Lines of the decoded picture, [first, end).
struct LineRange {
  std::int32_t first = 0, end = 0;
};
/// Those that render_stored reads at most; of the picture only its size and scale are looked at.
LineRange lines_of(const StoredView& view);
/// Whether rgb has them. Of a frame that shows nothing of the picture none is read.
bool has_lines(const Picture& picture, const LineRange& wanted);
/// Rounded as the shard stores it, so that what is drawn from a row later uses the same map.
Affine as_stored(Affine map);
/// Decoded pixels -> pixels of the displayed frame.
Affine picture_to_source(const Picture& picture);

/// Is called while a picture is rendered: with 0 after the resampling, with n after the n-th
/// augmentation has changed the frame.
using StepListener = std::function<void(std::size_t step)>;

/// image <- the bytes that render_view gave, from the values that the row stores: nothing is drawn
/// at random.
void render_stored(const StoredView& view, RenderWorkspace& workspace,
                   std::span<std::uint8_t> image, const StepListener& after = {});

}  // namespace letterpress
