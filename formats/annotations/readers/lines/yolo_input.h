#pragma once
#include "formats/annotations/files/input.h"
#include "yolo_dataset.h"

namespace letterpress::annotations {

/// What an --input of YOLO is: a data.yaml, Darknet's obj.data, or a list or folder of pictures or
/// labels. Throws Error where it does not say what its classes are called, or holds several sets
/// that say what they hold.
YoloDataset yolo_dataset_of(const Input& input, const AnnotationOptions& options);

}  // namespace letterpress::annotations
