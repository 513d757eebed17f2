#pragma once
#include "tests/bench/benchmark.h"

namespace letterpress {

// Every benchmark; registry.cpp lists them.
extern constinit const BenchmarkEntry kAnchorAssignment;
extern constinit const BenchmarkEntry kAugmentedRow;
extern constinit const BenchmarkEntry kColour;
extern constinit const BenchmarkEntry kConversion;
extern constinit const BenchmarkEntry kDecode;
extern constinit const BenchmarkEntry kDecodeAndRowWrite;
extern constinit const BenchmarkEntry kDecodeAsBuilt;
extern constinit const BenchmarkEntry kDecodeAsBuiltAndRowWrite;
extern constinit const BenchmarkEntry kDecodeToSide;
extern constinit const BenchmarkEntry kDecodeToSideAndRowWrite;
extern constinit const BenchmarkEntry kLetterbox;
extern constinit const BenchmarkEntry kPermutation;
extern constinit const BenchmarkEntry kPointAssignment;
extern constinit const BenchmarkEntry kRowChecksum;
extern constinit const BenchmarkEntry kRowRead;
extern constinit const BenchmarkEntry kRowWrite;
extern constinit const BenchmarkEntry kSuppression;
extern constinit const BenchmarkEntry kWarp;

}  // namespace letterpress
