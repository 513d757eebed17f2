#include "preprocess/augment/colour_kernels.h"
#include "preprocess/augment/shift_hsv.inl"

namespace letterpress {

extern const ColourKernels kColourBaseline{shift_hsv};

}  // namespace letterpress
