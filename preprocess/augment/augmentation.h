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
  double otherwise = 0;      ///< if the recipe does not give it
  double low = 0, high = 0;  ///< its range, both ends included
  std::string_view meaning;  ///< for people, with the unit
};

/// The numbers that a recipe gives to one augmentation. get() declares a number.
class Parameters {
 public:
  /// where: "mine.toml: augment 2 (hsv)", for messages.
  Parameters(std::string where, std::map<std::string, double> given);

  /// Returns the given value or `otherwise`. Throws Error (data) with the range unless low <= value
  /// <= high.
  double get(const Parameter& parameter);
  /// Returns two numbers. Throws Error (data) as get does, and if the first is above the second.
  std::array<double, 2> get_range(const Parameter& low, const Parameter& high);
  /// After the last get: throws Error (data) if the recipe gives something that was not declared,
  /// with the known names, nearest first.
  void check_all_known() const;
  /// The values with the defaults: for the recipe's JSON.
  const std::map<std::string, double>& effective() const noexcept { return effective_; }
  const std::string& where() const noexcept { return where_; }
  /// In the order of the calls of get().
  const std::vector<Parameter>& declared() const noexcept { return declared_; }

 private:
  std::string where_;
  std::map<std::string, double> given_, effective_;
  std::vector<Parameter> declared_;
};

/// Where a view's picture lies. Geometric augmentations change it, one after the other.
struct ViewFrame {
  std::int32_t source_width = 0, source_height = 0;  ///< pixels of the displayed frame
  int side = 0;                                      ///< pixels of the square frame
  Affine source_to_frame;                            ///< starts as the clean letterbox
  std::span<const LabelBox> boxes;                   ///< labels without outlines, source pixels
};

/// The rendered frame, uint8 [side, side, 3] RGB. Colour augmentations change it in place.
struct FrameImage {
  std::span<std::uint8_t> rgb;
  int side = 0;
  /// Memory of the thread, kept between pictures; its content is undefined.
  std::vector<std::uint8_t>& scratch;
};

/// One step of a recipe: draws its values, then moves the picture (place) or changes the rendered
/// frame (colour), or both. All `place` come before the one resampling and all `colour` after it,
/// each in the recipe's order. Immutable: shared by all threads.
class Augmentation {
 public:
  virtual ~Augmentation() = default;
  /// Names of the drawn values, the columns of /augment: "hue" is stored as "hsv.hue".
  virtual std::span<const std::string_view> drawn_names() const noexcept = 0;
  /// drawn <- one value per name, multiples of 1/65536.
  virtual void draw(RandomEngine& engine, std::span<float> drawn) const noexcept = 0;
  /// Replaces frame.source_to_frame, or puts another map after it.
  virtual void place(std::span<const float> /*drawn*/, ViewFrame& /*frame*/) const noexcept {}
  virtual void colour(std::span<const float> /*drawn*/, FrameImage /*image*/) const {}
  /// How much larger than in its clean letterbox `place` can make a picture of this size, >= 1.
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
  /// Where the picture lies: not at all, after what steps before have done, or as if there were
  /// none.
  enum class Moves { no, after, anew };
  Moves moves = Moves::no;
};

std::span<const AugmentationEntry* const> augmentations() noexcept;  ///< all kinds, by name
/// The parameters of a kind, in its own order.
std::vector<Parameter> parameters_of(const AugmentationEntry& entry);
/// Throws Error (data) for an unknown name or parameter, with the known ones, nearest first, and
/// for a value out of its range.
std::unique_ptr<Augmentation> make_augmentation(const std::string& name, Parameters& parameters);

}  // namespace letterpress
