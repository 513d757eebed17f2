#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "letterpress/base/bytes_text.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/commandline/output_file.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/evaluate_flags.h"
#include "trainer/commands/loss_ledger.h"
#include "trainer/fit/opening/opened_split.h"
#include "trainer/fit/options/snapshot_flag.h"
#include "trainer/report/report.h"

namespace letterpress {
namespace {

struct ReportFlags {
  std::filesystem::path run, store;
  std::string out, split, snapshot, by = "loss";
  int worst = 0, pictures = 12;
  EvaluateFlags evaluate;
  bool json = false;
};

std::string page_file(const ReportFlags& flags) {
  if (!flags.out.empty()) return flags.out;
  const bool is_file = std::filesystem::is_regular_file(flags.run);
  return ((is_file ? flags.run.parent_path() : flags.run) / "report.html").string();
}

void check_output(const ReportFlags& flags) {
  if (flags.worst > 0 && !flags.out.empty())
    check_output_file("--out", flags.out, {"a CSV file", "loss,labels"});
  if (flags.worst == 0 && std::filesystem::exists(flags.run))
    check_output_file("--out", page_file(flags), {"an HTML file", "<!DOCTYPE html>"});
}

int report_worst(const ReportFlags& flags) {
  const OpenedRun run = open_run(flags.run, flags.store, flags.snapshot);
  const std::string split = flags.split.empty() ? run.options.split : flags.split;
  const std::vector<PictureRows> pictures = some_pictures_of(run.store, run.reader, split);
  const torch::Device device = set_up_device(flags.evaluate);
  const auto [network, loss] = network_and_loss(run, device);
  // Before the work: it says when there is no such order.
  loss_ledger(loss->term_names(), {}, run.reader, {}, flags.by);
  Progress progress("measuring", static_cast<std::int64_t>(pictures.size()), "pictures");
  const auto losses = picture_losses(*network, *loss, run.reader, pictures,
                                     evaluate_options(flags.evaluate, device, progress));
  if (!losses) return 128 + stop_by_signal().signal();
  const auto entries = run.store.ledger(run.reader.snapshot().generation);
  const LossLedger ledger = loss_ledger(loss->term_names(), *losses, run.reader, entries, flags.by);
  if (!flags.out.empty()) replace_file(flags.out, csv_of(ledger));
  std::cout << run.text() << ", split " << split << "\n";
  print(ledger, static_cast<std::size_t>(flags.worst), std::cout);
  // Paths may not be UTF-8.
  const auto replace = nlohmann::json::error_handler_t::replace;
  if (flags.json)
    std::cout
        << json_of(ledger, static_cast<std::size_t>(flags.worst)).dump(-1, ' ', false, replace)
        << "\n";
  return 0;
}

int report_page(const ReportFlags& flags) {
  const OpenedRun run = open_run(flags.run, flags.store, flags.snapshot);
  const torch::Device device = set_up_device(flags.evaluate);
  // What the run measured on, which may be nothing.
  std::vector<PictureRows> pictures = flags.split.empty()
                                          ? val_pictures_of(run.reader, run.options.val_split)
                                          : some_pictures_of(run.store, run.reader, flags.split);
  const auto n = static_cast<std::int64_t>(pictures.size());
  const bool classifier = is_classifier(run.checkpoint.info.graph);
  Progress progress(classifier ? "classifying" : "detecting", n, "pictures");
  const RunReportOptions options{.pictures = std::move(pictures),
                                 .shown = static_cast<std::size_t>(flags.pictures),
                                 .evaluate = evaluate_options(flags.evaluate, device, progress)};
  const auto html = run_report(run, flags.run, options);
  if (!html) return 128 + stop_by_signal().signal();
  const std::string file = page_file(flags);
  replace_file(file, *html);
  std::cout << file << ": " << run.text() << ", " << bytes_text(static_cast<double>(html->size()))
            << "; open it in a browser\n";
  if (flags.json)
    std::cout << nlohmann::json{{"out", file}, {"bytes", html->size()}, {"pictures", n}}.dump()
              << "\n";
  return 0;
}

int report(const ReportFlags& flags) {
  check_output(flags);
  return flags.worst > 0 ? report_worst(flags) : report_page(flags);
}

void add_flags(FlagTable<ReportFlags>& table) {
  using Flags = ReportFlags;
  using F = Flag<Flags>;
  table.add(
      {F("run", &Flags::run,
         "a run's folder (its best checkpoint); with --worst a checkpoint is enough")
           .required(),
       F("store", &Flags::store,
         "folder of the shards; none given: the one that the run was trained on"),
       snapshot_flag<Flags>(
           "generation of the store, or latest; none given: the one that the run was trained on, "
           "if it is there still"),
       F("out", &Flags::out,
         "HTML file to write, it needs nothing beside it; none given: report.html in the run's "
         "folder. With --worst a CSV file of all pictures, the worst first; none given: none"),
       F("split", &Flags::split,
         "whose pictures; none given: what the run measured on; with --worst what it was trained "
         "on"),
       F("pictures", &Flags::pictures, "how many of the best and of the worst the page shows, each")
           .between(0, 100),
       F("worst", &Flags::worst,
         "instead of the page list this many pictures with the largest loss: among them are those "
         "with wrong labels; 0: the page")
           .at_least(0, "0 (the page) or more pictures"),
       F("by", &Flags::by,
         "with --worst, what is worst: loss, per-label (the loss over the number of labels), or a "
         "term of the loss")
           .check([](const Flags& flags) {
             if (flags.worst == 0 && flags.by != "loss")
               throw Error(Message{.where = "--by",
                                   .what = "orders what --worst lists",
                                   .fix = "give --worst, too"},
                           Exit::usage);
           })});
}

}  // namespace

Command report_command() {
  FlagTable<ReportFlags> table;
  add_flags(table);
  table.include(evaluate_flags(), &ReportFlags::evaluate).add({json_flag<ReportFlags>()});
  return command("report", "a run for people: one HTML page, or the pictures with the largest loss",
                 table, report);
}

}  // namespace letterpress
