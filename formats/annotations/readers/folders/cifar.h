#pragma once
#include <cstdint>

namespace letterpress::annotations {

/// CIFAR-10's binary version (cs.toronto.edu/~kriz/cifar.html): records of one label byte, 0..9,
/// and a 32 x 32 picture: a plane of red, of green and of blue, rows from the top. The label is
/// part of what is handed to the decoder, which knows a record by it.
inline constexpr std::int64_t kCifarRecord = 1 + 3 * 32 * 32;
inline constexpr int kCifarClasses = 10;

}  // namespace letterpress::annotations
