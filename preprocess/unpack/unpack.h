#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "letterpress/base/entry_info.h"
#include "letterpress/base/stop_request.h"
#include "letterpress/shards/store.h"
#include "preprocess/options/build_listener.h"
#include "preprocess/unpack/unpack_report.h"

namespace letterpress {

/// How a store becomes a labelled set of files again.
struct UnpackOptions {
  std::filesystem::path out;  ///< folder, absent or empty; it appears whole or not at all
  std::string to;             ///< a name of unpack_formats()
  std::string split;          ///< "" all of them
  bool jpeg =
      false;  ///< pictures as JPEG instead of PNG: smaller, no longer the store's very pixels
  int quality = 95;  ///< 1..100 of the JPEGs
};

/// Writes the clean picture of every row (view 0) with the letterbox undone, that is the picture's
/// part of the frame, and its labels in pixels of that part. A picture is as large as it is in the
/// store, not as large as its source was: the store has no more of it. Building such a set again
/// with the store's --size and letterbox gives the same boxes; with PNG the same pixels, too.
/// Pictures are named as their label file did, from the folder that all of a split share, without
/// `..`; equal names get a part of the picture's hash. The same snapshot gives the same files on
/// any number of threads. Returns early, without `out`, on `stop`. Throws Error:
/// (usage) unknown format; (no_input) no such split; (cannot_create) `out` holds something;
/// (configuration) the format cannot hold what the store is made of: boxes in class folders, labels
/// of whole pictures in the others; (data) a damaged row; (io).
UnpackReport unpack(const Store& store, const SnapshotReader& reader, const UnpackOptions& options,
                    BuildListener& listener, const StopRequest& stop);

/// Name and one-line description of each format, for help texts.
std::vector<EntryInfo> unpack_formats();

}  // namespace letterpress
