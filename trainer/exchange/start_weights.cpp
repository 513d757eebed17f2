#include "trainer/exchange/start_weights.h"

#include <algorithm>
#include <optional>

#include "letterpress/base/error.h"
#include "letterpress/base/registry.h"
#include "letterpress/weights/safetensors.h"
#include "letterpress/weights/weight_file.h"
#include "trainer/checkpoint/network_weights.h"

namespace letterpress {
namespace {

constexpr std::size_t kShown = 5;
const std::string kSkipped = "not loaded: ";

std::string text_of(const torch::Tensor& tensor) {
  std::string text;
  for (const std::int64_t size : tensor.sizes())
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

// Which rows of a tensor "<layer>.weight" or "<layer>.bias" belong to classes; none when they do
// not.
std::optional<ClassRows> rows_of(const Graph& graph, const std::string& tensor) {
  const auto layers = class_rows(graph);
  const auto found = layers.find(tensor.substr(0, tensor.rfind('.')));
  return found == layers.end() ? std::nullopt : std::optional(found->second);
}

/// Which of the file's class rows goes to each of ours: -1 for none.
std::vector<std::int64_t> class_sources(const std::vector<std::string>& theirs,
                                        const std::vector<std::string>& ours) {
  std::vector<std::int64_t> sources;
  for (const std::string& name : ours) {
    const auto found = std::find(theirs.begin(), theirs.end(), name);
    sources.push_back(found == theirs.end() ? -1 : found - theirs.begin());
  }
  return sources;
}

std::string names_with(const std::vector<std::string>& classes,
                       const std::vector<std::int64_t>& sources, bool known) {
  std::string text;
  std::size_t n = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if ((sources[i] >= 0) != known || ++n > kShown) continue;
    text += (text.empty() ? "" : ", ") + classes[i];
  }
  return n > kShown ? text + " and " + std::to_string(n - kShown) + " more" : text;
}

/// One load: what goes where under a rule.
class Loading {
 public:
  Loading(const Network& network, const StartWeights& start,
          const std::vector<std::string>& classes, Match match)
      : graph_(network.graph()),
        start_(start),
        classes_(classes),
        match_(match),
        sources_(class_sources(start.classes, classes)) {
    for (const WeightRow& row : start.rows) file_names_.emplace(row.target, row.source);
  }

  WeightRow row(const std::string& name, const torch::Tensor& own) const {
    const auto found = start_.tensors.find(name);
    if (found == start_.tensors.end())
      return {"", text_of(own), name, kSkipped + "the file does not have it"};
    WeightRow row{file_names_.at(name), text_of(found->second), name, {}};
    if (by_rows(name, own, found->second)) {
      row.note = rows_note(rows_of(graph_, name)->shared > 0);
    } else if (found->second.sizes() != own.sizes()) {
      row.note = kSkipped + "the model has " + text_of(own);
    }
    return row;
  }

  void copy(const std::string& name, torch::Tensor own) const {
    const torch::Tensor& theirs = start_.tensors.at(name);
    if (!by_rows(name, own, theirs)) {
      own.copy_(theirs);
      return;
    }
    const auto [groups, shared] = *rows_of(graph_, name);
    std::vector<std::int64_t> to{groups, -1}, from{groups, -1};
    to.insert(to.end(), own.sizes().begin() + 1, own.sizes().end());
    from.insert(from.end(), theirs.sizes().begin() + 1, theirs.sizes().end());
    const torch::Tensor ours_by_row = own.view(to), theirs_by_row = theirs.reshape(from);
    ours_by_row.narrow(1, 0, shared).copy_(theirs_by_row.narrow(1, 0, shared));
    for (std::size_t c = 0; c < sources_.size(); ++c) {
      if (sources_[c] >= 0)
        ours_by_row.select(1, shared + static_cast<std::int64_t>(c))
            .copy_(theirs_by_row.select(1, shared + sources_[c]));
    }
  }

 private:
  // An output layer for other classes that differs only in its rows.
  bool by_rows(const std::string& name, const torch::Tensor& own,
               const torch::Tensor& theirs) const {
    if (match_ != Match::name || own.dim() != theirs.dim() ||
        own.sizes().slice(1) != theirs.sizes().slice(1))
      return false;
    if (start_.classes.empty() ? own.sizes() == theirs.sizes() : start_.classes == classes_)
      return false;
    const std::optional<ClassRows> rows = rows_of(graph_, name),
                                   their_rows = rows_of(start_.graph, name);
    return rows && rows == their_rows &&
           theirs.size(0) == std::int64_t{rows->groups} * (rows->shared + start_.graph.classes) &&
           own.size(0) == std::int64_t{rows->groups} * (rows->shared + graph_.classes);
  }

