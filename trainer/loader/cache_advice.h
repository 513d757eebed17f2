#pragma once
#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

#include "trainer/loader/host_batch.h"
#include "trainer/loader/loader_options.h"
#include "trainer/loader/rows/row_files.h"

namespace letterpress {

/// Tells the page cache of rows before they are read, as LoaderOptions::advise says: groups of that
/// many batches, each in the order of the disk. The consumer plans a group while the one before it
/// is read; the readers pass its rows on a few at a time, to keep that pace.
class CacheAdvice {
 public:
  /// batches: from 0 on, as the loader counts them. rows and options outlive it.
  CacheAdvice(const RowFiles& rows, const LoaderOptions& options, BatchSequence batches)
      : rows_(rows), options_(options), batches_(std::move(batches)) {}

  /// Before `batch` is planned; each batch once, in order. The consumer's thread.
  void plan(std::int64_t batch);
  /// Once for each row of `batch` that is read. Thread-safe.
  void pass_on(std::int64_t batch);

 private:
  void plan_group(std::int64_t first);

  const RowFiles& rows_;
  const LoaderOptions& options_;
  const BatchSequence batches_;
  std::mutex mutex_;
  std::deque<RowPlace> next_;  ///< that the page cache is told of next
};

}  // namespace letterpress
