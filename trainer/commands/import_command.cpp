#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/commandline/output_file.h"
#include "letterpress/commandline/require_flag.h"
#include "letterpress/weights/weight_file.h"
#include "trainer/checkpoint/network_weights.h"
#include "trainer/commands/commands.h"
#include "trainer/exchange/letterbox_of.h"
#include "trainer/exchange/start_weights.h"

namespace letterpress {
namespace {

struct ImportFlags {
  std::filesystem::path weights, classes;
  std::string model, out, letterbox;
  std::vector<double> anchors, mean;
  int size = 416;
  std::uint64_t seed = 1;
  double norm_epsilon = 0;
  bool json = false;
};

std::vector<std::string> read_names(const std::filesystem::path& file) {
  std::vector<std::string> names;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) names.push_back(line);
  }
  if (names.empty())
    throw Error(file.string() +
                ": names no class; wanted one name per line, in the order of the weights' classes");
  return names;
}

void check_classes(const StartWeights& start, const std::vector<std::string>& classes,
                   const ImportFlags& flags) {
  if (!start.has_outputs || start.graph.classes == static_cast<int>(classes.size())) return;
  throw Error(flags.classes.string() + ": names " + std::to_string(classes.size()) +
                  " classes, the output layers of " + start.file + " are made for " +
                  std::to_string(start.graph.classes) +
                  "; name those, in their order (fit --pretrained takes over what " +
                  "fits other classes)",
              Exit::configuration);
}

// Darknet and keras-yolo3 fit pictures into frames alike; the others follow today's convention.
LetterboxRule letterbox_for(const StartWeights& start, const std::string& wanted) {
  if (!wanted.empty()) return letterbox_of(wanted);
  return letterbox_of(start.format == "darknet" || start.format == "keras" ? "keras-yolo3"
                                                                           : "ultralytics");
}

Checkpoint checkpoint_of(const StartWeights& start, const std::vector<std::string>& classes,
                         const ImportFlags& flags) {
  Checkpoint checkpoint;
  CheckpointInfo& info = checkpoint.info;
  info.graph = make_model(flags.model, {.classes = static_cast<int>(classes.size()),
                                        .side = flags.size,
                                        .anchors = flags.anchors,
                                        .mean = flags.mean});
  if (info.graph.mean != flags.mean)
    throw Error("--mean: " + flags.model + " subtracts none; leave the flag out", Exit::usage);
  info.letterbox = letterbox_for(start, flags.letterbox);
  info.classes = classes;
  info.configuration_json =
      nlohmann::json{{"imported", start.file}, {"format", start.format}}.dump();
  Network network(info.graph);
  network.initialise(flags.seed);
  load_start_weights(network, start, classes, start.has_outputs ? Match::shape : Match::name);
  checkpoint.tensors = collect_weights(network);
  return checkpoint;
}

nlohmann::json to_json(const std::vector<WeightRow>& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const WeightRow& row : rows)
    list.push_back(
        {{"source", row.source}, {"shape", row.shape}, {"target", row.target}, {"note", row.note}});
  return list;
}

int run(const ImportFlags& flags) {
  require_flag(flags.norm_epsilon >= 0 && flags.norm_epsilon < 1, "norm-epsilon",
               flags.norm_epsilon, "0 (the format's own) or more and under 1");
  const bool shares = std::all_of(flags.mean.begin(), flags.mean.end(),
                                  [](double channel) { return channel >= 0 && channel <= 1; });
  require_flag(flags.mean.empty() || (flags.mean.size() == 3 && shares), "mean",
               fmt::format("{}", fmt::join(flags.mean, ",")),
               "three numbers 0 to 1: red, green, blue");
  check_output_file("--out", flags.out, "a checkpoint");
  const std::filesystem::path same = std::filesystem::weakly_canonical(flags.weights);
  if (same == std::filesystem::weakly_canonical(flags.out)) {
    throw Error("--out " + flags.out + ": is the file that is imported; name another file",
                Exit::cannot_create);
  }
  const std::vector<std::string> classes = read_names(flags.classes);
  if (is_checkpoint(flags.weights)) {
    throw Error(flags.weights.string() + ": is a checkpoint of ours already; use it as it is",
                Exit::usage);
  }
  const StartWeights start = read_start_weights(flags.weights, flags.model, flags.norm_epsilon);
  check_classes(start, classes, flags);
  const Checkpoint checkpoint = checkpoint_of(start, classes, flags);
  write_checkpoint(flags.out, checkpoint);
  const std::size_t loaded = start.tensors.size(), all = checkpoint.tensors.size();
  std::cout << to_text(start.rows) << flags.out << ": " << flags.model << " with " << loaded
            << " of " << all << " tensors from " << start.file << " (" << start.format << ")"
            << (loaded < all ? "; the others have a random start, train it before use (fit --init)"
                             : "")
            << "\n";
  if (flags.json) {
    std::cout << nlohmann::json{{"out", flags.out},
                                {"format", start.format},
                                {"loaded", loaded},
                                {"tensors", all},
                                {"rows", to_json(start.rows)}}
                     .dump()
              << "\n";
  }
  return 0;
}

void define(CLI::App& app, ImportFlags& flags) {
  std::string formats, models;
  for (const WeightFormatInfo& info : weight_format_infos())
    formats += (formats.empty() ? "" : "; ") + info.name + ": " + info.help;
  for (const ModelInfo& info : model_infos()) models += (models.empty() ? "" : ", ") + info.name;
  app.add_option("--weights", flags.weights, "the file to import, known by its content. " + formats)
      ->required();
  app.add_option("--model", flags.model, "what it holds the weights of: " + models)->required();
  app.add_option("--classes", flags.classes,
                 "file with one class name per line, in the order of the weights' classes")
      ->required();
  app.add_option("--out", flags.out, "the checkpoint to write")->required();
  app.add_option("--size", flags.size, "pixels of the frame's side that it is used with");
  app.add_option("--anchors", flags.anchors,
                 "w,h,w,h,... pixels of that frame; none given: the model's published ones")
      ->delimiter(',');
  app.add_option("--mean", flags.mean,
                 "r,g,b of 0..1 that was subtracted from the pictures it was trained on, for "
                 "minigooglenet; none given: nothing was")
      ->delimiter(',');
  app.add_option("--letterbox", flags.letterbox,
                 "as which system pictures are put into the frame: " + letterbox_systems() +
                     "; none given: as the format's programs do");
  app.add_option(
      "--norm-epsilon", flags.norm_epsilon,
      "that it was trained with; 0: keras 1e-3, pytorch and safetensors 1e-5, darknet 1e-6");
  app.add_option("--seed", flags.seed, "of the start weights of what the file does not have");
  app.add_flag("--json", flags.json, "one JSON summary line last on stdout, with the table");
}

}  // namespace

Command import_command() {
  return {"import", "another program's weights -> a checkpoint", [](CLI::App& app) {
            // Owners: the options of `app`, which write to it, and the answer, which reads it.
            auto flags = std::make_shared<ImportFlags>();
            define(app, *flags);
            return [flags] { return run(*flags); };
          }};
}

}  // namespace letterpress
