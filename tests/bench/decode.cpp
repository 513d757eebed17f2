#include <turbojpeg.h>

#include <algorithm>
#include <memory>
#include <string>

#include "letterpress/base/error.h"
#include "preprocess/pictures/picture.h"
#include "preprocess/recipe/recipe.h"
#include "tests/bench/registry.h"
#include "tests/bench/row_file.h"

namespace letterpress {
namespace {

enum class By {
  libjpeg,          ///< libjpeg-turbo to RGB, whole size
  libjpeg_to_side,  ///< the same at the DCT scale that a build without augmentation takes
  build,            ///< as a build decodes for its clean rows: to planes if a picture has any
};

// To RGB, with the flags of a build.
void decode_by_libjpeg(std::span<const std::byte> bytes, const PictureInfo& info, double min_scale,
                       std::vector<std::uint8_t>& rgb) {
  thread_local const std::unique_ptr<void, int (*)(tjhandle)> turbo(tjInitDecompress(), tjDestroy);
  tjscalingfactor scale{8, 8};
  while (scale.num > 1 && scale.num / 2 >= min_scale * 8) scale.num /= 2;
  const int width = TJSCALED(info.width, scale), height = TJSCALED(info.height, scale);
  rgb.resize(std::size_t{3} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  constexpr int kStrict = TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS;
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  if (tjDecompress2(turbo.get(), data, bytes.size(), rgb.data(), width, 0, height, TJPF_RGB,
                    kStrict) != 0)
    throw Error(std::string("photograph: ") + tjGetErrorStr2(turbo.get()));
}

// Photographs in memory, decoded strictly and accurately.
class Decoder {
 public:
  Decoder(const BenchmarkSetting& setting, By by) : photographs_(setting.photographs), by_(by) {
    const Recipe recipe = Recipe::load("none");
    for (const auto& bytes : photographs_) {
      const Expected<PictureInfo> info = probe(bytes, "photograph");
      if (!info) throw Error(to_string(info.reject()));
      infos_.push_back(*info);
      scales_.push_back(
          by == By::libjpeg ? 1 : needed_scale(recipe, info->width, info->height, setting.side, 0));
      bytes_ += std::int64_t{3} * info->width * info->height;
    }
  }
  std::int64_t photographs() const { return static_cast<std::int64_t>(photographs_.size()); }
  std::int64_t mean_bytes() const { return bytes_ / photographs(); }
  void decode_one(std::int64_t item) const {
    thread_local Picture picture;
    const std::size_t i = static_cast<std::size_t>(item) % photographs_.size();
    if (by_ != By::build) {
      decode_by_libjpeg(photographs_[i], infos_[i], scales_[i], picture.rgb);
    } else if (const auto reject = decode(photographs_[i], infos_[i], scales_[i], "photograph",
                                          picture, Pixels::planes)) {
      throw Error(to_string(*reject));
    }
    keep(picture.planes ? picture.planes.luma.data() : picture.rgb.data());
  }

 private:
  const std::vector<std::vector<std::byte>>& photographs_;
  By by_;
  std::vector<PictureInfo> infos_;
  std::vector<double> scales_;
  std::int64_t bytes_ = 0;
};

class Decode final : public Benchmark {
 public:
  Decode(const BenchmarkSetting& setting, By by) : decoder_(setting, by), rows_(setting.rows) {}
  std::int64_t items() const override { return rows_; }
  std::int64_t bytes_per_item() const override { return decoder_.mean_bytes(); }
  void run(std::int64_t item) override { decoder_.decode_one(item); }

 private:
  Decoder decoder_;
  std::int64_t rows_;
};

class DecodeAndRowWrite final : public Benchmark {
 public:
  DecodeAndRowWrite(const BenchmarkSetting& setting, By by)
      : decoder_(setting, by),
        rows_(setting.rows),
        row_(std::size_t{3} * static_cast<std::size_t>(setting.side) *
                 static_cast<std::size_t>(setting.side),
             114),
        file_(setting.folder, static_cast<std::int64_t>(row_.size())) {}
  std::int64_t items() const override { return rows_; }
  std::int64_t bytes_per_item() const override { return static_cast<std::int64_t>(row_.size()); }
  void begin_pass() override { file_.start(); }
  void run(std::int64_t item) override {
    decoder_.decode_one(item);
    file_.write(item, row_);
  }

 private:
  Decoder decoder_;
  std::int64_t rows_;
  std::vector<std::uint8_t> row_;
  RowFile file_;
};

template <class Subject, By by>
std::unique_ptr<Benchmark> make(const BenchmarkSetting& setting) {
  return std::make_unique<Subject>(setting, by);
}

}  // namespace

constinit const BenchmarkEntry kDecode{
    "decode",
    "decodes JPEG bytes in memory to RGB by libjpeg-turbo: whole size, strict, accurate DCT",
    make<Decode, By::libjpeg>};

constinit const BenchmarkEntry kDecodeToSide{
    "decode_to_side",
    "the same at the DCT scale that a build without augmentation takes for --size",
    make<Decode, By::libjpeg_to_side>};

constinit const BenchmarkEntry kDecodeAsBuilt{
    "decode_as_built",
    "decodes as a build does for its clean rows: to luma and chroma, without RGB",
    make<Decode, By::build>};

constinit const BenchmarkEntry kDecodeAndRowWrite{
    "decode_and_row_write", "decode, then a pwrite of one row into a fresh file",
    make<DecodeAndRowWrite, By::libjpeg>};

constinit const BenchmarkEntry kDecodeToSideAndRowWrite{
    "decode_to_side_and_row_write", "the same with decode_to_side",
    make<DecodeAndRowWrite, By::libjpeg_to_side>};

constinit const BenchmarkEntry kDecodeAsBuiltAndRowWrite{
    "decode_as_built_and_row_write", "the same with decode_as_built: no build can be faster",
    make<DecodeAndRowWrite, By::build>};

}  // namespace letterpress
