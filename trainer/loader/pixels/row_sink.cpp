#include "trainer/loader/pixels/row_sink.h"

#include <algorithm>

#include "trainer/loader/pixels/pixel_kernels.h"

namespace letterpress {
namespace {

// Small enough for the second-level cache, large enough to make a system call per piece cheap.
constexpr std::size_t kPiece = 128 * 1024;

}  // namespace

RowSink::RowSink(PixelType type, std::int64_t row_bytes)
    : type_(type), row_bytes_(static_cast<std::size_t>(row_bytes)) {
  if (type != PixelType::bytes) piece_.resize(std::min(kPiece, row_bytes_));
}

void RowSink::start(std::uint8_t* target, bool hash) {
  target_ = target;
  waiting_ = taken_ = written_ = 0;
  hasher_.reset();
  if (hash) hasher_.emplace();
}

std::span<std::uint8_t> RowSink::room() {
  const std::size_t left = row_bytes_ - taken_;
  if (type_ != PixelType::bytes)
    return std::span(piece_).subspan(waiting_, std::min(left, piece_.size() - waiting_));
  return {target_ + taken_, hasher_ ? std::min(left, kPiece) : left};
}

void RowSink::commit(std::size_t n) {
  const std::span<const std::uint8_t> read = room().first(n);
  taken_ += n;
  if (hasher_) hasher_->add(std::as_bytes(read));
  if (type_ == PixelType::bytes) return;
  waiting_ += n;
  if (waiting_ < piece_.size() && taken_ < row_bytes_) return;
  write(std::span(piece_).first(std::exchange(waiting_, 0)));
}

void RowSink::add(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::span<const std::uint8_t> piece = bytes.first(std::min(bytes.size(), kPiece));
    if (hasher_) hasher_->add(std::as_bytes(piece));
    write(piece);
    taken_ += piece.size();
    bytes = bytes.subspan(piece.size());
  }
}

void RowSink::write(std::span<const std::uint8_t> piece) {
  const PixelKernels& kernels = pixel_kernels();
  std::uint8_t* const out = target_ + static_cast<std::int64_t>(written_) * bytes_of(type_);
  if (type_ == PixelType::bytes) kernels.copy(piece.data(), piece.size(), out);
  if (type_ == PixelType::float32)
    kernels.to_float32(piece.data(), piece.size(), reinterpret_cast<float*>(out));
  if (type_ == PixelType::bfloat16)
    kernels.to_bfloat16(piece.data(), piece.size(), reinterpret_cast<std::uint16_t*>(out));
  written_ += piece.size();
}

}  // namespace letterpress
