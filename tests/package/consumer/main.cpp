// consumer SHARD: what is in a shard, read by a program outside the project.
#include <iostream>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/shards/shard.h"

int main(int argc, char** argv) try {
  if (argc != 2) return 64;
  const letterpress::ShardReader shard(argv[1]);
  std::vector<std::uint8_t> image(static_cast<std::size_t>(shard.image_bytes()));
  std::cout << shard.rows() << " rows of " << shard.spec().side << "x" << shard.spec().side << "\n";
  for (std::int64_t row = 0; row < shard.rows(); ++row) {
    shard.read_images(row, 1, image.data());
    shard.verify_row(row, image);
    std::cout << shard.name(row) << ": " << shard.box_count(row) << " boxes, first pixel "
              << int{image[0]} << " " << int{image[1]} << " " << int{image[2]} << "\n";
  }
} catch (const letterpress::Error& error) {
  std::cerr << error.what() << "\n";
  return static_cast<int>(error.exit());
}
