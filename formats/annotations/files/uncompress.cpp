#include "uncompress.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"

namespace letterpress::annotations {
namespace {

constexpr std::size_t kPiece = 1 << 20;
constexpr std::uint64_t kMostMemory = std::uint64_t{512} << 20;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw Error({.where = file.string(), .what = what, .fix = "copy or pack the archive again"});
}

// What a library made of the bytes that it was given.
struct Progress {
  std::size_t taken = 0, given = 0;  // bytes of the input and of the output
  bool ended = false;                // a stream is whole
};

struct Damage {
  std::string what;  // "a wrong checksum"
};

// One of the libraries, ready for the first stream.
class Decoder {
 public:
  virtual ~Decoder() = default;
  // Throws Damage.
  virtual Progress decode(std::span<const std::byte> in, std::span<std::byte> out) = 0;
  virtual void begin_stream() = 0;  // behind one that has ended
};

class Gzip : public Decoder {
 public:
  Gzip() {
    constexpr int kGzip = 16;  // with its header and checksum
    if (inflateInit2(&stream_, MAX_WBITS + kGzip) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { inflateEnd(&stream_); }
  Progress decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      throw Damage{stream_.msg ? stream_.msg : "no stream"};
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out, code == Z_STREAM_END};
  }
  void begin_stream() override { inflateReset(&stream_); }

 private:
  z_stream stream_{};
};

class Bzip2 : public Decoder {
 public:
  Bzip2() { begin(); }
  ~Bzip2() override { BZ2_bzDecompressEnd(&stream_); }
  Progress decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    stream_.next_in = reinterpret_cast<char*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = static_cast<unsigned>(in.size());
    stream_.next_out = reinterpret_cast<char*>(out.data());
    stream_.avail_out = static_cast<unsigned>(out.size());
    const int code = BZ2_bzDecompress(&stream_);
    if (code == BZ_MEM_ERROR) throw std::bad_alloc();
    if (code != BZ_OK && code != BZ_STREAM_END)
      throw Damage{"data that are none of its own, or a wrong checksum"};
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out, code == BZ_STREAM_END};
  }
  void begin_stream() override {
    BZ2_bzDecompressEnd(&stream_);
    begin();
  }

 private:
  void begin() {
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  bz_stream stream_{};
};

class Xz : public Decoder {
 public:
  Xz() { begin_stream(); }
  ~Xz() override { lzma_end(&stream_); }
  Progress decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
    if (code == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (code == LZMA_MEMLIMIT_ERROR) throw Damage{"data that take more than 512 MiB of memory"};
    if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR)
      throw Damage{"data that are none of its own, or a wrong checksum"};
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out, code == LZMA_STREAM_END};
  }
  void begin_stream() override {
    if (lzma_stream_decoder(&stream_, kMostMemory, 0) != LZMA_OK) throw std::bad_alloc();
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

std::unique_ptr<Decoder> decoder_of(const Compression& compression) {
  if (compression.name == "gzip") return std::make_unique<Gzip>();
  if (compression.name == "bzip2") return std::make_unique<Bzip2>();
  return std::make_unique<Xz>();
}

// The pieces of a file, one after the other.
class Pieces {
 public:
  explicit Pieces(const std::filesystem::path& path)
      : file_(File::open_to_read(path)), left_(static_cast<std::size_t>(file_.size())) {}
  // Empty at the end.
  std::span<const std::byte> next() {
    buffer_.resize(std::min(kPiece, left_));
    file_.read_at(at_, buffer_);
    at_ += static_cast<std::int64_t>(buffer_.size());
    left_ -= buffer_.size();
    return buffer_;
  }

 private:
  File file_;
  std::int64_t at_ = 0;
  std::size_t left_;
  std::vector<std::byte> buffer_;
};

// gzip and xz pad what they write for tapes.
bool is_padding(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

const Compression* compression_of(std::string_view head) {
  static constexpr std::array compressions{Compression{"\x1F\x8B", "gzip", "gunzip -k", true},
                                           Compression{"BZh", "bzip2", "bunzip2 -k", true},
                                           Compression{"\xFD"
                                                       "7zXZ",
                                                       "xz", "unxz -k", true},
                                           Compression{"\x28\xB5\x2F\xFD", "zstd", "unzstd"}};
  const auto found = std::ranges::find_if(
      compressions, [&](const Compression& one) { return head.starts_with(one.magic); });
  return found == compressions.end() ? nullptr : &*found;
}

void uncompress(const std::filesystem::path& file, const Compression& compression,
                const TakeBytes& take) {
  const std::unique_ptr<Decoder> decoder = decoder_of(compression);
  Pieces pieces(file);
  std::vector<std::byte> content(kPiece);
  bool within = true;  // a stream
  try {
    for (std::span<const std::byte> piece = pieces.next(); !piece.empty(); piece = pieces.next()) {
      while (!piece.empty() || within) {
        if (!within && is_padding(piece)) break;
        if (!within) decoder->begin_stream();
        within = true;
        const Progress progress = decoder->decode(piece, content);
        piece = piece.subspan(progress.taken);
        if (progress.given > 0) take(std::span(content).first(progress.given));
        within = !progress.ended;
        if (progress.taken == 0 && progress.given == 0 && within) break;
      }
    }
  } catch (const Damage& damage) {
    fail(file, "is damaged: " + std::string(compression.name) + " finds " + damage.what);
  }
  if (within) fail(file, "is cut short: its compressed data do not end");
}

}  // namespace letterpress::annotations
