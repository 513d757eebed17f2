#pragma once
#include <doctest/doctest.h>
#include <turbojpeg.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/preprocess/drawn_set.h"

namespace letterpress {

/// The bytes of a JPEG, quality 90, 4:2:0, of drawn_pixels(seed, width, height).
inline std::string drawn_jpeg(int seed, int width, int height) {
  const std::vector<std::uint8_t> rgb = drawn_pixels(seed, width, height);
  const std::unique_ptr<void, int (*)(tjhandle)> handle(tjInitCompress(), tjDestroy);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  REQUIRE(tjCompress2(handle.get(), rgb.data(), width, 0, height, TJPF_RGB, &bytes, &size,
                      TJSAMP_420, 90, TJFLAG_ACCURATEDCT) == 0);
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  tjFree(bytes);
  return text;
}

}  // namespace letterpress
