#include "letterpress/base/hash.h"
#include "tests/bench/registry.h"
#include "tests/bench/row_file.h"

namespace letterpress {
namespace {

std::int64_t row_bytes(const BenchmarkSetting& setting) {
  return std::int64_t{3} * setting.side * setting.side;
}

std::vector<std::uint8_t> some_row(const BenchmarkSetting& setting) {
  std::vector<std::uint8_t> row(static_cast<std::size_t>(row_bytes(setting)));
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = static_cast<std::uint8_t>(i * 2654435761U >> 24);
  return row;
}

class RowBenchmark : public Benchmark {
 public:
  explicit RowBenchmark(const BenchmarkSetting& setting)
      : row_(some_row(setting)), rows_(setting.rows), file_(setting.folder, row_bytes(setting)) {}
  std::int64_t items() const override { return rows_; }
  std::int64_t bytes_per_item() const override { return static_cast<std::int64_t>(row_.size()); }

 protected:
  std::vector<std::uint8_t> row_;
  std::int64_t rows_;
  RowFile file_;
};

class RowWrite final : public RowBenchmark {
 public:
  using RowBenchmark::RowBenchmark;
  void begin_pass() override { file_.start(); }
  void run(std::int64_t item) override { file_.write(item, row_); }
};

class RowRead final : public RowBenchmark {
 public:
  explicit RowRead(const BenchmarkSetting& setting) : RowBenchmark(setting) {
    file_.start();
    for (std::int64_t row = 0; row < rows_; ++row) file_.write(row, row_);
  }
  void run(std::int64_t item) override {
    thread_local std::vector<std::uint8_t> into;
    into.resize(row_.size());
    constexpr std::int64_t kStride = 7919;  // a prime: far from file order
    file_.read(item * kStride % rows_, into);
    keep(into.data());
  }
};

class RowChecksum final : public RowBenchmark {
 public:
  using RowBenchmark::RowBenchmark;
  void run(std::int64_t) override {
    const std::uint64_t hash = hash64(std::as_bytes(std::span(row_)));
    keep(&hash);
  }
};

}  // namespace

constinit const BenchmarkEntry kRowWrite{
    "row_write", "pwrite of one row into a fresh file",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> {
      return std::make_unique<RowWrite>(setting);
    }};

constinit const BenchmarkEntry kRowRead{
    "row_read", "pread of one row from the page cache, out of order",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> {
      return std::make_unique<RowRead>(setting);
    }};

constinit const BenchmarkEntry kRowChecksum{
    "row_checksum", "XXH3-64 over the pixels of one row",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> {
      return std::make_unique<RowChecksum>(setting);
    }};

}  // namespace letterpress
