#pragma once
#include "letterpress/base/error.h"
#include "tests/skip.h"
#include "trainer/openvino/openvino_library.h"

namespace letterpress {

/// Whether it is; a test without it is skipped.
inline bool openvino_is_here() {
  try {
    openvino_library();
    return true;
  } catch (const Error& error) {
    skip(error.what());
    return false;
  }
}

}  // namespace letterpress
