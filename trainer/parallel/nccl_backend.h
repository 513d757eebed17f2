#pragma once
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace letterpress {

/// NCCL between one CUDA device per rank. Throws Error (configuration) unless kLaunchOrder is 1,
/// which set_up_process() sees to, and when this program was built without NCCL; c10::Error without
/// a CUDA device.
c10::intrusive_ptr<c10d::Backend> nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                               int rank, int world_size);

/// What identifies a CUDA device among those of all hosts: "GPU-" and its UUID, as nvidia-smi -L
/// lists it. Throws Error (configuration) when this program was built without NCCL.
std::string cuda_device_id(torch::Device device);

}  // namespace letterpress
