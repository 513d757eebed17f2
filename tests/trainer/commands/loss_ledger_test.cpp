#include "trainer/commands/loss_ledger.h"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "letterpress/base/error.h"
#include "tests/temp_dir.h"
#include "tests/trainer/fit/drawn_store.h"

using namespace letterpress;

namespace {

/// Three train pictures whose ledger knows all but the last.
struct Measured {
  TempDir dir;
  Store store;
  SnapshotReader reader;
  std::vector<LedgerEntry> entries{
      {.path = "/set/a,\"b\".png", .name = "a.png", .where = "labels.txt:3", .rows = {{0, 0}}},
      {.name = "b\x1b.png", .rows = {{0, 1}}}};
  std::vector<PictureLoss> losses{
      {{0, 0}, {1, 3}, 4, 8}, {{0, 1}, {2, 1}, 3, 1}, {{0, 2}, {0.5, 4.5}, 5, 0}};

  Measured() : store(made(dir)), reader(store, *store.latest()) {}
  LossLedger by(const std::string& order) const {
    return loss_ledger({"box", "classes"}, losses, reader, entries, order);
  }

 private:
  static Store made(const TempDir& dir) {
    DrawnStore{.train = 3, .val = 0}.publish(dir / "store");
    return Store::open(dir / "store");
  }
};

std::vector<double> losses_of(const LossLedger& ledger) {
  std::vector<double> losses;
  for (const LossLedger::Picture& picture : ledger.pictures) losses.push_back(picture.loss.loss);
  return losses;
}

}  // namespace

TEST_CASE(
    "pictures come by loss, by loss per label or by a term, the worst first; another order lists "
    "these") {
  const Measured measured;
  CHECK(losses_of(measured.by("loss")) == std::vector<double>{5, 4, 3});
  CHECK(losses_of(measured.by("per-label")) ==
        std::vector<double>{5, 3, 4});  // a picture without labels counts as one
  CHECK(losses_of(measured.by("box")) == std::vector<double>{3, 4, 5});
  CHECK(measured.by("loss").mean() == 4);
  CHECK_THROWS_WITH_AS(measured.by("boxes"),
                       "--by: unknown order 'boxes'; known: box, loss, classes, per-label", Error);
}

TEST_CASE("a loss that is not a number comes first and is null for programs") {
  Measured measured;
  measured.losses[1].loss = std::numeric_limits<double>::quiet_NaN();
  const LossLedger ledger = measured.by("loss");
  CHECK(ledger.pictures[0].path == "b\x1b.png");
  CHECK(json_of(ledger, 1).at("worst").at(0).at("loss").is_null());
}

TEST_CASE("table, JSON and CSV name the picture as the store opened it and where its labels are") {
  const Measured measured;
  const LossLedger ledger = measured.by("loss");
  std::ostringstream table;
  print(ledger, 2, table);
  CHECK(table.str() ==
        "3 pictures, mean loss 4\n"
        "      loss  labels       box   classes  picture (its labels)\n"
        "         5       0       0.5       4.5  train2.png\n"
        "         4       8         1         3  /set/a,\"b\".png (labels.txt:3)\n");
  std::ostringstream all;
  print(ledger, 100, all);
  CHECK(all.str().find("b\\x1B.png\n") != std::string::npos);

  CHECK(csv_of(ledger) ==
        "loss,labels,box,classes,path,where\n"
        "5,0,0.5,4.5,train2.png,\n"
        "4,8,1,3,\"/set/a,\"\"b\"\".png\",labels.txt:3\n"
        "3,1,2,1,b\x1b.png,\n");

  const nlohmann::json json = json_of(ledger, 2);
  CHECK(json.at("pictures") == 3);
  CHECK(json.at("mean_loss") == 4);
  REQUIRE(json.at("worst").size() == 2);
  CHECK(json.at("worst").at(1) == nlohmann::json{{"path", "/set/a,\"b\".png"},
                                                 {"where", "labels.txt:3"},
                                                 {"loss", 4},
                                                 {"labels", 8},
                                                 {"terms", {{"box", 1}, {"classes", 3}}}});
}

TEST_CASE("of tiles each is named by its number, too") {
  LossLedger ledger = Measured().by("loss");
  ledger.pictures.resize(1);
  ledger.pictures[0].tile = 7;
  CHECK(csv_of(ledger) ==
        "loss,labels,box,classes,path,where,tile\n"
        "5,0,0.5,4.5,train2.png,,7\n");
  CHECK(json_of(ledger, 1).at("worst").at(0).at("tile") == 7);
  std::ostringstream table;
  print(ledger, 1, table);
  CHECK(table.str().ends_with("  train2.png, tile 7\n"));
}
