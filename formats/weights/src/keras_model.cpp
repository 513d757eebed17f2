#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "keras_arrays.h"
#include "letterpress/base/error.h"
#include "letterpress/base/nesting.h"
#include "letterpress/zip/zip_archive.h"
#include "registry.h"

namespace letterpress {
namespace {

using nlohmann::json;

constexpr std::string_view kZip("PK\x03\x04", 4);
constexpr std::size_t kFirstName = 30;  // of a zip's first entry, behind its header
constexpr const char *kWeights = "model.weights.h5", *kConfig = "config.json";

bool recognises(std::string_view begin) {
  if (!begin.starts_with(kZip) || begin.size() < kFirstName) return false;
  const std::string_view name = begin.substr(kFirstName);
  return name.starts_with("metadata.json") || name.starts_with(kConfig) ||
         name.starts_with(kWeights);
}

// Of all norms of the model, however deep it holds them; the default where it has none.
double norm_epsilon(const json& config, const std::filesystem::path& path) {
  std::set<double> epsilons;
  std::vector<const json*> rest{&config};
  while (!rest.empty()) {
    const json& part = *rest.back();
    rest.pop_back();
    if (part.is_object() && part.value("class_name", json()) == "BatchNormalization" &&
        part.contains("config") && part["config"].is_object() &&
        part["config"].value("epsilon", json()).is_number())
      epsilons.insert(part["config"]["epsilon"].get<double>());
    if (part.is_structured()) {
      for (const json& member : part) rest.push_back(&member);
    }
  }
  if (epsilons.size() > 1)
    throw Error({.where = path.string(),
                 .what = "its norms have several epsilons, " + json(*epsilons.begin()).dump() +
                         " and " + json(*epsilons.rbegin()).dump() + " among them",
                 .fix = "a model of ours has one; import model.save_weights(\"name.weights.h5\") "
                        "with --norm-epsilon"});
  return epsilons.empty() ? kKerasNormEpsilon : *epsilons.begin();
}

WeightFile read(const std::filesystem::path& path) {
  const ZipArchive archive(path);
  for (const char* name : {kWeights, kConfig}) {
    if (!archive.find(name))
      throw Error({.where = path.string(),
                   .what = std::string("holds no ") + name + ", so it is not a model of Keras 3",
                   .fix = "write it with model.save(\"name.keras\")"});
  }
  const std::string text = archive.read(kConfig);
  check_nesting(text, path.string() + ": " + kConfig);
  const json config = json::parse(text, nullptr, false);
  if (config.is_discarded())
    throw Error({.where = path.string() + ": " + kConfig,
                 .what = "is not JSON",
                 .fix = "the file is damaged, copy it again"});
  return {.format = "keras",
          .arrays = read_hdf5_confined(archive.read(kWeights), path.string() + ": " + kWeights,
                                       read_keras3),
          .norm_epsilon = norm_epsilon(config, path)};
}

}  // namespace

extern constinit const WeightFormatEntry keras_model{"keras model", "a model of Keras 3 (.keras)",
                                                     recognises, read};

}  // namespace letterpress
