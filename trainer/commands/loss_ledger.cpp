#include "trainer/commands/loss_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "letterpress/commandline/terminal_text.h"
#include "trainer/commands/ledger_entries.h"
#include "trainer/fit/evaluation/tile_results.h"

namespace letterpress {
namespace {

using Picture = LossLedger::Picture;

// Which number decides; what is not a number is worse than all numbers.
std::function<double(const Picture&)> key_of(const std::vector<std::string>& terms,
                                             const std::string& by) {
  const auto ordered = [](double value) {
    return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
  };
  if (by == "loss") return [=](const Picture& picture) { return ordered(picture.loss.loss); };
  if (by == "per-label")
    return [=](const Picture& picture) { return ordered(picture.per_label()); };
  const auto term = std::find(terms.begin(), terms.end(), by);
  if (term != terms.end()) {
    const auto at = static_cast<std::size_t>(term - terms.begin());
    return [=](const Picture& picture) { return ordered(picture.loss.terms.at(at)); };
  }
  std::vector<std::string> known{"loss", "per-label"};
  known.insert(known.end(), terms.begin(), terms.end());
  throw Error("--by: " + unknown_name("order", by, known), Exit::usage);
}

Picture picture_of(const PictureLoss& loss, const SnapshotReader& reader, bool of_tiles,
                   const LedgerEntry* entry) {
  Picture picture{.loss = loss};
  if (entry) picture.where = entry->where;
  if (entry) picture.path = entry->path.empty() ? entry->name : entry->path;
  if (of_tiles) picture.tile = reader.shard(loss.place.shard).tile(loss.place.row);
  if (picture.path.empty()) picture.path = reader.shard(loss.place.shard).name(loss.place.row);
  return picture;
}

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char letter : field) text += letter == '"' ? "\"\"" : std::string(1, letter);
  return text + "\"";
}

// JSON has no words for what is not a number.
nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

std::size_t width_of(const std::string& term) { return std::max<std::size_t>(10, term.size() + 2); }

}  // namespace

double LossLedger::mean() const {
  double sum = 0;
  for (const Picture& picture : pictures) sum += picture.loss.loss;
  return pictures.empty() ? 0 : sum / static_cast<double>(pictures.size());
}

LossLedger loss_ledger(std::vector<std::string> terms, const std::vector<PictureLoss>& losses,
                       const SnapshotReader& reader, const std::vector<LedgerEntry>& ledger,
                       const std::string& by) {
  const auto key = key_of(terms, by);
  const LedgerEntries entries(ledger);
  LossLedger sorted{.terms = std::move(terms)};
  const bool of_tiles = holds_tiles(reader);
  for (const PictureLoss& loss : losses)
    sorted.pictures.push_back(picture_of(loss, reader, of_tiles, entries.find(loss.place)));
  std::stable_sort(sorted.pictures.begin(), sorted.pictures.end(),
                   [&](const Picture& a, const Picture& b) { return key(a) > key(b); });
  return sorted;
}

void print(const LossLedger& ledger, std::size_t most, std::ostream& out) {
  out << fmt::format("{} pictures, mean loss {:.4g}\n{:>10}{:>8}", ledger.pictures.size(),
                     ledger.mean(), "loss", "labels");
  for (const std::string& term : ledger.terms) out << fmt::format("{:>{}}", term, width_of(term));
  out << "  picture (its labels)\n";
  for (std::size_t i = 0; i < std::min(most, ledger.pictures.size()); ++i) {
    const Picture& picture = ledger.pictures[i];
    out << fmt::format("{:>10.4g}{:>8}", picture.loss.loss, picture.loss.labels);
    for (std::size_t term = 0; term < ledger.terms.size(); ++term)
      out << fmt::format("{:>{}.4g}", picture.loss.terms[term], width_of(ledger.terms[term]));
    out << "  " << terminal_text(picture.path)
        << (picture.tile == LossLedger::kWhole ? "" : fmt::format(", tile {}", picture.tile))
        << (picture.where.empty() ? "" : " (" + terminal_text(picture.where) + ")") << "\n";
  }
}

nlohmann::json json_of(const LossLedger& ledger, std::size_t most) {
  nlohmann::json worst = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(most, ledger.pictures.size()); ++i) {
    const Picture& picture = ledger.pictures[i];
    nlohmann::json terms = nlohmann::json::object();
    for (std::size_t term = 0; term < ledger.terms.size(); ++term)
      terms[ledger.terms[term]] = number(picture.loss.terms[term]);
    worst.push_back({{"path", picture.path},
                     {"where", picture.where},
                     {"loss", number(picture.loss.loss)},
                     {"labels", picture.loss.labels},
                     {"terms", terms}});
    if (picture.tile != LossLedger::kWhole) worst.back()["tile"] = picture.tile;
  }
  return {
      {"pictures", ledger.pictures.size()}, {"mean_loss", number(ledger.mean())}, {"worst", worst}};
}

std::string csv_of(const LossLedger& ledger) {
  std::string text = "loss,labels";
  for (const std::string& term : ledger.terms) text += "," + term;
  const bool of_tiles =
      !ledger.pictures.empty() && ledger.pictures.front().tile != LossLedger::kWhole;
  text += of_tiles ? ",path,where,tile\n" : ",path,where\n";
  for (const Picture& picture : ledger.pictures) {
    text += fmt::format("{:.6g},{}", picture.loss.loss, picture.loss.labels);
    for (const double term : picture.loss.terms) text += fmt::format(",{:.6g}", term);
    text += "," + quoted(picture.path) + "," + quoted(picture.where);
    text += of_tiles ? fmt::format(",{}\n", picture.tile) : "\n";
  }
  return text;
}

}  // namespace letterpress
