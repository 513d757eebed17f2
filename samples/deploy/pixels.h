#pragma once
// What a model sees of a picture file, in C++: the bytes that `build` stores as a clean row and
// that letterpress-predict gives to the network. docs/reference/pixels.md says the same in words.
// Needs libjpeg-turbo and, for formats other than JPEG, OpenCV's imdecode. Does not turn JPEGs by
// EXIF, nor read those in CMYK, nor pictures of more than 8 bits per channel.
#include <turbojpeg.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>
#include <string>
#include <vector>

using Bytes = std::vector<unsigned char>;
using Json = nlohmann::json;

/// Of one picture; others may be read.
struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Taps {  // what one line or column of the frame takes of the picture's
  int start = 0;
  std::vector<int> weight;  // in 1/16384
};
struct Axis {
  int first = 0;  // line or column of the frame
  std::vector<Taps> taps;
};

double kernel(double x, bool cubic) {
  if (!cubic) return std::max(0.0, 1 - x);
  return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : x < 2 ? ((x - 5) * x + 8) * x * -0.5 + 2 : 0;
}

Axis axis_of(double scale, double offset, int size, int side, bool cubic) {
  const double wide = scale < 1 && (cubic || 1 / scale > 1.5) ? 1 / scale : 1,
               radius = cubic ? 2 * wide : wide;
  Axis axis;
  for (int i = 0; i < side; ++i) {
    const double centre = (i + 0.5 - offset) / scale;
    if (centre < 0 || centre >= size) continue;
    if (axis.taps.empty()) axis.first = i;
    const int low = std::max(0, static_cast<int>(centre - radius + 0.5)),
              high = std::min(size, static_cast<int>(centre + radius + 0.5));
    std::vector<double> exact;
    double total = 0;
    for (int k = low; k < high; ++k)
      total += exact.emplace_back(kernel(std::abs(k + 0.5 - centre) / wide, cubic));
    Taps taps{low, {}};
    int left = 16384;
    for (const double value : exact)
      left -= taps.weight.emplace_back(static_cast<int>(std::floor(value * (16384 / total) + 0.5)));
    *std::max_element(taps.weight.begin(), taps.weight.end()) += left;
    axis.taps.push_back(taps);
  }
  return axis;
}

// Value x of the blended lines of `stride` bytes: less 128 levels, in 1/128.
int blended(const Bytes& lines, int stride, const Taps& taps, int x) {
  int sum = 0;
  for (std::size_t k = 0; k < taps.weight.size(); ++k)
    sum += (((lines[(taps.start + k) * stride + x] - 128) * 256) * taps.weight[k] + 16384) >> 15;
  return sum;
}
unsigned char level(int value) { return static_cast<unsigned char>(std::clamp(value, 0, 255)); }
unsigned char whole(int blended) { return level((blended + 16384 + 64) >> 7); }

struct Picture {
  int size[2]{};                  // of the file
  int eighths = 8;                // the scale at which it is decoded
  int subsampling = TJSAMP_GRAY;  // of planes
  Bytes rgb, planes[3];           // one of them
};

// The pixels of a JPEG whose header was read. Returns whether libjpeg found no fault.
bool decode_jpeg(const Bytes& bytes, void* jpeg, bool has_planes, Picture& picture) {
  const auto [width, height] = picture.size;
  if (picture.eighths == 8 && has_planes && std::min(width, height) > 15) {
    unsigned char* planes[3];
    for (int i = 0; i < 3; ++i) {
      picture.planes[i].resize(tjPlaneSizeYUV(i, width, 0, height, picture.subsampling));
      planes[i] = picture.planes[i].data();
    }
    return tjDecompressToYUVPlanes(jpeg, bytes.data(), bytes.size(), planes, width, nullptr, height,
                                   TJFLAG_ACCURATEDCT) == 0;
  }
  const tjscalingfactor scale{picture.eighths, 8};
  const int scaled_width = TJSCALED(width, scale), scaled_height = TJSCALED(height, scale);
  picture.rgb.resize(std::size_t{3} * scaled_width * scaled_height);
  return tjDecompress2(jpeg, bytes.data(), bytes.size(), picture.rgb.data(), scaled_width, 0,
                       scaled_height, TJPF_RGB, TJFLAG_ACCURATEDCT) == 0;
}

