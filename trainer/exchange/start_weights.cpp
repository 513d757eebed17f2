#include "trainer/exchange/start_weights.h"

#include <algorithm>
#include <optional>

#include "letterpress/base/error.h"
#include "letterpress/base/registry.h"
#include "letterpress/weights/safetensors.h"
#include "letterpress/weights/weight_file.h"

namespace letterpress {
namespace {

constexpr std::int64_t kBoxRows = 5;  // x y w h objectness, then one per class
constexpr std::size_t kShown = 5;
const std::string kSkipped = "not loaded: ";

std::string text_of(const torch::Tensor& tensor) {
  std::string text;
  for (const std::int64_t size : tensor.sizes()) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

// Number of anchors of the head behind a tensor "<layer>.weight" or "<layer>.bias"; none when no head reads the layer.
std::optional<std::int64_t> anchors_behind(const Graph& graph, const std::string& tensor) {
  for (const int output : graph.outputs) {
    const Layer& head = graph.layers[static_cast<std::size_t>(output)];
    const std::string& layer = graph.layers[static_cast<std::size_t>(head.inputs.front())].name;
    if (!head.anchor_mask.empty() && tensor.substr(0, tensor.rfind('.')) == layer)
      return static_cast<std::int64_t>(head.anchor_mask.size());
  }
  return std::nullopt;
}

/// Which of the file's class rows goes to each of ours: -1 for none.
std::vector<std::int64_t> class_sources(const std::vector<std::string>& theirs, const std::vector<std::string>& ours) {
  std::vector<std::int64_t> sources;
  for (const std::string& name : ours) {
    const auto found = std::find(theirs.begin(), theirs.end(), name);
    sources.push_back(found == theirs.end() ? -1 : found - theirs.begin());
  }
  return sources;
}

std::string names_with(const std::vector<std::string>& classes, const std::vector<std::int64_t>& sources, bool known) {
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
  Loading(const Network& network, const StartWeights& start, const std::vector<std::string>& classes, Match match)
      : graph_(network.graph()), start_(start), classes_(classes), match_(match), sources_(class_sources(start.classes, classes)) {
    for (const WeightRow& row : start.rows) file_names_.emplace(row.target, row.source);
  }

  WeightRow row(const std::string& name, const torch::Tensor& own) const {
    const auto found = start_.tensors.find(name);
    if (found == start_.tensors.end()) return {"", text_of(own), name, kSkipped + "the file does not have it"};
    WeightRow row{file_names_.at(name), text_of(found->second), name, {}};
    if (by_rows(name, own, found->second)) {
      row.note = rows_note();
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
    const std::int64_t anchors = *anchors_behind(graph_, name);
    std::vector<std::int64_t> to{anchors, -1}, from{anchors, -1};
    to.insert(to.end(), own.sizes().begin() + 1, own.sizes().end());
    from.insert(from.end(), theirs.sizes().begin() + 1, theirs.sizes().end());
    const torch::Tensor ours_by_row = own.view(to), theirs_by_row = theirs.reshape(from);
    ours_by_row.narrow(1, 0, kBoxRows).copy_(theirs_by_row.narrow(1, 0, kBoxRows));
    for (std::size_t c = 0; c < sources_.size(); ++c) {
      if (sources_[c] >= 0)
        ours_by_row.select(1, kBoxRows + static_cast<std::int64_t>(c)).copy_(theirs_by_row.select(1, kBoxRows + sources_[c]));
    }
  }

 private:
  // An output layer of other classes, of which all but the rows agrees.
  bool by_rows(const std::string& name, const torch::Tensor& own, const torch::Tensor& theirs) const {
    if (match_ != Match::name || own.dim() != theirs.dim() || own.sizes().slice(1) != theirs.sizes().slice(1)) return false;
    if (start_.classes.empty() ? own.sizes() == theirs.sizes() : start_.classes == classes_) return false;
    const std::optional<std::int64_t> anchors = anchors_behind(graph_, name), their_anchors = anchors_behind(start_.graph, name);
    return anchors && anchors == their_anchors && theirs.size(0) == *anchors * (kBoxRows + start_.graph.classes) &&
           own.size(0) == *anchors * (kBoxRows + graph_.classes);
  }

  std::string rows_note() const {
    if (start_.classes.empty())
      return "box and objectness rows; the file's " + std::to_string(start_.graph.classes) +
             " classes have no names, `import` gives them some";
    const std::string known = names_with(classes_, sources_, true), fresh = names_with(classes_, sources_, false);
    return "box and objectness rows" + (known.empty() ? "" : ", rows of " + known) + (fresh.empty() ? "" : "; new: " + fresh);
  }

  const Graph& graph_;
  const StartWeights& start_;
  const std::vector<std::string>& classes_;
  Match match_;
  std::vector<std::int64_t> sources_;
  std::map<std::string, std::string> file_names_;  ///< by our name
};

bool is_loaded(const WeightRow& row) { return !row.target.empty() && !row.note.starts_with(kSkipped); }

void require_all(const std::vector<WeightRow>& rows, const StartWeights& start, const Graph& graph) {
  const auto skipped =
      static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](const WeightRow& row) { return !is_loaded(row); }));
  if (skipped == 0) return;
  std::string text;
  std::size_t n = 0;
  for (const WeightRow& row : rows) {
    const std::string& name = row.target.empty() ? row.source : row.target;
    if (!is_loaded(row) && ++n <= kShown) text += (text.empty() ? "" : "; ") + name + " " + row.note;
  }
  throw Error(start.file + ": " + std::to_string(skipped) + " tensors do not fit " + graph.model + " with " +
                  std::to_string(graph.classes) + " classes: " + text + (skipped > kShown ? " and more" : "") +
                  "; --match shape or name loads what fits",
              Exit::configuration);
}

}  // namespace

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

