#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "preprocess/augment/augmentation.h"

namespace letterpress {

/// One augmentation as a recipe would make it.
inline std::unique_ptr<Augmentation> make(const std::string& name,
                                          std::map<std::string, double> given = {}) {
  Parameters parameters("mine.toml: augment 1 (" + name + ")", std::move(given));
  return make_augmentation(name, parameters);
}

/// `rgb` after the augmentation's colour step with these values.
inline std::vector<std::uint8_t> coloured(const Augmentation& augmentation,
                                          const std::vector<float>& drawn,
                                          std::vector<std::uint8_t> rgb, int side) {
  std::vector<std::uint8_t> scratch;
  augmentation.colour(drawn, {rgb, side, scratch});
  return rgb;
}

/// The frame's map after the augmentation's place step with these values.
inline Affine placed(const Augmentation& augmentation, const std::vector<float>& drawn,
                     ViewFrame frame) {
  augmentation.place(drawn, frame);
  return frame.source_to_frame;
}

/// The values that the augmentation draws for one view.
inline std::vector<float> drawn_by(const Augmentation& augmentation, std::int32_t view) {
  std::vector<float> drawn(augmentation.drawn_names().size());
  RandomEngine engine({.seed = 1, .view = view});
  augmentation.draw(engine, drawn);
  return drawn;
}

}  // namespace letterpress
