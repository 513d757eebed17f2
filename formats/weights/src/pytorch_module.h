#pragma once
#include "letterpress/weights/weight_file.h"
#include "pytorch_tensors.h"

namespace letterpress {

/// The module of PyTorch that a pickle's node is or holds, as training programs store it: by
/// itself, in a dict or in an object of the program; an EMA first. kNoNode when there is none.
std::size_t find_module(const Pickle& pickle, std::size_t index);

/// Appends a module's arrays under the names of its state dict, and its modules; sets class names
/// and side where it says them (`names`, and `imgsz` of its `args`, as Ultralytics stores them).
/// Throws Error naming the file where a module holds itself.
void read_module(PytorchFile& file, std::size_t module, WeightFile& weights);

}  // namespace letterpress
