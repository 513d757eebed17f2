#pragma once
#include <string>

namespace letterpress {

/// Who makes a shard's bytes, kept in plans, shards and snapshots: "letterpress 0.1.0 (pixels 3,
/// OpenCV 4.6.0, libjpeg-turbo 2.1.5, HDF5 1.10.8)". What decides the bytes of a row that is made
/// now; rows that are kept say in their shard who made them, and are kept whoever makes the others.
/// A plan is mapped only by the producer that made it.
std::string producer();

}  // namespace letterpress
