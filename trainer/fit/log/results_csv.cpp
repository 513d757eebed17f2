#include "trainer/fit/log/results_csv.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"

namespace letterpress {
namespace {

std::string header(const std::vector<std::string>& term_names, bool of_classifier,
                   const std::string& goal) {
  std::string text = "epoch,step";
  for (const std::string& name : term_names) text += "," + name;
  return text + ",loss,lr,images_per_s,data_wait_percent," +
         (of_classifier ? "top1" : "map50,map50_95,precision,recall") +
         (goal.empty() ? "" : "," + goal) + ",val_loss,seconds";
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, ",%.6g", value);
  return text;
}

// Spreadsheets and some checkouts end lines in CR LF.
std::vector<std::string> split(std::string line) {
  std::vector<std::string> parts;
  if (line.ends_with('\r')) line.pop_back();
  if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // as spreadsheets write UTF-8
  std::istringstream rest(line + ",");
  for (std::string part; std::getline(rest, part, ',');) parts.push_back(part);
  return parts;
}

double value_of(const std::string& field) {
  return field.empty() ? std::numeric_limits<double>::quiet_NaN()
                       : std::strtod(field.c_str(), nullptr);
}

/// Where each of these columns is among `names`; names.size(): it is not there.
std::vector<std::size_t> places_of(const std::vector<std::string>& columns,
                                   const std::vector<std::string>& names) {
  std::vector<std::size_t> places;
  for (const std::string& column : columns)
    places.push_back(static_cast<std::size_t>(std::ranges::find(names, column) - names.begin()));
  return places;
}

struct Kept {
  std::string text;
  bool drops_columns = false;  // that no program of ours wrote
};

// A crash may have left half a line, and a resumed run makes the later ones again.
Kept kept_of(const std::string& content, const std::string& head, std::int64_t epochs_done) {
  Kept kept{head + "\n"};
  std::istringstream lines(content);
  std::string line;
  if (!std::getline(lines, line)) return kept;
  const std::vector<std::string> columns = split(head), names = split(line);
  kept.drops_columns = std::ranges::any_of(names, [&](const std::string& name) {
    return std::ranges::find(columns, name) == columns.end();
  });
  if (names.front() != columns.front()) return kept;
  const std::vector<std::size_t> places = places_of(columns, names);
  while (std::getline(lines, line) && !lines.eof()) {
    std::vector<std::string> values = split(line);
    const long long epoch = std::strtoll(line.c_str(), nullptr, 10);
    if (values.size() != names.size() || epoch < 1 || epoch > epochs_done) continue;
    values.emplace_back();  // of columns that are not there
    for (std::size_t i = 0; i < places.size(); ++i)
      kept.text += (i > 0 ? "," : "") + values[places[i]];
    kept.text += "\n";
  }
  return kept;
}

}  // namespace

const std::vector<double>* RunResults::find(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &columns[static_cast<std::size_t>(found - names.begin())];
}

std::vector<std::string> RunResults::term_names() const {
  // As header() has them: between step and loss.
  return {names.begin() + 2, std::find(names.begin(), names.end(), "loss")};
}

std::string RunResults::goal() const {
  // As header() has it: between recall and val_loss.
  const auto recall = std::ranges::find(names, "recall");
  if (recall == names.end() || names.end() - recall < 3 || *(recall + 2) != "val_loss") return {};
  return *(recall + 1);
}

RunResults read_results(const std::filesystem::path& file) {
  std::istringstream lines(read_file(file));
  std::string line;
  std::getline(lines, line);
  RunResults results{.names = split(line)};
  const auto lacks = [&](const char* name) {
    return std::find(results.names.begin(), results.names.end(), name) == results.names.end();
  };
  if (!line.starts_with("epoch,step,") || lacks("loss") || lacks("lr") || lacks("images_per_s") ||
      lacks("data_wait_percent"))
    throw Error(
        {.where = file.string(),
         .what = "is not a results.csv of a run, its first line is '" + line.substr(0, 60) + "'"});
  results.columns.resize(results.names.size());
  while (std::getline(lines, line) && !lines.eof()) {
    const std::vector<std::string> values = split(line);
    if (values.size() != results.names.size()) continue;
    for (std::size_t i = 0; i < values.size(); ++i)
      results.columns[i].push_back(value_of(values[i]));
  }
  return results;
}

ResultsCsv::ResultsCsv(std::filesystem::path file, std::vector<std::string> term_names,
                       std::int64_t epochs_done, bool of_classifier, const std::string& goal)
    : file_(std::move(file)), of_classifier_(of_classifier), has_goal_(!goal.empty()) {
  const std::string content = std::filesystem::exists(file_) ? read_file(file_) : "";
  const Kept kept = kept_of(content, header(term_names, of_classifier, goal), epochs_done);
  const std::filesystem::path old = file_.string() + ".old";
  if (kept.drops_columns && !std::filesystem::exists(old)) replace_file(old, content);
  if (kept.text != content) replace_file(file_, kept.text);
}

void ResultsCsv::append(const EpochResult& result) {
  std::string line = std::to_string(result.epoch) + "," + std::to_string(result.step);
  double loss = 0;
  for (const double term : result.terms) {
    line += number(term);
    loss += term;
  }
  line += number(loss) + number(result.lr) + number(result.images_per_s) +
          number(100 * result.data_wait);
  if (of_classifier_) {
    line += result.metrics ? number(result.metrics->top1.value()) : ",";
  } else if (const auto& metrics = result.metrics) {
    line += number(metrics->map50) + number(metrics->map) + number(metrics->precision) +
            number(metrics->recall);
  } else {
    line += ",,,,";
  }
  if (has_goal_)
    line += result.metrics && result.metrics->goal ? number(result.metrics->goal->second) : ",";
  line += result.metrics && result.metrics->loss ? number(*result.metrics->loss) : ",";
  append_line(file_, line + number(result.seconds));
}

}  // namespace letterpress
