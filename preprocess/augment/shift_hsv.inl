// Included by the files that compile it for one instruction set each; anonymous, so that no two versions are merged by the linker.
#include <cstddef>
#include <cstdint>

namespace letterpress {
namespace {

constexpr int kLanes = 8;
constexpr std::size_t kBlock = 512;  // pixels: planes of one block stay in the first-level cache
typedef float Floats __attribute__((vector_size(kLanes * sizeof(float)), may_alias));

inline Floats all(float value) { return Floats{} + value; }
inline Floats larger(Floats a, Floats b) { return a > b ? a : b; }
inline Floats smaller(Floats a, Floats b) { return a < b ? a : b; }

struct Planes {
  alignas(32) float red[kBlock], green[kBlock], blue[kBlock];
};

// One channel: v - v*s*max(0, min(k, 4-k, 1)), k = (n + 6h) mod 6 (Smith 1978 in the closed form; n = 5, 3, 1 for R, G, B).
inline Floats channel(float n, Floats sixths, Floats value, Floats chroma) {
  Floats k = sixths + n;
  k = k >= 6.0f ? k - 6.0f : k;
  return value - chroma * larger(smaller(smaller(k, 4.0f - k), all(1.0f)), all(0.0f)) + 0.5f;
}

inline void shift_lanes(float* red, float* green, float* blue, float hue_sixths, float saturation, float value) {
  Floats& r = *reinterpret_cast<Floats*>(red);
  Floats& g = *reinterpret_cast<Floats*>(green);
  Floats& b = *reinterpret_cast<Floats*>(blue);
  const Floats top = larger(larger(r, g), b), bottom = smaller(smaller(r, g), b), range = top - bottom;
  const Floats per_range = 1.0f / larger(range, all(1.0f));  // bytes: a range under 1 is 0, and so is what it divides
  Floats sixths = top == r ? (g - b) * per_range : (top == g ? (b - r) * per_range + 2.0f : (r - g) * per_range + 4.0f);
  sixths = sixths + hue_sixths;
  sixths = sixths < 0.0f ? sixths + 6.0f : sixths;
  sixths = sixths >= 6.0f ? sixths - 6.0f : sixths;
  const Floats shifted_value = smaller(top * value, all(255.0f));
  const Floats shifted_saturation = smaller(range / larger(top, all(1.0f)) * saturation, all(1.0f));
  const Floats chroma = shifted_value * shifted_saturation;
  r = channel(5, sixths, shifted_value, chroma);
  g = channel(3, sixths, shifted_value, chroma);
  b = channel(1, sixths, shifted_value, chroma);
}

void shift_hsv(std::uint8_t* rgb, std::size_t n, float hue, float saturation, float value) {
  Planes planes{};
  for (; n > 0;) {
    const std::size_t count = n < kBlock ? n : kBlock;
    for (std::size_t i = 0; i < count; ++i) {
      planes.red[i] = rgb[3 * i];
      planes.green[i] = rgb[3 * i + 1];
      planes.blue[i] = rgb[3 * i + 2];
    }
    for (std::size_t i = 0; i < count; i += kLanes)
      shift_lanes(planes.red + i, planes.green + i, planes.blue + i, 6 * hue, saturation, value);
    for (std::size_t i = 0; i < count; ++i) {
      rgb[3 * i] = static_cast<std::uint8_t>(planes.red[i]);
      rgb[3 * i + 1] = static_cast<std::uint8_t>(planes.green[i]);
      rgb[3 * i + 2] = static_cast<std::uint8_t>(planes.blue[i]);
    }
    rgb += 3 * count;
    n -= count;
  }
}

}  // namespace
}  // namespace letterpress
