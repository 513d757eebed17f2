#include "trainer/openvino/openvino_network.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "letterpress/base/error.h"
#include "trainer/openvino/openvino_library.h"

namespace letterpress {
namespace {

constexpr const char* kDevice = "CPU";

void check(int status, const char* what) {
  if (status == 0) return;
  const char* const said = openvino_library().ov_get_last_err_msg();
  throw Error({.where = "OpenVINO",
               .what = std::string(what) + ": " +
                       (said && *said ? said : "status " + std::to_string(status)),
               .fix = "use --engine torch"},
              Exit::configuration);
}

// One object of the library.
using Handle = std::unique_ptr<void, void (*)(void*)>;

/// make: writes the handle and returns a status.
template <class Make>
Handle made(void (*release)(void*), const char* what, Make make) {
  void* object = nullptr;
  check(make(&object), what);
  return {object, release};
}

bool has_bf16(const OpenVinoLibrary& library, const Handle& core) {
  char* value = nullptr;
  check(library.ov_core_get_property(core.get(), kDevice, "OPTIMIZATION_CAPABILITIES", &value),
        "what this CPU can do");
  const std::string capabilities = value;
  library.ov_free(value);
  return capabilities.find("BF16") != std::string::npos;
}

std::span<float> values_of(const OpenVinoLibrary& library, const void* tensor) {
  std::size_t bytes = 0;
  void* memory = nullptr;
  check(library.ov_tensor_get_byte_size(tensor, &bytes), "the size of a tensor");
  check(library.ov_tensor_data(tensor, &memory), "the memory of a tensor");
  return {static_cast<float*>(memory), bytes / sizeof(float)};
}

// For one picture, whatever number the model takes.
void set_shape(const OpenVinoLibrary& library, const Handle& network, const OpenVinoInput& input) {
  std::vector<OpenVinoRange> lengths;
  for (const std::int64_t length : input.shape) lengths.push_back({length, length});
  const std::int64_t n = std::ssize(lengths);
  const OpenVinoShape shape{.rank = {n, n}, .each = lengths.data()};
  check(library.ov_model_reshape_input_by_name(network.get(), input.name.c_str(), shape),
        input.name.c_str());
}

Handle compile(const OpenVinoLibrary& library, const Handle& core, const std::string& onnx,
               const OpenVinoInput& input, const OpenVinoOptions& options) {
  const Handle network = made(library.ov_model_free, "the model cannot be read", [&](void** made) {
    return library.ov_core_read_model_from_memory_buffer(core.get(), onnx.data(), onnx.size(),
                                                         nullptr, made);
  });
  set_shape(library, network, input);
  const std::string threads = std::to_string(options.threads),
                    streams = std::to_string(std::min(options.at_once, options.threads));
  // Without the first, a CPU with bfloat16 computes in it unasked. Pinned threads of two processes
  // meet on the same cores.
  return made(library.ov_compiled_model_free, "the model cannot be run", [&](void** made) {
    return library.ov_core_compile_model(core.get(), network.get(), kDevice, 8, made,
                                         "INFERENCE_PRECISION_HINT", options.bf16 ? "bf16" : "f32",
                                         "INFERENCE_NUM_THREADS", threads.c_str(), "NUM_STREAMS",
                                         streams.c_str(), "ENABLE_CPU_PINNING", "NO");
  });
}

}  // namespace

struct OpenVinoNetwork::State {
  /// A picture on its way; the tensors are the request's.
  struct Request {
    Handle request, input;
    std::vector<Handle> outputs;
  };
  using Requests = std::vector<Request>;

