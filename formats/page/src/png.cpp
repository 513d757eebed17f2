#include "letterpress/page/png.h"

#include <spng.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

constexpr std::string_view kKeyword{"Software\0", 9};  // PNG's own word, and the end of it

// Lines as differences from the one above: then a byte's frequency says most of what earlier text
// would, and looking for that is what takes zlib's time.
int hurry(spng_ctx* context) {
  constexpr int kRunsOnly = 3;  // Z_RLE of zlib.h
  int failure = spng_set_option(context, SPNG_IMG_COMPRESSION_LEVEL, 1);
  if (failure == 0) failure = spng_set_option(context, SPNG_IMG_COMPRESSION_STRATEGY, kRunsOnly);
  if (failure == 0) failure = spng_set_option(context, SPNG_FILTER_CHOICE, SPNG_FILTER_CHOICE_UP);
  return failure;
}

}  // namespace

std::vector<std::byte> encode_png(std::span<const std::uint8_t> rgb, std::int32_t width,
                                  std::int32_t height, PngEffort effort,
                                  const std::string& software) {
  if (width < 1 || height < 1 ||
      rgb.size() != static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3)
    throw std::logic_error("encode_png: " + std::to_string(rgb.size()) + " bytes are not " +
                           std::to_string(width) + " x " + std::to_string(height) + " x 3");
  struct Free {
    void operator()(spng_ctx* context) const { spng_ctx_free(context); }
    void operator()(void* memory) const { std::free(memory); }
  };
  const std::unique_ptr<spng_ctx, Free> context(spng_ctx_new(SPNG_CTX_ENCODER));
  spng_ihdr header{};
  header.width = static_cast<std::uint32_t>(width);
  header.height = static_cast<std::uint32_t>(height);
  header.bit_depth = 8;
  header.color_type = SPNG_COLOR_TYPE_TRUECOLOR;
  int failure = spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1);
  if (failure == 0 && effort == PngEffort::fast) failure = hurry(context.get());
  if (failure == 0) failure = spng_set_ihdr(context.get(), &header);
  std::string text = software;
  spng_text named{};
  std::ranges::copy(kKeyword, named.keyword);
  named.type = SPNG_TEXT;
  named.length = text.size();
  named.text = text.data();
  if (failure == 0 && !text.empty()) failure = spng_set_text(context.get(), &named, 1);
  if (failure == 0)
    failure = spng_encode_image(context.get(), rgb.data(), rgb.size(), SPNG_FMT_PNG,
                                SPNG_ENCODE_FINALIZE);
  std::size_t size = 0;
  std::unique_ptr<void, Free> memory;
  if (failure == 0) memory.reset(spng_get_png_buffer(context.get(), &size, &failure));
  if (failure != 0)
    throw Error(Message{.where = "a PNG cannot be made", .what = spng_strerror(failure)}, Exit::io);
  const auto* const bytes = static_cast<const std::byte*>(memory.get());
  return {bytes, bytes + size};
}

std::string software_of_png(std::string_view head) {
  constexpr std::string_view kSignature = "\x89PNG\r\n\x1A\n";
  constexpr std::size_t kLength = 4, kKind = 4, kSum = 4;
  const auto number_at = [&](std::size_t at) {
    std::size_t number = 0;
    for (std::size_t i = 0; i < kLength; ++i)
      number = number << 8 | static_cast<unsigned char>(head[at + i]);
    return number;
  };
  if (!head.starts_with(kSignature)) return {};
  for (std::size_t at = kSignature.size(); at + kLength + kKind <= head.size();) {
    const std::size_t length = number_at(at), content = at + kLength + kKind;
    if (length > head.size() - content) return {};
    const std::string_view text = head.substr(content, length);
    if (head.substr(at + kLength, kKind) == "tEXt" && text.starts_with(kKeyword))
      return std::string(text.substr(kKeyword.size()));
    at = content + length + kSum;
  }
  return {};
}

}  // namespace letterpress
