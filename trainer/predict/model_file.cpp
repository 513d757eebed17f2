#include "trainer/predict/model_file.h"

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/models/onnx_metadata.h"

namespace letterpress {
namespace {

ModelFile read_export(const std::filesystem::path& file) {
  ModelFile model{.file = file, .onnx = read_file(file)};
  try {
    const auto metadata = onnx_metadata(model.onnx);
    check_digest(model.onnx, metadata);
    model.use = use_of(metadata);
  } catch (const Error& error) {
    throw Error(inside(file.string(), error.message()), error.exit());
  }
  return model;
}

}  // namespace

ModelFile read_model_file(const std::filesystem::path& file) {
  if (file.extension() == ".onnx") return read_export(file);
  Checkpoint read = read_checkpoint(file, true);
  if (is_classifier(read.info.graph))
    throw Error({.where = file.string(),
                 .what = "model " + read.info.graph.model +
                         " gives whole pictures a class, predict writes boxes",
                 .fix = "`letterpress-trainer eval` measures it, `export --to onnx --output raw` "
                        "takes it to other programs"},
                Exit::configuration);
  return {.file = file, .use = use_of(read.info), .checkpoint = std::move(read)};
}

}  // namespace letterpress