  State(const std::string& onnx, const OpenVinoInput& input,
        const std::vector<std::string>& outputs, const OpenVinoOptions& options)
      : core(made(library.ov_core_free, "cannot be started", library.ov_core_create)),
        compiled(nullptr, library.ov_compiled_model_free) {
    if (options.bf16 && !has_bf16(library, core))
      throw Error({.where = "--precision bf16",
                   .what = "OpenVINO has no bfloat16 arithmetic for this CPU",
                   .fix = "use fp32, or --engine torch"},
                  Exit::configuration);
    compiled = compile(library, core, onnx, input, options);
    for (int caller = 0; caller < options.callers; ++caller) {
      Requests& of_caller = idle.emplace_back();
      for (int i = 0; i < std::min(options.at_once, options.threads); ++i)
        of_caller.push_back(make_request(input.name, outputs));
    }
  }

  Request make_request(const std::string& input, const std::vector<std::string>& outputs) const {
    Handle request = made(library.ov_infer_request_free, "a request", [&](void** made) {
      return library.ov_compiled_model_create_infer_request(compiled.get(), made);
    });
    const auto tensor = [&](const std::string& name) {
      return made(library.ov_tensor_free, name.c_str(), [&](void** made) {
        return library.ov_infer_request_get_tensor(request.get(), name.c_str(), made);
      });
    };
    Handle images = tensor(input);
    std::vector<Handle> results;
    for (const std::string& name : outputs) results.push_back(tensor(name));
    return {std::move(request), std::move(images), std::move(results)};
  }

  void start(const Request& request) const {
    check(library.ov_infer_request_start_async(request.request.get()), "a picture");
  }
  void wait(const Request& request) const {
    check(library.ov_infer_request_wait(request.request.get()), "a picture");
  }

  // A caller's requests, while it runs.
  struct Taken {
    explicit Taken(State& state) : owner(state) {
      const std::lock_guard lock(owner.mutex);
      requests = std::move(owner.idle.back());
      owner.idle.pop_back();
    }
    ~Taken() {
      const std::lock_guard lock(owner.mutex);
      owner.idle.push_back(std::move(requests));
    }
    State& owner;
    Requests requests;
  };

  const OpenVinoLibrary& library = openvino_library();
  Handle core, compiled;
  std::mutex mutex;
  std::vector<Requests> idle;  // of each caller that does not run any
};

OpenVinoNetwork::OpenVinoNetwork(const std::string& onnx, const OpenVinoInput& input,
                                 const std::vector<std::string>& outputs,
                                 const OpenVinoOptions& options)
    : state_(std::make_unique<State>(onnx, input, outputs, options)) {}
OpenVinoNetwork::~OpenVinoNetwork() = default;

std::size_t OpenVinoNetwork::numbers_of_input() const {
  return values_of(state_->library, state_->idle.front().front().input.get()).size();
}
std::size_t OpenVinoNetwork::numbers_of_output(std::size_t output) const {
  return values_of(state_->library, state_->idle.front().front().outputs.at(output).get()).size();
}

// "2026.4.1-22982-e213a147257-releases/2026/4"
std::string OpenVinoNetwork::version() {
  const OpenVinoLibrary& library = openvino_library();
  OpenVinoVersion version;
  check(library.ov_get_openvino_version(&version), "its version");
  const std::string build = version.build;
  library.ov_version_free(&version);
  return build.substr(0, build.find('-'));
}

void OpenVinoNetwork::run(
    std::size_t n, const std::function<void(std::size_t, std::span<float>)>& fill,
    const std::function<void(std::size_t, std::size_t, std::span<const float>)>& take) {
  State& state = *state_;
  const State::Taken taken(state);
  const State::Requests& requests = taken.requests;
  const std::size_t at_once = requests.size();
  const auto finish = [&](std::size_t i) {
    const State::Request& request = requests[i % at_once];
    state.wait(request);
    for (std::size_t k = 0; k < request.outputs.size(); ++k)
      take(i, k, values_of(state.library, request.outputs[k].get()));
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (i >= at_once) finish(i - at_once);
    const State::Request& request = requests[i % at_once];
    fill(i, values_of(state.library, request.input.get()));
    state.start(request);
  }
  for (std::size_t i = n - std::min(n, at_once); i < n; ++i) finish(i);
}

}  // namespace letterpress
