#pragma once
#include <doctest/doctest.h>
#include <torch/torch.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/locations.h"
#include "tests/trainer/waiting_operators.h"
#include "trainer/losses/loss.h"

namespace letterpress {

/// tests/golden/losses/<name>.json
inline nlohmann::json loss_golden(const std::string& name) {
  return nlohmann::json::parse(std::ifstream(std::string(LETTERPRESS_SOURCE_DIR) + "/tests/golden/losses/" + name + ".json"));
}

/// Logits ((i * 7919) mod 10007) / 10007 * 2 - 1 over each head, [B, channels, h, w], as the goldens' scripts.
inline torch::Tensor drawn_logits(std::int64_t pictures, std::int64_t channels, std::int64_t cells) {
  const torch::Tensor count = torch::arange(pictures * channels * cells * cells, torch::kLong);
  const torch::Tensor logits = (count * 7919).remainder(10007).to(torch::kDouble) / 10007 * 2 - 1;
  return logits.to(torch::kFloat).view({pictures, channels, cells, cells}).detach().requires_grad_();
}

/// The golden's pictures, boxes padded to `max_boxes` rows.
inline Batch golden_batch(const nlohmann::json& golden, std::int64_t max_boxes = 4) {
  const auto pictures = static_cast<std::int64_t>(golden["boxes"].size());
  Batch batch;
  batch.boxes = torch::zeros({pictures, max_boxes, 5});
  batch.boxes.select(2, 4).fill_(-1);
  batch.flags = torch::zeros({pictures, max_boxes}, torch::kByte);
  batch.weight = torch::tensor(golden["weights"].get<std::vector<float>>());
  for (std::int64_t b = 0; b < pictures; ++b) {
    const nlohmann::json& rows = golden["boxes"][static_cast<std::size_t>(b)];
    for (std::size_t m = 0; m < rows.size(); ++m) {
      for (std::size_t i = 0; i < 5; ++i)
        batch.boxes[b][static_cast<std::int64_t>(m)][static_cast<std::int64_t>(i)] = rows[m][i].get<float>();
      batch.flags[b][static_cast<std::int64_t>(m)] = rows[m][5].get<int>();
    }
  }
  return batch;
}

/// Rows [first, first + n) of a batch.
inline Batch part_of(const Batch& batch, std::int64_t first, std::int64_t n) {
  Batch part;
  part.boxes = batch.boxes.narrow(0, first, n);
  part.flags = batch.flags.narrow(0, first, n);
  part.weight = batch.weight.narrow(0, first, n);
  return part;
}

/// One picture with these rows (x1 y1 x2 y2 class) and flags.
inline Batch picture(const std::vector<std::vector<float>>& rows, const std::vector<int>& flags) {
  Batch batch;
  const auto n = static_cast<std::int64_t>(rows.size());
  batch.boxes = torch::zeros({1, n, 5});
  batch.flags = torch::zeros({1, n}, torch::kByte);
  batch.weight = torch::ones({1});
  for (std::int64_t m = 0; m < n; ++m) {
    batch.boxes[0][m] = torch::tensor(rows[static_cast<std::size_t>(m)]);
    batch.flags[0][m] = flags[static_cast<std::size_t>(m)];
  }
  return batch;
}

struct Measured {
  LossValue value;
  std::vector<torch::Tensor> gradients;
};

inline Measured measure_loss(const Graph& graph, const std::vector<torch::Tensor>& outputs, const Batch& batch) {
  Measured measured;
  measured.value = (*make_loss(graph))(outputs, batch);
  for (const torch::Tensor& output : outputs) output.mutable_grad() = torch::Tensor();
  measured.value.sum.backward();
  for (const torch::Tensor& output : outputs) measured.gradients.push_back(output.grad().clone());
  return measured;
}

inline double number(const torch::Tensor& scalar) { return scalar.item<double>(); }

inline void check_close(const torch::Tensor& got, const torch::Tensor& wanted, double tolerance = 1e-5) {
  REQUIRE(got.sizes() == wanted.sizes());
  CHECK((got - wanted).abs().max().item<double>() < tolerance);
}

}  // namespace letterpress
