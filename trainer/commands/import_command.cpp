#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/commandline/output_file.h"
#include "letterpress/weights/weight_file.h"
#include "trainer/checkpoint/network_weights.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/evaluate_flags.h"
#include "trainer/exchange/letterbox_of.h"
#include "trainer/exchange/start_weights.h"
#include "trainer/fit/options/fit_flags.h"

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
    throw Error({.where = file.string(),
                 .what = "names no class",
                 .fix = "write one name per line, in the order of the weights' classes"});
  return names;
}

void check_classes(const StartWeights& start, const std::vector<std::string>& classes,
                   const ImportFlags& flags) {
  if (!start.has_outputs || start.graph.classes == static_cast<int>(classes.size())) return;
  throw Error(
      {.where = flags.classes.string(),
       .what = "names " + std::to_string(classes.size()) + " classes, the output layers of " +
               start.file + " are made for " + std::to_string(start.graph.classes),
       .fix = "name those, in their order (fit --pretrained takes over what fits other "
              "classes)"},
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
    throw Error(
        {.where = "--mean", .what = flags.model + " subtracts none", .fix = "leave the flag out"},
        Exit::usage);
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

int run_import(const ImportFlags& flags) {
  check_output_file("--out", flags.out, "a checkpoint");
  const std::filesystem::path same = std::filesystem::weakly_canonical(flags.weights);
  if (same == std::filesystem::weakly_canonical(flags.out)) {
    throw Error({.where = "--out " + flags.out,
                 .what = "is the file that is imported",
                 .fix = "name another file"},
                Exit::cannot_create);
  }
  const std::vector<std::string> classes = read_names(flags.classes);
  if (is_checkpoint(flags.weights)) {
    throw Error({.where = flags.weights.string(),
                 .what = "is a checkpoint of ours already",
                 .fix = "use it as it is"},
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

std::string import_formats() {
  std::string text;
  for (const WeightFormatInfo& info : weight_format_infos())
    text += (text.empty() ? "" : "; ") + info.name + ": " + info.help;
  return text;
}

bool is_mean(const ImportFlags& flags) {
  const bool shares =
      std::ranges::all_of(flags.mean, [](double channel) { return channel >= 0 && channel <= 1; });
  return flags.mean.empty() || (flags.mean.size() == 3 && shares);
}

void add_flags(FlagTable<ImportFlags>& table) {
  using Flags = ImportFlags;
  using F = Flag<Flags>;
  table.add(
      {F("weights", &Flags::weights,
         "the file to import, known by its content. " + import_formats())
           .required(),
       F("model", &Flags::model, "what it holds the weights of: " + names_of(model_infos()))
           .required(),
       F("classes", &Flags::classes,
         "file with one class name per line, in the order of the weights' classes")
           .required(),
       F("out", &Flags::out, "the checkpoint to write").required(),
       F("size", &Flags::size, "pixels of the frame's side that it is used with"),
       F("anchors", &Flags::anchors,
         "w,h,w,h,... pixels of that frame; none given: the model's published ones")
           .commas(),
       F("mean", &Flags::mean,
         "r,g,b of 0..1 that was subtracted from the pictures it was trained on, for "
         "minigooglenet; none given: nothing was")
           .commas()
           .must_be("three numbers 0 to 1: red, green, blue", is_mean),
       F("letterbox", &Flags::letterbox,
         "as which system pictures are put into the frame: " + letterbox_systems() +
             "; none given: as the format's programs do"),
       F("norm-epsilon", &Flags::norm_epsilon,
         "that it was trained with; 0: keras 1e-3, pytorch and safetensors 1e-5, darknet 1e-6")
           .must_be("0 (the format's own) or more and under 1",
                    [](const Flags& flags) {
                      return flags.norm_epsilon >= 0 && flags.norm_epsilon < 1;
                    }),
       F("seed", &Flags::seed, "of the start weights of what the file does not have"),
       json_flag<Flags>("one JSON summary line last on stdout, with the table")});
}

}  // namespace

Command import_command() {
  FlagTable<ImportFlags> table;
  add_flags(table);
  return command("import", "another program's weights -> a checkpoint", table, run_import);
}

}  // namespace letterpress
