#pragma once
#include <optional>
#include <vector>

#include "trainer/fit/evaluation/evaluate.h"
#include "trainer/losses/loss.h"

namespace letterpress {

/// What one picture adds to the loss: large where the labels disagree with what the model has
/// learned from all the others.
struct PictureLoss {
  RowPlace place{};             ///< its clean row
  std::vector<double> terms{};  ///< as Loss::term_names()
  double loss = 0;              ///< their sum
  int labels = 0;               ///< labelled boxes; of pictures that have a class as a whole 1
};

/// Work for for_each_batch() that keeps a picture's loss at its place in the list. side: of the
/// network's pictures. All arguments outlive it.
BatchWork keep_losses(const Loss& loss, int side, const SnapshotReader& reader,
                      std::vector<PictureLoss>& losses);

/// Losses of view 0 of `pictures`, in their order, the network in eval mode. Of a run: its
/// checkpoint's network, and the loss with its options. With ranks each gets those of its part; the
/// others' have no place. Nothing: stopped.
std::optional<std::vector<PictureLoss>> picture_losses(Network& network, const Loss& loss,
                                                       const SnapshotReader& reader,
                                                       const std::vector<PictureRows>& pictures,
                                                       const EvaluateOptions& options);

}  // namespace letterpress
