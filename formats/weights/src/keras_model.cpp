#include <utility>

#include "keras_arrays.h"
#include "keras_config.h"
#include "letterpress/base/error.h"
#include "letterpress/zip/zip_archive.h"
#include "registry.h"

namespace letterpress {
namespace {

constexpr std::string_view kZip("PK\x03\x04", 4);
constexpr std::size_t kFirstName = 30;  // of a zip's first entry, behind its header
constexpr const char *kWeights = "model.weights.h5", *kConfig = "config.json";

bool recognises(std::string_view begin) {
  if (!begin.starts_with(kZip) || begin.size() < kFirstName) return false;
  const std::string_view name = begin.substr(kFirstName);
  return name.starts_with("metadata.json") || name.starts_with(kConfig) ||
         name.starts_with(kWeights);
}

WeightFile read(const std::filesystem::path& path) {
  const ZipArchive archive(path);
  for (const char* name : {kWeights, kConfig}) {
    if (!archive.find(name))
      throw Error({.where = path.string(),
                   .what = std::string("holds no ") + name + ", so it is not a model of Keras 3",
                   .fix = "write it with model.save(\"name.keras\")"});
  }
  KerasConfig config = read_keras_config(archive.read(kConfig), path.string() + ": " + kConfig);
  return {.format = "keras",
          .arrays = read_hdf5_confined(archive.read(kWeights), path.string() + ": " + kWeights,
                                       read_keras3)
                        .arrays,
          .norm_epsilon = config.norm_epsilon,
          .modules = std::move(config.activations)};
}

}  // namespace

extern constinit const WeightFormatEntry keras_model{"keras model", "a model of Keras 3 (.keras)",
                                                     recognises, read};

}  // namespace letterpress
