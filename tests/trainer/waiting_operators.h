#pragma once
#include <ATen/record_function.h>
#include <doctest/doctest.h>
#include <torch/types.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace letterpress {

/// While it lives: the operators of any thread that wait for the device. One at a time. Copies to
/// another device have none to go to on a CPU; cuda_test lets PyTorch itself refuse them. What
/// PyTorch's fused optimisers do inside does not count: on a CPU they read the learning rate as a
/// number, on a GPU it stays there.
class WaitingOperators {
 public:
  WaitingOperators() {
    begin();
    const torch::Tensor two = torch::ones({2});
    (void)two.nonzero();
    (void)two.sum().item<float>();
    CHECK(waiting().contains("aten::nonzero"));
    CHECK(waiting().contains("aten::item"));
    begin();
  }
  ~WaitingOperators() { end(); }
  WaitingOperators(const WaitingOperators&) = delete;
  WaitingOperators& operator=(const WaitingOperators&) = delete;

  /// Ends the watch. "aten::item", "aten::nonzero", ... Fails unless more than two operators were
  /// seen at all.
  std::set<std::string> found() {
    end();
    CHECK(seen().operators > 2);
    for (const std::string& name : waiting()) MESSAGE("waits: ", name);
    return waiting();
  }
  /// Ends the watch. How many times the operator of that name was called.
  int times(const std::string& name) {
    end();
    const std::lock_guard lock(seen().mutex);
    return static_cast<int>(seen().waiting.count(name));
  }

 private:
  struct Seen {
    std::mutex mutex;
    std::multiset<std::string> waiting;
    int operators = 0;
  };
  static Seen& seen() {
    static Seen seen;
    return seen;
  }
  static std::set<std::string> waiting() {
    const std::lock_guard lock(seen().mutex);
    return {seen().waiting.begin(), seen().waiting.end()};
  }
  static int& depth_in_fused() {
    static thread_local int depth = 0;
    return depth;
  }
  static bool is_fused(const at::RecordFunction& function) {
    return std::string(function.name()).starts_with("aten::_fused_");
  }

  static std::unique_ptr<at::ObserverContext> see(const at::RecordFunction& function) {
    static const std::set<std::string> known{
        "aten::item",     "aten::_local_scalar_dense", "aten::is_nonzero", "aten::nonzero",
        "aten::to_dense", "aten::masked_select",       "aten::equal",      "aten::unique_dim",
        "aten::_unique2", "aten::repeat_interleave",   "aten::one_hot",    "aten::index"};
    if (is_fused(function)) ++depth_in_fused();
    const std::lock_guard lock(seen().mutex);
    ++seen().operators;
    if (depth_in_fused() > 0) return nullptr;
    if (known.contains(function.name())) seen().waiting.insert(function.name());
    return nullptr;
  }
  static void leave(const at::RecordFunction& function, at::ObserverContext*) {
    if (is_fused(function)) --depth_in_fused();
  }

  void begin() {
    end();
    seen().waiting.clear();
    seen().operators = 0;
    handle_ = at::addGlobalCallback(
        at::RecordFunctionCallback(see, leave).scopes({at::RecordScope::FUNCTION}));
  }
  void end() {
    if (handle_ != at::INVALID_CALLBACK_HANDLE) at::removeCallback(handle_);
    handle_ = at::INVALID_CALLBACK_HANDLE;
  }

  at::CallbackHandle handle_ = at::INVALID_CALLBACK_HANDLE;
};

/// Those that `work` calls.
template <class Work>
std::set<std::string> waiting_operators(Work&& work) {
  WaitingOperators watch;
  work();
  return watch.found();
}

}  // namespace letterpress
