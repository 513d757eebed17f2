#pragma once
#include <doctest/doctest.h>
#include <torch/types.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/locations.h"
#include "tests/trainer/waiting_operators.h"
#include "trainer/losses/loss.h"

namespace letterpress {

/// tests/golden/losses/<name>.json
inline nlohmann::json loss_golden(const std::string& name) {
  return nlohmann::json::parse(std::ifstream(std::string(LETTERPRESS_SOURCE_DIR) +
                                             "/tests/golden/losses/" + name + ".json"));
}

/// Logits ((i * 7919) mod 10007) / 10007 * 2 - 1 over each head, [B, channels, h, w], as the
/// goldens' scripts.
inline torch::Tensor drawn_logits(std::int64_t pictures, std::int64_t channels,
                                  std::int64_t cells) {
  const torch::Tensor count = torch::arange(pictures * channels * cells * cells, torch::kLong);
  const torch::Tensor logits = (count * 7919).remainder(10007).to(torch::kDouble) / 10007 * 2 - 1;
  return logits.to(torch::kFloat)
      .view({pictures, channels, cells, cells})
      .detach()
      .requires_grad_();
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
        batch.boxes[b][static_cast<std::int64_t>(m)][static_cast<std::int64_t>(i)] =
            rows[m][i].get<float>();
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

inline Measured measure_loss(const Graph& graph, const std::vector<torch::Tensor>& outputs,
                             const Batch& batch) {
  Measured measured;
  measured.value = (*make_loss(graph))(outputs, batch);
  for (const torch::Tensor& output : outputs) output.mutable_grad() = torch::Tensor();
  measured.value.sum.backward();
  for (const torch::Tensor& output : outputs) measured.gradients.push_back(output.grad().clone());
  return measured;
}

inline double number(const torch::Tensor& scalar) { return scalar.item<double>(); }

inline void check_close(const torch::Tensor& got, const torch::Tensor& wanted,
                        double tolerance = 1e-5) {
  REQUIRE(got.sizes() == wanted.sizes());
  CHECK((got - wanted).abs().max().item<double>() < tolerance);
}

/// What a golden is of: a graph that is nothing but its heads, and what its loss is computed from.
struct LossCase {
  Graph graph;
  std::int64_t pictures;                                            ///< of the golden
  std::function<std::vector<torch::Tensor>(std::int64_t)> outputs;  ///< for so many pictures
  std::function<Batch(std::int64_t)>
      batch;  ///< the golden's pictures, boxes padded to so many rows

  Measured measured(std::int64_t max_boxes = 4) const {
    return measure_loss(graph, outputs(pictures), batch(max_boxes));
  }
};

/// Terms, their sum and gradients are the golden's.
inline void check_golden(const nlohmann::json& golden, const LossCase& loss, double tolerance) {
  const Measured measured = loss.measured();
  CHECK(make_loss(loss.graph)->term_names() == golden["names"].get<std::vector<std::string>>());
  double sum = 0;
  for (std::size_t i = 0; i < golden["terms"].size(); ++i) {
    CAPTURE(i);
    CHECK(number(measured.value.terms[i]) ==
          doctest::Approx(golden["terms"][i].get<double>()).epsilon(tolerance));
    sum += golden["terms"][i].get<double>();
  }
  CHECK(number(measured.value.sum) == doctest::Approx(sum).epsilon(tolerance));
  for (std::size_t head = 0; head < measured.gradients.size(); ++head)
    check_close(measured.gradients[head].flatten(),
                torch::tensor(golden["gradients"][head].get<std::vector<float>>()));
}

/// Neither the layout of the outputs nor the amount of padding changes the loss; gradients up to
/// `tolerance`.
inline void check_layout_and_padding(const LossCase& loss, double tolerance) {
  const Measured plain = loss.measured();
  std::vector<torch::Tensor> channels_last;
  for (const torch::Tensor& output : loss.outputs(loss.pictures))
    channels_last.push_back(
        output.detach().contiguous(torch::MemoryFormat::ChannelsLast).requires_grad_());
  const Measured other = measure_loss(loss.graph, channels_last, loss.batch(50));
  CHECK(number(other.value.sum) == doctest::Approx(number(plain.value.sum)).epsilon(1e-6));
  for (std::size_t head = 0; head < plain.gradients.size(); ++head)
    check_close(other.gradients[head], plain.gradients[head], tolerance);
}

/// Micro-batches of `n` pictures have the whole batch's gradients, up to `tolerance`. Their sums
/// and normalisers, added up.
inline std::pair<double, double> check_micro_batches(const LossCase& loss, std::int64_t n,
                                                     double tolerance) {
  const Measured whole = loss.measured();
  const Batch batch = loss.batch(4);
  double sum = 0, normaliser = 0;
  for (std::int64_t first = 0; first < loss.pictures; first += n) {
    std::vector<torch::Tensor> some;
    for (const torch::Tensor& output : loss.outputs(loss.pictures))
      some.push_back(output.detach().narrow(0, first, n).clone().requires_grad_());
    const Measured part = measure_loss(loss.graph, some, part_of(batch, first, n));
    sum += number(part.value.sum);
    normaliser += number(part.value.normaliser);
    for (std::size_t head = 0; head < some.size(); ++head)
      check_close(part.gradients[head], whole.gradients[head].narrow(0, first, n), tolerance);
  }
  return {sum, normaliser};
}

inline void check_same_bits(const LossCase& loss) {
  const Measured first = loss.measured(), second = loss.measured();
  CHECK(torch::equal(first.value.sum, second.value.sum));
  for (std::size_t head = 0; head < 2; ++head)
    CHECK(torch::equal(first.gradients[head], second.gradients[head]));
}

inline void check_never_waits(const LossCase& measured) {
  const auto outputs = measured.outputs(measured.pictures);
  const Batch batch = measured.batch(4);
  const auto loss = make_loss(measured.graph);
  CHECK(waiting_operators([&] { (*loss)(outputs, batch).sum.backward(); }).empty());
}

/// Pictures without any box row.
inline Batch without_boxes(std::int64_t pictures) {
  Batch batch;
  batch.boxes = torch::zeros({pictures, 0, 5});
  batch.flags = torch::zeros({pictures, 0}, torch::kByte);
  batch.weight = torch::ones({pictures});
  return batch;
}

}  // namespace letterpress