// eighths_for(size): at which a JPEG of this size is to be decoded.
Picture decode(const std::string& file, const auto& eighths_for) {
  std::ifstream stream(file, std::ios::binary);
  const Bytes bytes(std::istreambuf_iterator<char>(stream), {});
  const std::unique_ptr<void, int (*)(void*)> jpeg(tjInitDecompress(), tjDestroy);
  Picture picture;
  int& kind = picture.subsampling;
  int colours = 0;
  if (tjDecompressHeader3(jpeg.get(), bytes.data(), bytes.size(), &picture.size[0],
                          &picture.size[1], &kind, &colours) == 0) {
    picture.eighths = eighths_for(picture.size);
    const bool has_planes =
        colours == TJCS_YCbCr && (kind == TJSAMP_420 || kind == TJSAMP_422 || kind == TJSAMP_444);
    if (decode_jpeg(bytes, jpeg.get(), has_planes, picture)) return picture;
    throw Unreadable(file + ": " + tjGetErrorStr2(jpeg.get()));
  }
  const cv::Mat bgr =
      bytes.empty() ? cv::Mat() : cv::imdecode(bytes, cv::IMREAD_COLOR | cv::IMREAD_ANYDEPTH);
  if (bgr.empty()) throw Unreadable(file + ": is not a readable picture");
  if (bgr.depth() != CV_8U)
    throw Unreadable(file + ": has more than 8 bits per channel, which is not read here");
  picture = {{bgr.cols, bgr.rows}, 8, TJSAMP_GRAY, {bgr.datastart, bgr.dataend}, {}};
  for (std::size_t i = 0; i < picture.rgb.size(); i += 3)
    std::swap(picture.rgb[i], picture.rgb[i + 2]);
  return picture;
}

// One line of RGB, blended of a JPEG's planes: chroma is enlarged across after that, 3 to 1.
Bytes line_of_planes(const Picture& picture, const Taps& luma, const Taps& chroma) {
  const bool across = picture.subsampling != TJSAMP_444, down = picture.subsampling == TJSAMP_420;
  const int n = across ? (picture.size[0] + 1) / 2 : picture.size[0];
  std::vector<int> words[2];
  for (int c = 0; c < 2; ++c) {
    for (int x = 0; x < n; ++x)
      words[c].push_back((blended(picture.planes[c + 1], n, chroma, x) + 16) >> 5);
  }
  const auto at = [&](const std::vector<int>& word, int x) {
    if (!across) return (word[x] + 2) >> 2;
    const int far = std::clamp(x % 2 ? x / 2 + 1 : x / 2 - 1, 0, n - 1);
    return (3 * word[x / 2] + word[far] + (x % 2 ? (down ? 7 : 8) : (down ? 8 : 4))) >> 4;
  };
  Bytes line;
  for (int x = 0; x < picture.size[0]; ++x) {
    const int y = whole(blended(picture.planes[0], across ? 2 * n : n, luma, x));
    const int cb = at(words[0], x), cr = at(words[1], x);
    for (const int add : {91881 * cr, -22554 * cb - 46802 * cr, 116130 * cb})
      line.push_back(level(y + ((add + 32768) >> 16)));
  }
  return line;
}

struct Letterbox {
  double scale[2], offset[2];
};

Letterbox letterbox_of(const int (&size)[2], int side, const Json& rule) {
  double z = std::min(1.0 * side / size[0], 1.0 * side / size[1]);
  if (rule["scale"] == "shrink") z = std::min(z, 1.0);
  Letterbox box{};
  for (int i = 0; i < 2; ++i) {
    const double exact = size[i] * z;
    const double inner = std::clamp(
        rule["rounding"] == "nearest" ? std::nearbyint(exact) : std::trunc(exact), 1.0, 1.0 * side);
    box.scale[i] = static_cast<float>(inner / size[i]);
    box.offset[i] = rule["place"] == "centre" ? std::floor((side - inner) / 2) : 0;
  }
  return box;
}

// float32 [3, side, side], 0..1
std::vector<float> frame_of(const Picture& picture, const Letterbox& box, int side,
                            const Json& rule) {
  const bool cubic = rule["resize"] == "cubic", planes = picture.rgb.empty();
  const double more = 8.0 / picture.eighths;
  const auto decoded = [&](int n) { return (n * picture.eighths + 7) / 8; };
  const int width = decoded(picture.size[0]), height = decoded(picture.size[1]);
  const Axis x = axis_of(box.scale[0] * more, box.offset[0], width, side, cubic);
  const Axis y = axis_of(box.scale[1] * more, box.offset[1], height, side, cubic);
  const int halves = picture.subsampling == TJSAMP_420 ? 2 : 1;
  const Axis chroma =
      axis_of(box.scale[1] * halves, box.offset[1], (height + halves - 1) / halves, side, cubic);
  std::vector<float> frame(std::size_t{3} * side * side, rule["fill"].get<float>() / 255);
  for (std::size_t i = 0; i < y.taps.size(); ++i) {
    Bytes line;
    if (planes) {
      line = line_of_planes(picture, y.taps[i], chroma.taps[i + y.first - chroma.first]);
    } else {
      for (int k = 0; k < 3 * width; ++k)
        line.push_back(whole(blended(picture.rgb, 3 * width, y.taps[i], k)));
    }
    for (std::size_t k = 0; k < x.taps.size(); ++k) {
      for (int c = 0; c < 3; ++c) {
        int sum = 8192;
        for (std::size_t t = 0; t < x.taps[k].weight.size(); ++t)
          sum += line[3 * (x.taps[k].start + t) + c] * x.taps[k].weight[t];
        frame[(std::size_t(c) * side + y.first + i) * side + x.first + k] =
            level(sum >> 14) / 255.0f;
      }
    }
  }
  return frame;
}
