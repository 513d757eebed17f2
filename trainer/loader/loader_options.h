#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <string_view>

#include "letterpress/shards/store.h"
#include "trainer/loader/loader_clock.h"
#include "trainer/loader/pixels/row_sink.h"
#include "trainer/loader/rows/read_by.h"

namespace letterpress {

/// Row checksums: on a row's first touch, each time, never.
enum class VerifyRows { first, always, never };
/// By VerifyRows.
inline constexpr std::array<std::string_view, 3> kVerifyNames{"first", "always", "never"};

struct LoaderOptions {
  int batch = 16;   ///< rows of this rank's micro-batch; the most that a sequence may ask for
  int threads = 0;  ///< readers; 0: min(4, cores)
  int buffers = 3;  ///< batches in memory with the consumer's; >= 2, more for jittery disks
  VerifyRows verify = VerifyRows::first;
  PixelType pixels = PixelType::bytes;  ///< bytes for a GPU, which normalises; floats for a CPU
  ReadBy read = ReadBy::automatic;      ///< change it when BatchLoader::read_choice() is wrong
  /// Batches that the page cache is told of ahead, in the disk's order, while those before them are
  /// read: a window's, for disks that seek slowly. It is told of the first ones while they are
  /// read, at twice the pace. 0: none.
  int advise = 0;
  /// A read for which the consumer waits longer is an Error naming shard and row. A stop of the
  /// process for more than two seconds while it waits does not count.
  double deadline_s = 40;
  /// next() calls it every tenth of a second while it waits, in its thread. What it throws, next()
  /// throws, and the loader's end does not wait for reads any more.
  std::function<void()> while_waiting = {};
  /// For images, on a multiple of 64; empty: whole pages. Returning nullptr is an Error.
  std::function<void*(std::size_t)> allocate = {};
  /// Given with `allocate` or not at all; the thread that lets go last calls it.
  std::function<void(void*)> release = {};
  // Seams for tests.
  std::function<void(const RowPlace&)> before_read = {};  ///< the reader thread calls it
  std::function<void(const RowPlace&)> advised = {};  ///< of rows that the page cache is told of
  LoaderClock* clock = nullptr;  ///< outlives the loader; null: the steady clock
};

}  // namespace letterpress
