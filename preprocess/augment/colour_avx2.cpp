#include "preprocess/augment/colour_kernels.h"
#include "preprocess/augment/shift_hsv.inl"

namespace letterpress {

extern const ColourKernels kColourAvx2{shift_hsv};

}  // namespace letterpress
