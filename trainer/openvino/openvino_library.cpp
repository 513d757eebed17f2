#include "trainer/openvino/openvino_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "letterpress/base/error.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

constexpr const char *kName = "libopenvino_c.so", *kVariable = "LETTERPRESS_OPENVINO";

Error missing(const std::string& where, const std::string& what) {
  return Error(
      {.where = where,
       .what = what,
       .fix = "pip install openvino, and name the folder openvino/libs of its package in " +
              std::string(kVariable) + "; or use --engine torch, which takes checkpoints"},
      Exit::configuration);
}

// The wheel's carries a version behind its name: libopenvino_c.so.2641.
fs::path library_in(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().starts_with(kName)) return entry.path();
  }
  return {};
}

fs::path find_library() {
  const char* const named = std::getenv(kVariable);
  const bool is_named = named && *named;
  const fs::path found = library_in(is_named ? named : LETTERPRESS_OPENVINO_FOLDER);
  if (found.empty() && is_named)
    throw missing(std::string(kVariable) + "=" + named,
                  "that folder holds no " + std::string(kName));
  return found.empty() ? kName : found;
}

template <class Function>
void load(void* library, const fs::path& file, const char* name, Function& function) {
  void* const symbol = dlsym(library, name);
  if (!symbol) throw missing(file.string(), "has no function " + std::string(name));
  function = reinterpret_cast<Function>(symbol);
}

OpenVinoLibrary load_library() {
  const fs::path file = find_library();
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw missing("OpenVINO", "cannot be loaded: " + std::string(dlerror()));
  OpenVinoLibrary functions{};
#define LETTERPRESS_LOAD(name) load(library, file, #name, functions.name)
  LETTERPRESS_LOAD(ov_get_last_err_msg);
  LETTERPRESS_LOAD(ov_get_openvino_version);
  LETTERPRESS_LOAD(ov_version_free);
  LETTERPRESS_LOAD(ov_free);
  LETTERPRESS_LOAD(ov_core_create);
  LETTERPRESS_LOAD(ov_core_free);
  LETTERPRESS_LOAD(ov_core_get_property);
  LETTERPRESS_LOAD(ov_core_read_model_from_memory_buffer);
  LETTERPRESS_LOAD(ov_model_reshape_input_by_name);
  LETTERPRESS_LOAD(ov_model_free);
  LETTERPRESS_LOAD(ov_core_compile_model);
  LETTERPRESS_LOAD(ov_compiled_model_free);
  LETTERPRESS_LOAD(ov_compiled_model_create_infer_request);
  LETTERPRESS_LOAD(ov_infer_request_free);
  LETTERPRESS_LOAD(ov_infer_request_get_tensor);
  LETTERPRESS_LOAD(ov_infer_request_start_async);
  LETTERPRESS_LOAD(ov_infer_request_wait);
  LETTERPRESS_LOAD(ov_tensor_get_byte_size);
  LETTERPRESS_LOAD(ov_tensor_data);
  LETTERPRESS_LOAD(ov_tensor_free);
#undef LETTERPRESS_LOAD
  return functions;
}

}  // namespace

const OpenVinoLibrary& openvino_library() {
  static const OpenVinoLibrary library = load_library();
  return library;
}

}  // namespace letterpress
