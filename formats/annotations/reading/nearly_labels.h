#pragma once
#include <optional>
#include <string>

#include "formats/annotations/files/input.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {

/// A file that looks like labels and is of no format, and why it is not read.
struct NearlyLabels {
  std::string name{};  ///< from the folder: "labels/boxes.csv"
  Message message{};
};

/// Of an input that is of no format: the file itself, where formats say less of it, or the one in
/// the folder, or in the folders there, that looks most like labels: a table, else a JSON, an XML,
/// or lines of DOTA.
std::optional<NearlyLabels> nearly_labels(const Input& input);

}  // namespace letterpress::annotations
