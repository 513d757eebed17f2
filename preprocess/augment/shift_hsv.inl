// Each file that includes this compiles it for one instruction set. It defines LETTERPRESS_LANES,
// the number of pixels per step, before the include, and the functions that are only declared here
// after it. All is anonymous, so that the linker merges no two versions.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace letterpress {
namespace {

constexpr int kLanes = LETTERPRESS_LANES;
constexpr std::size_t kLaneBytes = 3 * kLanes;
typedef std::int16_t Words __attribute__((vector_size(kLanes * sizeof(std::int16_t)), may_alias));
typedef std::uint16_t Unsigned
    __attribute__((vector_size(kLanes * sizeof(std::uint16_t)), may_alias));
typedef float Floats __attribute__((vector_size(kLanes / 2 * sizeof(float)), may_alias));

struct Pixels {
  Words red, green, blue;
};
Pixels load_pixels(const std::uint8_t* rgb);                 // reads kLaneBytes
void store_pixels(const Pixels& pixels, std::uint8_t* rgb);  // of 0..255; writes kLaneBytes

Words larger(Words a, Words b);
Words smaller(Words a, Words b);
Words magnitude(Words a);
Words rounded_product(Words a, Words b);         // a * b / 2^15
Unsigned upper_product(Unsigned a, Unsigned b);  // a * b / 2^16, rounded down
Unsigned smaller(Unsigned a, Unsigned b);
Unsigned difference_or_0(Unsigned a, Unsigned b);
bool any(Words bits);  // whether any is set
struct Halves {
  Floats some, others;
};
Halves to_floats(Words words);                // of 0..32767
Unsigned rounded_down(const Halves& floats);  // of 0..65535.99; undoes the order of to_floats
Floats larger(Floats a, Floats b);
Floats smaller(Floats a, Floats b);

inline Words all(int value) { return Words{} + static_cast<std::int16_t>(value); }
inline Unsigned all_unsigned(int value) { return Unsigned{} + static_cast<std::uint16_t>(value); }

// The shift as whole numbers of 16 bits.
struct HsvShift {
  float saturation, value;  // factors
  // Value and chroma are computed in 1 / 2^bits of a level; at least 1, enough for 10 * 10.
  int bits;
  std::int16_t hue;                           // sixths of a turn, times 2^12
  std::int16_t saturation_scaled;             // times 2^11
  std::uint16_t value_scaled, chroma_scaled;  // value, and saturation * value, times 2^(bits + 8)
  std::int16_t most_unclipped;                // the largest channel that stays within 255

  HsvShift(float hue_turns, float saturation_factor, float value_factor)
      : saturation(saturation_factor), value(value_factor), bits(7) {
    while (bits > 1 && std::max(value, saturation * value) * at(bits + 8) > 65535.0f) --bits;
    hue = static_cast<std::int16_t>(std::lrint(6 * hue_turns * at(12)));
    saturation_scaled = static_cast<std::int16_t>(std::lrint(saturation * at(11)));
    value_scaled = static_cast<std::uint16_t>(std::lrint(value * at(bits + 8)));
    chroma_scaled = static_cast<std::uint16_t>(std::lrint(saturation * value * at(bits + 8)));
    most_unclipped = static_cast<std::int16_t>(std::min(255.0f, 255 / value));
  }

