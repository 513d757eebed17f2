#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/base/box.h"
#include "letterpress/shards/letterbox.h"
#include "preprocess/augment/random_engine.h"

namespace letterpress {

/// A number that an augmentation takes.
struct Parameter {
  std::string_view name;
  double otherwise = 0;      ///< when the recipe does not give it
  double low = 0, high = 0;  ///< what it may be, both ends included
  std::string_view meaning;  ///< for people, with the unit
};

/// The numbers that a recipe gives to one augmentation. Asking for a number declares it.
class Parameters {
 public:
  /// where: "mine.toml: augment 2 (hsv)", for messages.
  Parameters(std::string where, std::map<std::string, double> given);

  /// The given value or `otherwise`. Throws Error (data) unless low <= value <= high, naming the
  /// range.
  double get(const Parameter& parameter);
  /// Two numbers of which the first must not be above the second. Throws Error (data), as get or
  /// naming both.
  std::array<double, 2> get_range(const Parameter& low, const Parameter& high);
  /// After the last get: throws Error (data) when something was given that nobody asked for, the
  /// known names nearest first.
  void check_all_known() const;
  const std::map<std::string, double>& effective() const noexcept {
    return effective_;
  }  ///< with the defaults: for the recipe's JSON
  const std::string& where() const noexcept { return where_; }
  const std::vector<Parameter>& declared() const noexcept {
    return declared_;
  }  ///< in the order of asking

 private:
  std::string where_;
  std::map<std::string, double> given_, effective_;
  std::vector<Parameter> declared_;
};

/// Where a view's picture lies; what geometric augmentations change, one after the other.
struct ViewFrame {
  std::int32_t source_width = 0, source_height = 0;  ///< pixels of the displayed frame
  int side = 0;                                      ///< pixels of the square frame
  Affine source_to_frame;                            ///< starts as the clean letterbox
  std::span<const LabelBox> boxes;                   ///< labels, source pixels
};

/// The rendered frame, uint8 [side, side, 3] RGB, changed in place by colour augmentations.
struct FrameImage {
  std::span<std::uint8_t> rgb;
  int side = 0;
  std::vector<std::uint8_t>&
      scratch;  ///< memory of the thread, kept between pictures; content undefined
};

/// One step of a recipe: draws its values, then moves the picture (place) or works on the rendered
/// frame (colour), or both. All `place` come before the one resampling and all `colour` after it,
/// each in the recipe's order. Immutable: shared by all threads.
class Augmentation {
 public:
  virtual ~Augmentation() = default;
  /// Names of what is drawn, the columns of /augment: "hue" is stored as "hsv.hue".
  virtual std::span<const std::string_view> drawn_names() const noexcept = 0;
  /// drawn <- one value per drawn name, multiples of 1/65536.
  virtual void draw(RandomEngine& engine, std::span<float> drawn) const noexcept = 0;
  /// Replaces frame.source_to_frame, or composes on it (applied after what is there).
  virtual void place(std::span<const float> /*drawn*/, ViewFrame& /*frame*/) const noexcept {}
  virtual void colour(std::span<const float> /*drawn*/, FrameImage /*image*/) const {}
  /// The largest factor by which `place` can enlarge a picture of this size against its clean
  /// letterbox, >= 1.
  virtual double largest_zoom(std::int32_t /*source_width*/,
                              std::int32_t /*source_height*/) const noexcept {
    return 1;
  }
};

/// A kind of augmentation: one file that ends in its entry, one line in registry.cpp, one test.
struct AugmentationEntry {
  std::string_view name;
  std::string_view summary;  ///< one line for people; the parameters describe themselves
  std::unique_ptr<Augmentation> (*make)(Parameters& parameters);
};

std::span<const AugmentationEntry* const> augmentations() noexcept;  ///< all kinds, by name
/// What a kind takes, in its own order.
std::vector<Parameter> parameters_of(const AugmentationEntry& entry);
/// Makes one. Throws Error (data): unknown name (nearest first), unknown parameter, value out of
/// range.
std::unique_ptr<Augmentation> make_augmentation(const std::string& name, Parameters& parameters);

}  // namespace letterpress
