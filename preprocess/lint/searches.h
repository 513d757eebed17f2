#pragma once
#include <set>
#include <span>
#include <string>
#include <vector>

#include "letterpress/base/stop_request.h"
#include "letterpress/shards/store.h"
#include "preprocess/lint/finding.h"
#include "preprocess/options/build_listener.h"

namespace letterpress {

/// What the searches below look at.
struct LintSource {
  const Store& store;
  const SnapshotReader& reader;
  const std::vector<LedgerEntry>& ledger;
  const LintOptions& options;
  BuildListener& listener;
  const StopRequest& stop;
};

/// Pictures outside train whose near-duplicate or scene is in train.
using Leaking = std::set<const LedgerEntry*>;
struct SeenPicture;

/// Pictures with the same bytes that the build merged: the ledger knows them.
void find_duplicates(const LintSource& source, std::vector<Finding>& findings);
/// Pictures of one split that look like one of another: what is measured there is then known from
/// training. One finding per picture, with the one that it is closest to; the finding is about the
/// one outside train.
void find_near_duplicates(const LintSource& source, std::span<const SeenPicture> all,
                          std::vector<Finding>& findings, Leaking& leaking);
/// Pictures outside train that show what one of train shows, as the views of a series do; those
/// that are leaking already are not told again.
void find_same_scenes(const LintSource& source, std::span<const SeenPicture> all,
                      std::vector<Finding>& findings, Leaking& leaking);
/// tiny-box, edge and aspect, from the clean rows; one finding per picture and kind.
void find_odd_boxes(const LintSource& source, std::vector<Finding>& findings);
/// Boxes of one picture that lie on each other: one object that is labelled twice, or as two
/// classes. One finding per picture.
void find_double_boxes(const LintSource& source, std::vector<Finding>& findings);
/// Classes that are rare in train, absent from it, or from every other split.
void find_imbalance(const LintSource& source, std::vector<Finding>& findings);
/// orientation: a picture is turned by its EXIF tag and the label file does not say for which frame
/// its boxes are meant. size: the label file states another size than the picture has. Reads label
/// files and headers of changed pictures. Throws Error when label files cannot be read.
void find_header_mismatches(const LintSource& source, std::vector<Finding>& findings);

/// A finding about a picture.
Finding finding(const char* kind, const LedgerEntry& entry, std::string what, std::string fix);

}  // namespace letterpress