  static float at(int exponent) { return static_cast<float>(1 << exponent); }
};

// The hue in sixths of a turn, times 16 times the range, so that nothing is divided by the range.
// That is 0..96 times the range, in between -64..128 times it, at most 32640.
inline Words shifted_hue(const Pixels& p, Words top, Words range, const HsvShift& shift) {
  const Words from_red = p.green - p.blue, from_green = p.blue - p.red + 2 * range,
              from_blue = p.red - p.green + 4 * range;
  const Words hue = top == p.red ? from_red : (top == p.green ? from_green : from_blue);
  const Words moved = (hue << 4) + rounded_product(range << 7, all(shift.hue)), turn = 96 * range;
  const Words not_below = moved + (moved < 0 ? turn : Words{});
  return not_below - (not_below >= turn ? turn : Words{});
}

// Chroma per range, as HsvShift::chroma_scaled, for pixels with a clipped value or saturation.
inline Floats clipped_chroma(Floats top, Floats range, const HsvShift& shift) {
  const Floats one = Floats{} + 1.0f, whole_top = larger(top, one),
               whole_range = larger(range, one);
  const Floats per_both = 1.0f / (whole_top * whole_range),
               value = smaller(whole_top * shift.value, Floats{} + 255.0f);
  const Floats chroma =
      smaller(value * (per_both * whole_range) * shift.saturation, value * (per_both * whole_top));
  return chroma * HsvShift::at(shift.bits + 8) + 0.5f;
}
inline Unsigned clipped_chroma(Words top, Words range, const HsvShift& shift) {
  const Halves tops = to_floats(top), ranges = to_floats(range);
  return rounded_down({clipped_chroma(tops.some, ranges.some, shift),
                       clipped_chroma(tops.others, ranges.others, shift)});
}

// Smith 1978 ("Color gamut transform pairs") in its closed form: a channel is v - v*s*w; w depends
// on the distance between the hue and the channel's. v*s is the range times a factor that is the
// same for all pixels unless something is clipped. Scaled, none of these is above 65535: top, range
// and the weight by 2^8, value and chroma by HsvShift's bits. A pixel that is clipped by less than
// a sixteenth of a level counts as not clipped, so the chroma may exceed the value by as much.
inline Pixels shifted(const Pixels& p, const HsvShift& shift) {
  const Words top = larger(larger(p.red, p.green), p.blue),
              range = top - smaller(smaller(p.red, p.green), p.blue);
  const Words hue = shifted_hue(p, top, range, shift), most = range << 4;
  Unsigned chroma = all_unsigned(shift.chroma_scaled);
  const Words clipped = (top > shift.most_unclipped) |
                        (rounded_product(range << 7, all(shift.saturation_scaled)) > (top << 3));
  if (any(clipped)) chroma = clipped ? clipped_chroma(top, range, shift) : chroma;
  const Unsigned value =
      smaller(upper_product(Unsigned(top << 8), all_unsigned(shift.value_scaled)),
              all_unsigned(255 << shift.bits));
  const Unsigned rounded = value + static_cast<std::uint16_t>((1 << shift.bits) >> 1);
  const auto channel = [&](Unsigned weight) {  // times 16 times the range
    const Unsigned inside = smaller(weight, Unsigned(most));
    return Words(upper_product(difference_or_0(rounded, upper_product(inside << 4, chroma)),
                               all_unsigned(1 << (16 - shift.bits))));
  };
  const auto from = [&](Words centre) { return Unsigned(magnitude(hue - centre)); };
  const Unsigned red = difference_or_0(Unsigned(2 * most), from(3 * most));
  return {channel(red), channel(difference_or_0(from(2 * most), Unsigned(most))),
          channel(difference_or_0(from(4 * most), Unsigned(most)))};
}

inline bool same(const Pixels& a, const Pixels& b) {
  return !any((a.red ^ b.red) | (a.green ^ b.green) | (a.blue ^ b.blue));
}

// The frame around a picture has one colour: lanes equal to those before are not computed again.
void shift_hsv(std::uint8_t* rgb, std::size_t n, float hue, float saturation, float value) {
  const HsvShift shift(hue, saturation, value);
  Pixels before{}, after{};  // black stays black
  const auto shift_lanes = [&](std::uint8_t* lanes) {
    const Pixels pixels = load_pixels(lanes);
    if (!same(pixels, before)) {
      before = pixels;
      after = shifted(pixels, shift);
    }
    store_pixels(after, lanes);
  };
  for (; n >= kLanes; n -= kLanes, rgb += kLaneBytes) shift_lanes(rgb);
  if (n == 0) return;
  std::uint8_t rest[kLaneBytes] = {};
  std::memcpy(rest, rgb, 3 * n);
  shift_lanes(rest);
  std::memcpy(rgb, rest, 3 * n);
}

}  // namespace
}  // namespace letterpress
