// Included by the files that compile it for one instruction set each; anonymous, so that no two versions are merged by the linker. They
// define LETTERPRESS_LANES, how many pixels are done at a time, before it and the functions that are declared first after it.
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace letterpress {
namespace {

constexpr int kLanes = LETTERPRESS_LANES;
constexpr std::size_t kLaneBytes = 3 * kLanes;
typedef float Floats __attribute__((vector_size(kLanes * sizeof(float)), may_alias));

struct Pixels {
  Floats red, green, blue;
};
Pixels load_pixels(const std::uint8_t* rgb);                 // reads kLaneBytes, to 0..255
void store_pixels(const Pixels& pixels, std::uint8_t* rgb);  // 0..255.99, rounded down; writes kLaneBytes

Floats larger(Floats a, Floats b);
Floats smaller(Floats a, Floats b);
Floats size(Floats a);

inline Floats all(float value) { return Floats{} + value; }
inline Floats in_unit(Floats a) { return smaller(larger(a, Floats{}), all(1.0f)); }

// The hue in sixths of a turn, 0..6, from the channels' differences over their range.
inline Floats hue_of(const Pixels& p, Floats top, Floats per_range) {
  const Floats from_red = (p.green - p.blue) * per_range, from_green = (p.blue - p.red) * per_range + 2.0f;
  return top == p.red ? from_red : (top == p.green ? from_green : (p.red - p.green) * per_range + 4.0f);
}

// Smith 1978 ("Color gamut transform pairs") in its closed form: a channel is v - v*s*w, w by the distance of the hue from the channel's.
inline Pixels shifted(const Pixels& p, float hue_sixths, float saturation, float value) {
  const Floats top = larger(larger(p.red, p.green), p.blue), range = top - smaller(smaller(p.red, p.green), p.blue);
  const Floats whole_top = larger(top, all(1.0f)),
               whole_range = larger(range, all(1.0f));  // bytes: under 1 is 0, and so is what it divides
  const Floats per_both = 1.0f / (whole_top * whole_range);
  Floats hue = hue_of(p, top, per_both * whole_top) + hue_sixths;
  hue = hue + (hue < 0.0f ? all(6.0f) : Floats{});
  hue = hue - (hue >= 6.0f ? all(6.0f) : Floats{});
  const Floats new_value = smaller(top * value, all(255.0f));
  const Floats chroma = new_value * smaller(range * (per_both * whole_range) * saturation, all(1.0f));
  const Floats rounded = new_value + 0.5f;
  return {rounded - chroma * in_unit(2.0f - size(hue - 3.0f)), rounded - chroma * in_unit(size(hue - 2.0f) - 1.0f),
          rounded - chroma * in_unit(size(hue - 4.0f) - 1.0f)};
}

inline bool same(const std::uint8_t* a, const std::uint8_t* b) {
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < kLaneBytes; i += sizeof difference) {
    std::uint64_t left, right;
    std::memcpy(&left, a + i, sizeof left);
    std::memcpy(&right, b + i, sizeof right);
    difference |= left ^ right;
  }
  return difference == 0;
}

// The frame around a picture is of one colour: what the lanes before held is not worked out again.
void shift_hsv(std::uint8_t* rgb, std::size_t n, float hue, float saturation, float value) {
  std::uint8_t before[kLaneBytes] = {}, after[kLaneBytes];
  store_pixels(shifted(load_pixels(before), 6 * hue, saturation, value), after);
  for (; n >= kLanes; n -= kLanes, rgb += kLaneBytes) {
    if (!same(rgb, before)) {
      std::memcpy(before, rgb, kLaneBytes);
      store_pixels(shifted(load_pixels(rgb), 6 * hue, saturation, value), after);
    }
    std::memcpy(rgb, after, kLaneBytes);
  }
  if (n == 0) return;
  std::uint8_t rest[kLaneBytes] = {};
  std::memcpy(rest, rgb, 3 * n);
  store_pixels(shifted(load_pixels(rest), 6 * hue, saturation, value), rest);
  std::memcpy(rgb, rest, 3 * n);
}

}  // namespace
}  // namespace letterpress
