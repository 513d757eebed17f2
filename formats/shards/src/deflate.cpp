#include "letterpress/shards/deflate.h"

#include <libdeflate.h>

#include <stdexcept>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

template <class Codec>
Codec* made(Codec* codec) {
  if (!codec)
    throw Error(Message{.what = "no memory to compress rows or to read compressed ones",
                        .fix = "fewer --threads need less"},
                Exit::io);
  return codec;
}

}  // namespace

struct Deflater::Compressor {
  std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> codec{
      made(libdeflate_alloc_compressor(kDeflateLevel)), libdeflate_free_compressor};
};

struct Inflater::Decompressor {
  std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> codec{
      made(libdeflate_alloc_decompressor()), libdeflate_free_decompressor};
};

std::string deflate_library() { return "libdeflate " LIBDEFLATE_VERSION_STRING; }

Deflater::Deflater() : compressor_(std::make_unique<Compressor>()) {}
Deflater::~Deflater() = default;

std::span<const std::byte> Deflater::deflate(std::span<const std::uint8_t> row) {
  libdeflate_compressor* const codec = compressor_->codec.get();
  deflated_.resize(libdeflate_zlib_compress_bound(codec, row.size()));
  const std::size_t n =
      libdeflate_zlib_compress(codec, row.data(), row.size(), deflated_.data(), deflated_.size());
  if (n == 0) throw std::logic_error("Deflater: libdeflate's own bound is too small");
  return std::span(deflated_).first(n);
}

Inflater::Inflater() : decompressor_(std::make_unique<Decompressor>()) {}
Inflater::~Inflater() = default;

bool Inflater::inflate(std::span<const std::byte> deflated, std::span<std::uint8_t> row) {
  std::size_t read = 0;
  // Without a pointer for the size of the result, too few bytes are an error.
  const libdeflate_result result =
      libdeflate_zlib_decompress_ex(decompressor_->codec.get(), deflated.data(), deflated.size(),
                                    row.data(), row.size(), &read, nullptr);
  return result == LIBDEFLATE_SUCCESS && read == deflated.size();
}

}  // namespace letterpress
