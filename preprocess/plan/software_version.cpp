#include "preprocess/plan/software_version.h"

namespace letterpress {
namespace {

// Raised with every change of a row's pixels, boxes or parameters, whatever the program's version;
// pixel_revision_test notices one.
constexpr int kPixelRevision = 10;

}  // namespace

std::string software_version() {
  return "letterpress " LETTERPRESS_VERSION " (pixels " + std::to_string(kPixelRevision) +
         ", " LETTERPRESS_LIBRARIES ")";
}

}  // namespace letterpress
