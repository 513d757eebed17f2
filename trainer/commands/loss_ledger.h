#pragma once
#include <algorithm>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/fit/evaluation/picture_losses.h"

namespace letterpress {

/// The loss of every picture, the worst first: where labels are wrong, a model that has learned the
/// others disagrees with them.
struct LossLedger {
  static constexpr int kWhole = -1;  ///< a picture that is no tile
  std::vector<std::string> terms{};
  struct Picture {
    PictureLoss loss{};
    std::string path{};   ///< of the picture, as the store opened it
    std::string where{};  ///< label file and line; may be empty
    int tile = kWhole;    ///< number of the tile of `path`
    double per_label() const { return loss.loss / std::max(1, loss.labels); }
  };
  std::vector<Picture> pictures{};
  double mean() const;  ///< loss per picture
};

/// by: "loss", "per-label" (pictures with many labels are no worse for it) or a term. What is not
/// a number comes first, equal ones stay in order. Throws Error (usage) that lists these.
LossLedger loss_ledger(std::vector<std::string> terms, const std::vector<PictureLoss>& losses,
                       const SnapshotReader& reader, const std::vector<LedgerEntry>& ledger,
                       const std::string& by);

/// The first `most` pictures, for people.
void print(const LossLedger& ledger, std::size_t most, std::ostream& out);
/// The same for programs: {"pictures":..., "mean_loss":..., "worst":[{"path":..., "where":...,
/// "loss":..., "labels":..., "terms":{...}}]}, of tiles with "tile":..., too
nlohmann::json json_of(const LossLedger& ledger, std::size_t most);
/// All pictures: loss,labels,<terms>,path,where (RFC 4180), of tiles and tile.
std::string csv_of(const LossLedger& ledger);

}  // namespace letterpress
