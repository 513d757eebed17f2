#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/loader/rates/loader_rate.h"

namespace letterpress {

struct BenchOptions {
  std::int64_t rows = 1000;  ///< at most; fewer where the split has fewer pictures
  std::vector<PixelType> pixels{PixelType::bytes, PixelType::float32};
  LoaderOptions loading{.batch = 32};
  std::string order = "shuffle";
  int runs = 5;
  bool cold = true;   ///< also with the page cache emptied of the store
  double pace = 1.1;  ///< how many times as long as the loader a paced consumer takes for a row
  std::string device =
      "cpu";  ///< a CUDA device: also how fast rows reach its memory; auto: where there is one
  std::function<void(const std::string&)> stage = [](const std::string&) {
  };  ///< told what is measured next
};

/// One way to load, measured.
struct BenchLine {
  std::string name;               ///< "bytes, warm"
  Rate rate{};                    ///< rows/s
  double row_bytes = 0;           ///< read and written per row
  std::string ceiling{};          ///< what it is held against; may be empty
  std::optional<double> share{};  ///< of that ceiling, 0..1 and above
};

/// What the loader gives, in rows/s.
struct Supply {
  double warm = 0;               ///< from memory
  std::optional<double> cold{};  ///< from the disk, where that was measured
  bool from_disk = false;        ///< in each epoch, see ReadChoice
  std::optional<double> bus{};   ///< to the memory of all devices together, where they have one
};
/// What would hold devices up that take `need` rows/s: "the store gives 115.2 times that from
/// memory: the devices are the limit".
std::string limiter(double need, const Supply& supply);

/// What devices take.
struct Need {
  double rows_per_s = 0;  ///< all of them together; 0: not known
  int devices = 1;        ///< each has a bus of its own
  std::string source{};   ///< where that number is from: "2 x a device of --need"
};

struct BenchMetrics {
  std::string where;  ///< "1000 of 4000 pictures, side 640, 1.23 GB of rows on ext4"
  int threads = 0, side = 0, batch = 0;
  std::string kernels{};  ///< instruction set that copies and converts: "AVX2"
  std::int64_t rows = 0;
  std::vector<std::string> choices{};  ///< how rows are read, for each kind of pixels
  std::vector<BenchLine> lines{};
  Supply supply{};          ///< of the first kind of pixels; bus: to one device
  std::string not_cold{};   ///< "tmpfs": the file system that is memory, so that no row was read
                            ///< cold; else empty
  double verification = 0;  ///< what checking adds to the time of a row of the first kind, as a
                            ///< share of it: 0.3 for 30 %
  double pace = 1.1,
         paced_rate = 0;  ///< BenchOptions::pace; what the paced consumer could take, rows/s
  double waiting = 0;     ///< share of its time that it waited
  Need need{};            ///< what `supply` is held against: the caller sets it
};
/// pictures: of a split, in any order; view 0 of the first ones is read. Throws what the loader
/// throws.
BenchMetrics measure_bench(const SnapshotReader& reader, const std::vector<PictureRows>& pictures,
                           const BenchOptions& options);

void print(const BenchMetrics& metrics, std::ostream& out);
nlohmann::json json_of(const BenchMetrics& metrics);

}  // namespace letterpress
