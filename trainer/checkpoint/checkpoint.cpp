#include "trainer/checkpoint/checkpoint.h"

#include <algorithm>
#include <array>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/hash.h"
#include "letterpress/weights/safetensors.h"
#include "trainer/checkpoint/info.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

constexpr const char* kInfoKey = "letterpress";
constexpr const char* kWeightsSumKey = "letterpress_weights_xxh3";
constexpr const char* kTrainingSumKey = "letterpress_training_xxh3";

constexpr std::array<std::pair<DType, torch::ScalarType>, 8> kTypes{
    {{DType::f64, torch::kDouble},
     {DType::f32, torch::kFloat},
     {DType::f16, torch::kHalf},
     {DType::bf16, torch::kBFloat16},
     {DType::i64, torch::kLong},
     {DType::i32, torch::kInt},
     {DType::u8, torch::kByte},
     {DType::boolean, torch::kBool}}};

std::span<std::byte> bytes_of(const torch::Tensor& tensor) {
  return {static_cast<std::byte*>(tensor.data_ptr()), static_cast<std::size_t>(tensor.nbytes())};
}

DType type_of(const std::string& name, const torch::Tensor& tensor) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& pair) {
    return pair.second == tensor.scalar_type();
  });
  if (found != kTypes.end()) return found->first;
  throw Error({.where = "checkpoint",
               .what = "tensor '" + name + "' is of type " + c10::toString(tensor.scalar_type()) +
                       ", must be float, bfloat16, int64, int32, uint8 or bool"},
              Exit::bug);
}

torch::ScalarType scalar_type_of(DType type) {
  return std::find_if(kTypes.begin(), kTypes.end(),
                      [&](const auto& pair) { return pair.first == type; })
      ->second;
}

// Covers names, types and shapes as well as the values; the tensors must be contiguous.
std::string checksum(const std::string& begin, const std::map<std::string, torch::Tensor>& tensors,
                     bool for_training) {
  Hasher hasher;
  hasher.add(begin);
  for (const auto& [name, tensor] : tensors) {
    if (is_for_training(name) != for_training) continue;
    hasher.add_value(static_cast<std::uint64_t>(name.size())).add(name);
    hasher.add_value(static_cast<std::int64_t>(type_of(name, tensor))).add_value(tensor.dim());
    for (const std::int64_t size : tensor.sizes()) hasher.add_value(size);
    hasher.add(bytes_of(tensor));
  }
  return hasher.digest128().hex();
}

void check_sum(const std::map<std::string, std::string>& metadata, const char* key,
               const std::string& sum, const char* what) {
  const auto found = metadata.find(key);
  if (found != metadata.end() && found->second == sum) return;
  throw Error({.what = std::string("its ") + what + " do not match their checksum (" +
                       (found == metadata.end() ? "none" : found->second.substr(0, 32)) +
                       " in the file, " + sum + " computed)",
               .fix = "the file is damaged, use another checkpoint of the run"});
}

std::map<std::string, torch::Tensor> read_tensors(const SafetensorsFile& file, bool weights_only) {
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& [name, array] : file.arrays()) {
    if (weights_only && is_for_training(name)) continue;
    torch::Tensor tensor = torch::empty(array.shape, scalar_type_of(array.type));
    file.read(name, bytes_of(tensor));
    tensors.emplace(name, std::move(tensor));
  }
  return tensors;
}

// Adds the file's name to Errors from code that does not know it.
template <class Step>
void naming(const fs::path& file, Step step) {
  try {
    step();
  } catch (const Error& error) {
    throw Error(inside(file.string() + ": checkpoint", error.message()), error.exit());
  }
}

}  // namespace

bool is_for_training(const std::string& name) {
  return name.starts_with("train.") || name.starts_with("optimiser.");
}

void write_checkpoint(const fs::path& file, const Checkpoint& checkpoint) {
  std::map<std::string, torch::Tensor> tensors;
  std::vector<ArrayView> arrays;
  for (const auto& [name, tensor] : checkpoint.tensors) {
    const torch::Tensor& plain = tensors[name] = tensor.detach().to(torch::kCPU).contiguous();
    arrays.push_back({name, type_of(name, plain), plain.sizes().vec(), bytes_of(plain)});
  }
  const std::string info = info_to_json(checkpoint.info);
  write_safetensors(file, arrays,
                    {{kInfoKey, info},
                     {kWeightsSumKey, checksum(info, tensors, false)},
                     {kTrainingSumKey, checksum("", tensors, true)}});
}

Checkpoint read_checkpoint(const fs::path& file, bool weights_only) {
  if (file.extension() == ".onnx")
    throw Error(
        {.where = file.string(),
         .what = "is an ONNX file, must be a checkpoint; only letterpress-predict takes both",
         .fix = "give the checkpoint that it was exported from"});
  const SafetensorsFile opened(file);
  const auto& metadata = opened.metadata();
  const auto info = metadata.find(kInfoKey);
  if (info == metadata.end()) {
    throw Error({.where = file.string(),
                 .what = "not a letterpress checkpoint: a safetensors file without 'letterpress' "
                         "in its metadata",
                 .fix = "give one that `letterpress-trainer fit` wrote"});
  }
  Checkpoint checkpoint;
  naming(file, [&] { checkpoint.info = info_from_json(info->second); });
  checkpoint.tensors = read_tensors(opened, weights_only);
  naming(file, [&] {
    check_sum(metadata, kWeightsSumKey, checksum(info->second, checkpoint.tensors, false),
              "weights");
    if (!weights_only)
      check_sum(metadata, kTrainingSumKey, checksum("", checkpoint.tensors, true),
                "training tensors");
  });
  return checkpoint;
}

}  // namespace letterpress
