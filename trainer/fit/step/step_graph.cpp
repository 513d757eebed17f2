#include "trainer/fit/step/step_graph.h"

#include <algorithm>
#include <array>

#include "trainer/device/torch_streams.h"

namespace letterpress {
namespace {

constexpr std::array kTensors{&Batch::images, &Batch::boxes, &Batch::flags, &Batch::label,
                              &Batch::weight};

bool same_shape(const torch::Tensor& a, const torch::Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type();
}

}  // namespace

torch::Tensor StepGraph::run(const Batch& batch, bool may_capture) {
  if (!steps_ || !fits(batch)) begin(batch);
  for (const auto tensor : kTensors) {
    if ((batch.*tensor).defined()) (input_.*tensor).copy_(batch.*tensor);
  }
  const bool replayed = steps_->run([this] { result_ = work_(input_).contiguous(); }, may_capture);
  return replayed ? copy_of(steps_->streams(), result_) : std::exchange(result_, {});
}

void StepGraph::forget() {
  steps_.reset();
  result_.reset();
  input_ = {};
}

bool StepGraph::fits(const Batch& batch) const {
  return std::all_of(kTensors.begin(), kTensors.end(),
                     [&](auto tensor) { return same_shape(input_.*tensor, batch.*tensor); });
}

void StepGraph::begin(const Batch& batch) {
  forget();
  for (const auto tensor : kTensors) {
    if ((batch.*tensor).defined()) input_.*tensor = torch::empty_like(batch.*tensor);
  }
  steps_.emplace(make_graph_());
}

}  // namespace letterpress
