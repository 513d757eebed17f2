#pragma once
#include <array>
#include <string_view>

namespace letterpress {

struct ReferenceFile {
  const char* name;
  std::string_view text;
};
/// samples/deploy/detect.py and what it imports, as they were when this program was built.
extern const std::array<ReferenceFile, 2> kReferenceProgram;

}  // namespace letterpress
