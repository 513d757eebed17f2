#include "trainer/fit/log/run_scalars.h"

#include <doctest/doctest.h>

#include <sstream>

using namespace letterpress;

TEST_CASE("TensorBoard gets each term and their sum, rates, and the metrics that the epoch has") {
  const auto text = [](const std::vector<Scalar>& scalars) {
    std::ostringstream all;
    for (const Scalar& scalar : scalars) all << scalar.tag << " " << scalar.value << "\n";
    return all.str();
  };
  CHECK(text(scalars_of(FitProgress{.term_names = {"box", "classes"},
                                    .terms = {1.5, 0.25},
                                    .lr = 0.01,
                                    .images_per_s = 20,
                                    .data_wait = 0.5,
                                    .memory = 3 << 28})) ==
        "loss/total 1.75\nloss/box 1.5\nloss/classes 0.25\ntraining/lr 0.01\ntraining/images_per_s "
        "20\ntraining/data_wait_percent 50\n"
        "training/memory_gib 0.75\n");
  CHECK(text(scalars_of(EpochResult{.terms = {1.5, 0.25}})) == "epoch/loss 1.75\n");
  CHECK(text(scalars_of(
            EpochResult{.terms = {1}, .metrics = EpochResult::Metrics{0.7, 0.4, 0.8, 0.9}})) ==
        "epoch/loss 1\nval/map50 0.7\nval/map50_95 0.4\nval/precision 0.8\nval/recall 0.9\n");
  CHECK(text(scalars_of(EpochResult{.terms = {1}, .metrics = EpochResult::Metrics{.top1 = 0.6}})) ==
        "epoch/loss 1\nval/top1 0.6\n");
  CHECK(text(scalars_of(
            EpochResult{.terms = {1}, .metrics = EpochResult::Metrics{.top1 = 0.6, .loss = 2}})) ==
        "epoch/loss 1\nval/loss 2\nval/top1 0.6\n");
}
