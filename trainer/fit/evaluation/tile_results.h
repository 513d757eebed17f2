#pragma once
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/detection/detection.h"
#include "trainer/metrics/picture_result.h"

namespace letterpress {

bool holds_tiles(const SnapshotReader& reader);

/// For each picture the positions of its rows in `rows`; pictures in the order of their first row.
/// One row each where pictures are whole, else those of its tiles: no two stored pictures have
/// equal bytes.
std::vector<std::vector<std::size_t>> rows_of_pictures(const SnapshotReader& reader,
                                                       const std::vector<PictureRows>& rows);

/// The pictures whose tiles `rows` are, in the order of their first ones: each picture's first row.
/// `rows` themselves where pictures are whole.
std::vector<PictureRows> source_pictures(const SnapshotReader& reader,
                                         const std::vector<PictureRows>& rows);

/// Results of rows, in their order, all in pixels of the source -> those of source_pictures(). Of a
/// picture's tiles the detections become one by merge_tiles(), and a ground truth that several
/// tiles show is counted once. Those of which no tile shows enough are not there: the build counted
/// them as boxes in no tile.
std::vector<PictureResult> results_of_pictures(const SnapshotReader& reader,
                                               const std::vector<PictureRows>& rows,
                                               std::vector<PictureResult> results,
                                               const DetectionOptions& options);

}  // namespace letterpress
