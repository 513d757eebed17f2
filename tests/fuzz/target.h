#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace letterpress {

/// A parser that is given any bytes.
struct FuzzTarget {
  std::string name;  ///< "shard"; its corpus is the folder corpus/shard
  /// Parses `bytes`; may write files below `folder`, which is its own and stays between calls. May
  /// throw Error, nothing else.
  std::function<void(const std::filesystem::path& folder, std::span<const std::byte> bytes)> read;
  /// Writes into `folder` what read() expects beside its file; called once.
  std::function<void(const std::filesystem::path& folder)> prepare{};
};

/// The groups of targets, each in its own library.
std::vector<FuzzTarget> labels_targets();
std::vector<FuzzTarget> pictures_targets();
std::vector<FuzzTarget> runs_targets();
std::vector<FuzzTarget> stores_targets();
std::vector<FuzzTarget> texts_targets();
std::vector<FuzzTarget> weights_targets();

/// Lets the target parse the bytes. Returns "", or what is wrong: an Error that calls it a bug or
/// says nothing.
std::string wrong_with(const FuzzTarget& target, const std::filesystem::path& folder,
                       std::span<const std::byte> bytes);

/// `text` is not what a parser promises: ends the process, which the fuzzer takes for a crash.
[[noreturn]] void broken_promise(const std::string& text);

/// FILE <- bytes, in place: the fuzzer writes the same file thousands of times a second.
std::filesystem::path write_bytes(const std::filesystem::path& file,
                                  std::span<const std::byte> bytes);
/// `begin` and then `bytes`.
std::vector<std::byte> behind(std::string_view begin, std::span<const std::byte> bytes);
std::string_view text_of(std::span<const std::byte> bytes);

}  // namespace letterpress
