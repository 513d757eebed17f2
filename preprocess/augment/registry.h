#pragma once
#include "preprocess/augment/augmentation.h"

namespace letterpress {

// Every kind of augmentation, one per file; registry.cpp lists them.
extern constinit const AugmentationEntry kAffine;
extern constinit const AugmentationEntry kBlur;
extern constinit const AugmentationEntry kCrop;
extern constinit const AugmentationEntry kCutout;
extern constinit const AugmentationEntry kGrey;
extern constinit const AugmentationEntry kHflip;
extern constinit const AugmentationEntry kHsv;
extern constinit const AugmentationEntry kJpeg;
extern constinit const AugmentationEntry kNoise;
extern constinit const AugmentationEntry kPlaceJitter;
extern constinit const AugmentationEntry kShift;
extern constinit const AugmentationEntry kTone;
extern constinit const AugmentationEntry kTurn90;
extern constinit const AugmentationEntry kVflip;

}  // namespace letterpress
