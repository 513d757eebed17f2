// write_sample FOLDER: the sample shard for check_sample.py; prints its path.
#include <iostream>

#include "sample_shard.h"

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  std::filesystem::create_directories(argv[1]);
  std::cout << letterpress::write_sample(argv[1]).string();
}
