#pragma once
#include <array>
#include <string_view>

namespace letterpress {

struct ReferenceFile {
  const char* name;
  std::string_view text;
};
/// The Python programs of samples/deploy, as they were when this program was built.
extern const std::array<ReferenceFile, 5> kReferencePrograms;

}  // namespace letterpress
