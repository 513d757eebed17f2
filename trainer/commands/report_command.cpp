#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/commandline/output_file.h"
#include "letterpress/commandline/progress.h"
#include "letterpress/commandline/require_flag.h"
#include "trainer/checkpoint/network_weights.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/loss_ledger.h"
#include "trainer/report/opened_run.h"
#include "trainer/device/device.h"
#include "trainer/fit/part_options.h"
#include "trainer/fit/run_setup.h"

namespace letterpress {
namespace {

struct ReportFlags {
  std::filesystem::path run, store;
  std::string out, split, snapshot, by = "loss", device = "auto", precision = "fp32", read = "auto";
  int worst = 0, batch = 16, threads = 0, readers = 0;
  bool json = false;
};

void define(CLI::App& app, ReportFlags& flags) {
  app.add_option("--run", flags.run, "a run's folder (its best checkpoint), or a checkpoint")->required();
  app.add_option("--store", flags.store, "folder of the shards; none given: the one that the run was trained on");
  app.add_option("--snapshot", flags.snapshot,
                 "generation of the store, or latest; none given: the one that the run was trained on, if it is there still");
  app.add_option("--worst", flags.worst, "list this many pictures with the largest loss: among them are those with wrong labels")
      ->required();
  app.add_option("--split", flags.split, "whose pictures; none given: the one that was trained on");
  app.add_option("--by", flags.by, "what is worst: loss, per-label (the loss over the number of labels), or a term of the loss");
  app.add_option("--out", flags.out, "also write all pictures to this CSV file, the worst first");
  app.add_option("--batch", flags.batch, "pictures at once");
  app.add_option("--device", flags.device, "auto, cpu, cuda or cuda:N");
  app.add_option("--precision", flags.precision, "arithmetic: fp32 or bf16");
  app.add_option("--threads", flags.threads, "CPU threads; 0: all cores");
  app.add_option("--readers", flags.readers, "threads that read ahead; 0: min(4, cores)");
  app.add_option("--read", flags.read, "how rows are read: auto, pread, mmap or direct");
  app.add_flag("--json", flags.json, "one JSON summary line last on stdout");
}

void validate(const ReportFlags& flags) {
  require_snapshot(flags.snapshot);
  require_flag(flags.worst >= 1, "worst", flags.worst, "1 or more");
  require_flag(flags.batch >= 1, "batch", flags.batch, "1 or more");
  require_flag(flags.threads >= 0, "threads", flags.threads, "0 (all cores) or more");
  require_flag(flags.readers >= 0, "readers", flags.readers, "0 (as many as fit) or more");
  read_by_from(flags.read);
  validate_precision(flags.precision);
  if (!flags.out.empty()) check_output_file("--out", flags.out, "a CSV file", "loss,labels");
}

std::vector<PictureRows> pictures_to_report(const OpenedRun& run, const std::string& split) {
  std::vector<PictureRows> pictures = pictures_of(run.reader, split, "split");
  if (!pictures.empty()) return pictures;
  throw Error(run.store.folder().string() + ": split '" + split + "' holds no picture", Exit::no_input);
}

EvaluateOptions evaluating(const ReportFlags& flags, torch::Device device, Progress& progress) {
  return {.device = device,
          .bf16 = flags.precision == "bf16",
          .batch = flags.batch,
          .readers = flags.readers,
          .read = read_by_from(flags.read),
          .stop = [] { return stop_signal() != 0; },
          .evaluated = [&progress](std::int64_t n) { progress.add(n); }};
}

int report_worst(const ReportFlags& flags) {
  const OpenedRun run = open_run(flags.run, flags.store, flags.snapshot);
  const std::string split = flags.split.empty() ? run.options.split : flags.split;
  const std::vector<PictureRows> pictures = pictures_to_report(run, split);
  const torch::Device device = choose_device(flags.device);
  set_up_arithmetic(device, flags.threads, false);
  const auto network = network_for_use(run.checkpoint, device);
  const auto loss = make_loss(network->graph(), loss_options(run.options));
  // Before the work: it says when there is no such order.
  loss_ledger(loss->term_names(), {}, run.reader, {}, flags.by);
  Progress progress("measuring", static_cast<std::int64_t>(pictures.size()), "pictures");
  const auto losses = picture_losses(*network, *loss, run.reader, pictures, evaluating(flags, device, progress));
  if (!losses) return 128 + stop_signal();
  const auto entries = run.store.ledger(run.reader.snapshot().generation);
  const LossLedger ledger = loss_ledger(loss->term_names(), *losses, run.reader, entries, flags.by);
  if (!flags.out.empty()) replace_file(flags.out, csv_of(ledger));
  std::cout << run.text() << ", split " << split << "\n";
  print(ledger, static_cast<std::size_t>(flags.worst), std::cout);
  // Paths may be no UTF-8.
  const auto replace = nlohmann::json::error_handler_t::replace;
  if (flags.json) std::cout << json_of(ledger, static_cast<std::size_t>(flags.worst)).dump(-1, ' ', false, replace) << "\n";
  return 0;
}

int run(const ReportFlags& flags) {
  validate(flags);
  return report_worst(flags);
}

}  // namespace

Command report_command() {
  return {"report", "a run for people: the pictures with the largest loss", [](CLI::App& app) {
            // Owners: the options of `app`, which write to it, and the answer, which reads it.
            auto flags = std::make_shared<ReportFlags>();
            define(app, *flags);
            return [flags] { return run(*flags); };
          }};
}

}  // namespace letterpress
