#include <algorithm>
#include <string>

#include "letterpress/base/error.h"
#include "preprocess/pictures/picture.h"
#include "preprocess/recipe/recipe.h"
#include "tests/bench/registry.h"
#include "tests/bench/row_file.h"

namespace letterpress {
namespace {

// The decoder of a build, strict and accurate, on photographs in memory.
class Decoder {
 public:
  Decoder(const BenchmarkSetting& setting, bool to_side) : photographs_(setting.photographs) {
    const Recipe recipe = Recipe::load("none");
    for (const auto& bytes : photographs_) {
      const Expected<PictureInfo> info = probe(bytes, "photograph");
      if (!info) throw Error(to_string(info.reject()));
      infos_.push_back(*info);
      scales_.push_back(to_side ? needed_scale(recipe, info->width, info->height, setting.side) : 1);
      bytes_ += std::int64_t{3} * info->width * info->height;
    }
  }
  std::int64_t photographs() const { return static_cast<std::int64_t>(photographs_.size()); }
  std::int64_t mean_bytes() const { return bytes_ / photographs(); }
  void decode_one(std::int64_t item) const {
    thread_local Picture picture;
    const std::size_t i = static_cast<std::size_t>(item) % photographs_.size();
    if (const auto reject = decode(photographs_[i], infos_[i], scales_[i], "photograph", picture)) throw Error(to_string(*reject));
    keep(picture.rgb.data());
  }

 private:
  const std::vector<std::vector<std::byte>>& photographs_;
  std::vector<PictureInfo> infos_;
  std::vector<double> scales_;
  std::int64_t bytes_ = 0;
};

class Decode final : public Benchmark {
 public:
  Decode(const BenchmarkSetting& setting, bool to_side) : decoder_(setting, to_side), rows_(setting.rows) {}
  std::int64_t items() const override { return rows_; }
  std::int64_t bytes_per_item() const override { return decoder_.mean_bytes(); }
  void run(std::int64_t item) override { decoder_.decode_one(item); }

 private:
  Decoder decoder_;
  std::int64_t rows_;
};

class DecodeAndRowWrite final : public Benchmark {
 public:
  DecodeAndRowWrite(const BenchmarkSetting& setting, bool to_side)
      : decoder_(setting, to_side),
        rows_(setting.rows),
        row_(std::size_t{3} * static_cast<std::size_t>(setting.side) * static_cast<std::size_t>(setting.side), 114),
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

}  // namespace

constinit const BenchmarkEntry kDecode{
    "decode", "JPEG bytes in memory to RGB, whole size: strict, accurate DCT",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> { return std::make_unique<Decode>(setting, false); }};

constinit const BenchmarkEntry kDecodeToSide{
    "decode_to_side", "the same at the DCT scale that a build without augmentation takes for --side",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> { return std::make_unique<Decode>(setting, true); }};

constinit const BenchmarkEntry kDecodeAndRowWrite{
    "decode_and_row_write", "decode, then pwrite of a row into a fresh file: what no build can beat",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> { return std::make_unique<DecodeAndRowWrite>(setting, false); }};

constinit const BenchmarkEntry kDecodeToSideAndRowWrite{
    "decode_to_side_and_row_write", "the same with decode_to_side",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> { return std::make_unique<DecodeAndRowWrite>(setting, true); }};

}  // namespace letterpress
