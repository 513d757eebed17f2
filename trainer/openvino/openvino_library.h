#pragma once
#include <cstddef>
#include <cstdint>

namespace letterpress {

/// ov_version_t
struct OpenVinoVersion {
  const char *build = nullptr, *description = nullptr;
};

/// ov_dimension_t, also ov_rank_t; fixed where both are the same.
struct OpenVinoRange {
  std::int64_t least = 0, most = 0;
};
/// ov_partial_shape_t, passed by value.
struct OpenVinoShape {
  OpenVinoRange rank;
  OpenVinoRange* each = nullptr;
};

/// Those functions of OpenVINO's C API (docs.openvino.ai, "OpenVINO Runtime C API") that
/// need few of its types: handles are void*, a status is 0 where all went well. The library is
/// loaded when it is asked for, so that what is built runs where it is not installed.
struct OpenVinoLibrary {
  const char* (*ov_get_last_err_msg)();
  int (*ov_get_openvino_version)(OpenVinoVersion*);
  void (*ov_version_free)(OpenVinoVersion*);
  void (*ov_free)(const char*);
  int (*ov_core_create)(void** core);
  void (*ov_core_free)(void* core);
  int (*ov_core_get_property)(const void* core, const char* device, const char* key, char** value);
  int (*ov_core_read_model_from_memory_buffer)(const void* core, const char* model,
                                               std::size_t bytes, const void* weights,
                                               void** network);
  int (*ov_model_reshape_input_by_name)(const void* network, const char* input,
                                        OpenVinoShape shape);
  void (*ov_model_free)(void* network);
  int (*ov_core_compile_model)(const void* core, const void* network, const char* device,
                               std::size_t words, void** compiled, ...);
  void (*ov_compiled_model_free)(void* compiled);
  int (*ov_compiled_model_create_infer_request)(const void* compiled, void** request);
  void (*ov_infer_request_free)(void* request);
  int (*ov_infer_request_get_tensor)(const void* request, const char* name, void** tensor);
  int (*ov_infer_request_start_async)(void* request);
  int (*ov_infer_request_wait)(void* request);
  int (*ov_tensor_get_byte_size)(const void* tensor, std::size_t* bytes);
  int (*ov_tensor_data)(const void* tensor, void** memory);
  void (*ov_tensor_free)(void* tensor);
};

/// libopenvino_c.so of the folder that LETTERPRESS_OPENVINO names; where it names none, of the
/// folder into which scripts/setup.sh put it, else of where the system's loader looks. Loaded once
/// and for good. Throws Error (configuration) that says how to install it.
const OpenVinoLibrary& openvino_library();

}  // namespace letterpress