  std::string rows_note(bool has_boxes) const {
    const std::string boxes = has_boxes ? "box and objectness rows" : "";
    if (start_.classes.empty())
      return (has_boxes ? boxes : "no row") + "; the file's " +
             std::to_string(start_.graph.classes) +
             " classes have no names, `import` gives them some";
    const std::string known = names_with(classes_, sources_, true),
                      fresh = names_with(classes_, sources_, false);
    const std::string rows = boxes + (has_boxes && !known.empty() ? ", " : "") +
                             (known.empty() ? "" : "rows of " + known);
    return (rows.empty() ? "no row" : rows) + (fresh.empty() ? "" : "; new: " + fresh);
  }

  const Graph& graph_;
  const StartWeights& start_;
  const std::vector<std::string>& classes_;
  Match match_;
  std::vector<std::int64_t> sources_;
  std::map<std::string, std::string> file_names_;  ///< by our name
};

void require_all(const std::vector<WeightRow>& rows, const StartWeights& start,
                 const Graph& graph) {
  const auto skipped = static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const WeightRow& row) { return !is_loaded(row); }));
  if (skipped == 0) return;
  std::string text;
  std::size_t n = 0;
  for (const WeightRow& row : rows) {
    const std::string& name = row.target.empty() ? row.source : row.target;
    if (!is_loaded(row) && ++n <= kShown)
      text += (text.empty() ? "" : "; ") + name + " " + row.note;
  }
  throw Error({.where = start.file,
               .what = std::to_string(skipped) + " tensors do not fit " + graph.model + " with " +
                       std::to_string(graph.classes) + " classes: " + text +
                       (skipped > kShown ? " and more" : ""),
               .fix = "--match shape or name loads what fits"},
              Exit::configuration);
}

// Names that say nothing: their own numbers, as Ultralytics gives to a network that was not
// trained.
bool are_numbers(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != std::to_string(i)) return false;
  }
  return true;
}

}  // namespace

bool is_loaded(const WeightRow& row) {
  return !row.target.empty() && !row.note.starts_with(kSkipped);
}

bool is_checkpoint(const std::filesystem::path& file) {
  try {
    return SafetensorsFile(file).metadata().contains("letterpress");
  } catch (const Error&) {
    return false;  // of another format, or not readable as this one
  }
}

StartWeights start_weights_of(Checkpoint checkpoint, const std::string& file) {
  StartWeights start{.file = file,
                     .format = "letterpress",
                     .graph = std::move(checkpoint.info.graph),
                     .classes = std::move(checkpoint.info.classes),
                     .tensors = {},
                     .rows = {}};
  for (auto& [name, tensor] : checkpoint.tensors) {
    if (is_for_training(name)) continue;
    start.rows.push_back({name, text_of(tensor), name, {}});
    start.tensors.emplace(name, tensor.to(torch::kFloat));
  }
  return start;
}

StartWeights read_start_weights(const std::filesystem::path& file, const std::string& model,
                                double norm_epsilon) {
  if (is_checkpoint(file)) return start_weights_of(read_checkpoint(file, true), file.string());
  WeightFile opened = read_weight_file(file);
  StartWeights start{.file = file.string(),
                     .format = opened.format,
                     .part = opened.part,
                     .side = opened.side,
                     .tensors = {},
                     .rows = {}};
  std::vector<std::string> names = opened.classes;
  ModelWeights weights = model_weights(std::move(opened), model, norm_epsilon, file.string());
  start.graph = std::move(weights.graph);
  start.has_outputs = weights.has_outputs;
  start.norm_epsilon = weights.norm_epsilon;
  start.folded = weights.folded;
  start.rows = std::move(weights.rows);
  const bool named = start.has_outputs && !are_numbers(names) &&
                     names.size() == static_cast<std::size_t>(start.graph.classes);
  if (named) start.classes = std::move(names);
  for (auto& [name, tensor] : weights.tensors) {
    start.tensors.emplace(name, torch::tensor(tensor.values).view(tensor.shape));
    tensor = {};  // its memory, before the next is copied
  }
  return start;
}

std::vector<WeightRow> load_start_weights(Network& network, const StartWeights& start,
                                          const std::vector<std::string>& classes, Match match) {
  const torch::NoGradGuard no_gradient;
  const Loading loading(network, start, classes, match);
  const std::map<std::string, torch::Tensor> own = tensors_of(network);
  std::vector<WeightRow> rows;
  for (const auto& [name, tensor] : own) rows.push_back(loading.row(name, tensor));
  for (const auto& [name, tensor] : start.tensors) {
    if (!own.contains(name))
      rows.push_back({name, text_of(tensor), "", kSkipped + "the model has no such layer"});
  }
  if (match == Match::strict) require_all(rows, start, network.graph());
  for (const WeightRow& row : rows) {
    if (is_loaded(row)) loading.copy(row.target, own.at(row.target));
  }
  return rows;
}

std::int64_t loaded_count(const std::vector<WeightRow>& rows) {
  return std::count_if(rows.begin(), rows.end(), is_loaded);
}

}  // namespace letterpress