StartWeights read_start_weights(const std::filesystem::path& file, const std::string& model, double norm_epsilon) {
  if (is_checkpoint(file)) return start_weights_of(read_checkpoint(file, true), file.string());
  WeightFile opened = read_weight_file(file);
  StartWeights start{.file = file.string(), .format = opened.format, .tensors = {}, .rows = {}};
  ModelWeights weights = model_weights(std::move(opened), model, norm_epsilon, file.string());
  start.graph = std::move(weights.graph);
  start.has_outputs = weights.has_outputs;
  start.rows = std::move(weights.rows);
  for (auto& [name, tensor] : weights.tensors) {
    start.tensors.emplace(name, torch::tensor(tensor.values).view(tensor.shape));
    tensor.values = {};
  }
  return start;
}

Match match_named(const std::string& name) {
  const std::vector<std::string> known{"strict", "shape", "name"};
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end()) throw Error("--match: " + unknown_name("rule", name, known), Exit::usage);
  return static_cast<Match>(found - known.begin());
}

std::vector<WeightRow> load_start_weights(Network& network, const StartWeights& start, const std::vector<std::string>& classes,
                                          Match match) {
  const torch::NoGradGuard no_gradient;
  const Loading loading(network, start, classes, match);
  std::map<std::string, torch::Tensor> own;
  for (const auto& named : network.named_parameters()) own.emplace(named.key(), named.value());
  for (const auto& named : network.named_buffers()) own.emplace(named.key(), named.value());
  std::vector<WeightRow> rows;
  for (const auto& [name, tensor] : own) rows.push_back(loading.row(name, tensor));
  for (const auto& [name, tensor] : start.tensors) {
    if (!own.contains(name)) rows.push_back({name, text_of(tensor), "", kSkipped + "the model has no such layer"});
  }
  if (match == Match::strict) require_all(rows, start, network.graph());
  for (const WeightRow& row : rows) {
    if (is_loaded(row)) loading.copy(row.target, own.at(row.target));
  }
  return rows;
}

std::int64_t loaded_count(const std::vector<WeightRow>& rows) { return std::count_if(rows.begin(), rows.end(), is_loaded); }

}  // namespace letterpress
