#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "letterpress/models/graph.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/fit_summary.h"
#include "trainer/fit/trainer.h"
#include "trainer/optimisers/optimiser.h"
#include "trainer/schedules/schedule.h"

namespace letterpress {
namespace {

struct Flags {
  FitOptions options;
  bool json = false;
};

template <class Infos>
std::string names_of(const Infos& infos) {
  std::string names;
  for (const auto& info : infos) names += (names.empty() ? "" : ", ") + info.name;
  return names;
}

void define_run(CLI::App& app, FitOptions& options) {
  app.add_option("--store", options.store, "folder that letterpress-preprocess build made")->required();
  app.add_option("--model", options.model, "what to train: " + names_of(model_infos()));
  app.add_option("--out", options.out, "folder of the run: checkpoints, results.csv")->required();
  app.add_option("--snapshot", options.snapshot, "generation to train on, or latest; resuming: the run's own");
  app.add_option("--split", options.split, "what to train on");
  app.add_option("--val-split", options.val_split, "what to measure on after each epoch; none given: val, if the store has it");
  app.add_option("--anchors", options.anchors, "auto (of --init, else k-means over the train split), model, or w,h,w,h,... pixels");
  app.add_option("--init", options.init, "start weights: a checkpoint or a run's folder; what does not fit stays random");
  app.add_flag("--resume", options.resume,
               "go on with the run in --out, with its flags where none are given; a new one where there is none");
}

void define_training(CLI::App& app, FitOptions& options) {
  app.add_option("--epochs", options.epochs, "passes over the train split");
  app.add_option("--clean-epochs", options.clean_epochs, "last epochs without augmentation; -1: a tenth");
  app.add_option("--batch", options.batch, "pictures per step");
  app.add_option("--accumulate", options.accumulate, "parts that a batch is computed in, when memory is short");
  app.add_option("--seed", options.seed, "of the start weights and of the order of pictures");
  app.add_option("--optimiser", options.optimiser, names_of(optimiser_infos()));
  app.add_option("--lr", options.lr, "highest learning rate; 0: 0.001 for adam and adamw, 0.01 for sgd");
  app.add_option("--momentum", options.momentum, "of sgd");
  app.add_option("--weight-decay", options.weight_decay, "of kernels");
  app.add_option("--clip", options.clip, "largest norm of all gradients; 0: no clipping");
  app.add_option("--schedule", options.schedule, "of the learning rate: " + names_of(schedule_infos()));
  app.add_option("--final-fraction", options.final_fraction, "of the learning rate at the end");
  app.add_option("--warmup", options.warmup, "epochs until the learning rate is reached; at most a tenth of the run");
  app.add_option("--ema", options.ema, "decay of the averaged weights; 0: none");
}

void define_machine(CLI::App& app, FitOptions& options) {
  app.add_option("--device", options.device, "auto, cpu, cuda or cuda:N");
  app.add_option("--precision", options.precision, "fp32 or bf16");
  app.add_flag("--deterministic", options.deterministic, "CUDA: reproducible kernels only");
  app.add_option("--threads", options.threads, "CPU threads; 0: all cores");
  app.add_option("--readers", options.readers, "threads that read ahead; 0: min(4, cores)");
  app.add_option("--checkpoint-minutes", options.checkpoint_minutes, "time between checkpoints within an epoch");
  app.add_option("--log-every", options.log_every, "steps between looks at the loss");
}

std::set<std::string> given_flags(const CLI::App& app) {
  std::set<std::string> given;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() > 0) given.insert(option->get_single_name());
  }
  return given;
}

}  // namespace

Command fit_command() {
  return {"fit", "shards -> a trained model", [](CLI::App& app) {
            // Owners: the options of `app`, which write to it, and the answer, which reads it.
            auto flags = std::make_shared<Flags>();
            define_run(app, flags->options);
            define_training(app, flags->options);
            define_machine(app, flags->options);
            app.add_flag("--json", flags->json, "one JSON summary line last on stdout");
            return [flags, &app] {
              const FitOptions options = resumed_options(flags->options, given_flags(app));
              const FitResult result = Trainer(options).run();
              std::cout << (flags->json ? summary_json(options, result) : summary_text(options, result)) << "\n";
              return exit_code(result);
            };
          }};
}

}  // namespace letterpress
