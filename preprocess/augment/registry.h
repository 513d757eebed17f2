#pragma once
#include "preprocess/augment/augmentation.h"

namespace letterpress {

// Every kind of augmentation, one per file; registry.cpp lists them.
extern constinit const AugmentationEntry kHflip;
extern constinit const AugmentationEntry kHsv;
extern constinit const AugmentationEntry kPlaceJitter;

}  // namespace letterpress
