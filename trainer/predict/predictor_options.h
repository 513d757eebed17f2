#pragma once
#include <string>
#include <vector>

#include "trainer/detection/detection.h"

namespace letterpress {

inline constexpr int kMostFrames = 4096;  ///< of a batch

struct PredictorOptions {
  std::vector<std::string> confidences{};  ///< as class_thresholds() takes them
  DetectionOptions detection{};            ///< its confidences are those above
  int batch = 8;  ///< frames per call of the model; more for a GPU, 1 for the least memory
  std::string device = "auto";     ///< auto, cpu, cuda or cuda:N
  std::string precision = "fp32";  ///< fp32, bf16 or, on CUDA, fp16
  std::string engine = "auto";     ///< as make_engine() takes it
  int threads = 0;                 ///< CPU threads; 0: all cores
};

}  // namespace letterpress
