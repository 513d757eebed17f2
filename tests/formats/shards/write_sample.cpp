// write_sample FOLDER none|deflate: the sample shard for check_sample.py; prints its path.
#include <iostream>

#include "sample_shard.h"

using letterpress::Compression;

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const bool deflate = std::string(argv[2]) == "deflate";
  std::filesystem::create_directories(argv[1]);
  std::cout << letterpress::write_sample(argv[1],
                                         deflate ? Compression::deflate : Compression::none)
                   .string();
}
