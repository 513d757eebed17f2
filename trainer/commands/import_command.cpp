#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "letterpress/base/error.h"
#include "letterpress/base/registry.h"
#include "letterpress/commandline/output_file.h"
#include "letterpress/weights/weight_file.h"
#include "trainer/checkpoint/network_weights.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/evaluate_flags.h"
#include "trainer/commands/import_classes.h"
#include "trainer/exchange/class_note.h"
#include "trainer/exchange/letterbox_of.h"
#include "trainer/exchange/start_weights.h"
#include "trainer/exchange/weight_order.h"
#include "trainer/fit/options/fit_flags.h"

namespace letterpress {
namespace {

struct ImportFlags {
  std::filesystem::path weights, classes;
  std::string model, out, letterbox, masks = "auto";
  std::vector<double> anchors, mean;
  int size = 0;
  std::uint64_t seed = 1;
  double norm_epsilon = 0;
  bool json = false;
};

// Names of files may not be UTF-8.
std::string to_text(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The side to use it with: --size, else the file's own, as programs round it, else 416.
int side_for(const StartWeights& start, const ImportFlags& flags) {
  constexpr int kStride = 32, kUsual = 416;
  if (flags.size > 0) return flags.size;
  return start.side > 0 ? (start.side + kStride - 1) / kStride * kStride : kUsual;
}

// Darknet and keras-yolo3 fit pictures into frames alike; the others follow today's convention.
std::string letterbox_for(const StartWeights& start, const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  return start.format == "darknet" || start.format == "keras" ? "keras-yolo3" : "ultralytics";
}

/// Weights know their anchors in pixels, at whichever side they are used: the published ones are
/// not scaled with it.
ModelOptions model_options(const StartWeights& start, const ImportFlags& flags,
                           std::size_t classes) {
  const std::vector<double> published = graph_for_names(flags.model, 1).anchors;
  const bool own = !flags.anchors.empty() && flags.anchors != published;
  return {.classes = static_cast<int>(classes),
          .side = side_for(start, flags),
          .anchors = flags.anchors.empty() ? published : flags.anchors,
          .published_masks = flags.masks == "published" || (flags.masks == "auto" && !own),
          .mean = flags.mean};
}

/// Whether heads of the model may use other anchors than the published ones do: of most models they
/// are all used, each by one head, or there are none.
bool has_choice_of_masks(const std::string& model) {
  const std::vector<double> anchors = graph_for_names(model, 1).anchors;
  const auto with = [&](bool published) {
    return to_json(make_model(model, {.anchors = anchors, .published_masks = published}));
  };
  return with(true) != with(false);
}

void check_masks(const ImportFlags& flags) {
  if (flags.masks == "auto" || has_choice_of_masks(flags.model)) return;
  throw Error({.where = "--masks",
               .what = "of " + flags.model + " there is nothing to choose",
               .fix = "leave the flag out"},
              Exit::usage);
}

struct Imported {
  Checkpoint checkpoint;
  std::vector<WeightRow> rows;  ///< of load_start_weights()
};

Imported checkpoint_of(const StartWeights& start, const ImportFlags& flags) {
  Imported imported;
  CheckpointInfo& info = imported.checkpoint.info;
  info.classes = imported_classes(start, flags.classes);
  info.graph = make_model(flags.model, model_options(start, flags, info.classes.size()));
  if (info.graph.mean != flags.mean)
    throw Error(
        {.where = "--mean", .what = flags.model + " subtracts none", .fix = "leave the flag out"},
        Exit::usage);
  info.letterbox = letterbox_of(letterbox_for(start, flags.letterbox));
  info.configuration_json =
      to_text(nlohmann::json{{"imported", start.file}, {"format", start.format}});
  Network network(info.graph);
  network.initialise(flags.seed);
  const bool by_rows = !start.has_outputs || !start.classes.empty();
  imported.rows =
      load_start_weights(network, start, info.classes, by_rows ? Match::name : Match::shape);
  imported.checkpoint.tensors = collect_weights(network);
  return imported;
}

/// What was found out beside where the arrays went, a line each.
std::vector<std::string> notes_of(const StartWeights& start, const Imported& imported,
                                  const ImportFlags& flags) {
  const CheckpointInfo& info = imported.checkpoint.info;
  std::vector<std::string> notes;
  if (!start.part.empty()) notes.push_back("of the file the weights under '" + start.part + "'");
  if (start.norm_epsilon > 0) {
    std::ostringstream text;
    text << "norms: its program adds " << start.norm_epsilon
         << " to their variances; ours were changed so that they compute the same";
    notes.push_back(text.str());
  }
  if (start.folded) {
    notes.push_back(
        "its norms are folded into the convolutions: it predicts the same, but start a training "
        "from a file that is not fused");
  }
  const std::string classes = class_note(start, info.graph, info.classes, imported.rows);
  if (!classes.empty()) notes.push_back(classes);
  // No file of weights says these, and with others the boxes are wrong without an error.
  if (!info.graph.anchors.empty() && flags.anchors.empty()) {
    std::ostringstream text;
    text << "anchors: the published ones of " << flags.model << " are taken,";
    for (std::size_t i = 0; i < info.graph.anchors.size(); ++i)
      text << (i == 0 ? " " : ",") << info.graph.anchors[i];
    text << "; where its cfg or program has others pass --anchors";
    notes.push_back(text.str());
  }
  if (!info.graph.anchors.empty() && flags.letterbox.empty())
    notes.push_back("pictures are taken to be fitted into the frame as " +
                    letterbox_for(start, "") + " does; --letterbox chooses");
  return notes;
}

nlohmann::json to_json(const std::vector<WeightRow>& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const WeightRow& row : rows)
    list.push_back(
        {{"source", row.source}, {"shape", row.shape}, {"target", row.target}, {"note", row.note}});
  return list;
}

/// Whether nothing of the network has a random start.
bool is_whole(const StartWeights& start, const Imported& imported) {
  const auto known = [&](const std::string& name) {
    return start.classes.empty() || std::ranges::find(start.classes, name) != start.classes.end();
  };
  return std::ranges::all_of(imported.rows, is_loaded) &&
         std::ranges::all_of(imported.checkpoint.info.classes, known);
}

void print_summary(const StartWeights& start, const Imported& imported, const ImportFlags& flags) {
  const std::vector<std::string> notes = notes_of(start, imported, flags);
  const auto loaded = loaded_count(imported.rows);
  const std::size_t all = imported.checkpoint.tensors.size();
  std::cout << to_text(start.rows);
  for (const std::string& note : notes) std::cout << note << "\n";
  std::cout << flags.out << ": " << flags.model << " of side "
            << imported.checkpoint.info.graph.side << " with " << loaded << " of " << all
            << " tensors from " << start.file << " (" << start.format << ")"
            << (is_whole(start, imported)
                    ? ""
                    : "; the others have a random start, train it before use (fit --init)")
            << "\n";
  if (!flags.json) return;
  std::cout << to_text(nlohmann::json{{"out", flags.out},
                                      {"format", start.format},
                                      {"loaded", loaded},
                                      {"tensors", all},
                                      {"classes", imported.checkpoint.info.classes},
                                      {"side", imported.checkpoint.info.graph.side},
                                      {"notes", notes},
                                      {"rows", to_json(start.rows)}})
            << "\n";
}

int run_import(const ImportFlags& flags) {
  check_is_not_input("--out", flags.out, flags.weights, "the file that is imported");
  // Of safetensors: JSON behind its length.
  check_output_file("--out", flags.out, {"a checkpoint", "{\"", 8});
  const std::filesystem::path folder = std::filesystem::absolute(flags.out).parent_path();
  if (std::filesystem::exists(flags.out) && std::filesystem::exists(folder / "configuration.json"))
    throw Error({.where = "--out " + flags.out,
                 .what = "is a file of the run in " + folder.string(),
                 .fix = "name another file"},
                Exit::cannot_create);
  if (is_checkpoint(flags.weights)) {
    throw Error({.where = flags.weights.string(),
                 .what = "is a checkpoint of ours already",
                 .fix = "use it as it is"},
                Exit::usage);
  }
  check_masks(flags);
  const StartWeights start = read_start_weights(flags.weights, flags.model, flags.norm_epsilon);
  const Imported imported = checkpoint_of(start, flags);
  write_checkpoint(flags.out, imported.checkpoint);
  print_summary(start, imported, flags);
  return 0;
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
         "the file to import, known by its content. " + help_of(weight_format_infos()))
           .required(),
       F("model", &Flags::model, "what it holds the weights of: " + names_of(model_infos()))
           .required(),
       F("classes", &Flags::classes,
         "file with one class name per line: those that the network gets, in their order; where "
         "the "
         "file names none, in the order of its own. None given: the file's own names"),
       F("out", &Flags::out, "the checkpoint to write").required(),
       F("size", &Flags::size,
         "pixels of the frame's side that it is used with; 0: what the file was trained with, "
         "where "
         "it says so, else 416")
           .at_least(0),
       F("anchors", &Flags::anchors,
         "w,h,w,h,... pixels of that frame, as a cfg states them; none given: the model's "
         "published ones")
           .commas(),
       F("masks", &Flags::masks,
         "of yolov3-tiny, which anchors each head uses: published, 1,2,3 at the finer one; all, "
         "0,1,2 there, as some cfgs have it; auto: all with other --anchors than the published "
         "ones, else published")
           .choices({"auto", "published", "all"}),
       F("mean", &Flags::mean,
         "r,g,b of 0..1 that was subtracted from the pictures it was trained on, for "
         "minigooglenet; none given: nothing was")
           .commas()
           .must_be("three numbers 0 to 1: red, green, blue", is_mean),
       F("letterbox", &Flags::letterbox,
         "which program's letterbox to use: " + letterbox_systems() +
             "; none given: as the format's programs do"),
       F("norm-epsilon", &Flags::norm_epsilon,
         "what its program adds to a norm's variance; 0: what the file says; keras and "
         "Ultralytics' "
         "1e-3, darknet 1e-6. Any other state dict does not say it; PyTorch's default is 1e-5")
           .must_be("0 (the file's own) or more and under 1",
                    [](const Flags& flags) {
                      return flags.norm_epsilon >= 0 && flags.norm_epsilon < 1;
                    }),
       F("seed", &Flags::seed, "of the start weights of what the file does not have"),
       json_flag<Flags>("one JSON object as the last line of stdout, with the table")});
}

}  // namespace

Command import_command() {
  FlagTable<ImportFlags> table;
  add_flags(table);
  return command("import", "another program's weights -> a checkpoint", table, run_import);
}

}  // namespace letterpress
