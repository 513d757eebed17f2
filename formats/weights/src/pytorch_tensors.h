#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/weights/weight_file.h"
#include "letterpress/zip/zip_archive.h"
#include "pickle.h"

namespace letterpress {

inline constexpr const char* kSaveStateDict =
    "in Python: torch.save(model.state_dict(), \"weights.pt\")";

/// A file by torch.save, PyTorch 1.6 or newer: a zip archive of a pickle and the storages that it
/// names. Throws Error naming the file where it is damaged, or its pickle calls what no weights
/// need.
class PytorchFile {
 public:
  explicit PytorchFile(const std::filesystem::path& path);

  const Pickle& pickle() const noexcept { return pickle_; }
  /// The tensor that a node is, itself or as a parameter's.
  std::optional<std::size_t> tensor(std::size_t index) const;
  /// How many axes a tensor has: of a layer's weights, two or more.
  std::size_t axes(std::size_t tensor) const;
  /// A tensor's shape and values under a name; no values where they are whole numbers.
  WeightArray array(const std::string& name, std::size_t tensor);
  [[noreturn]] void fail(const std::string& what,
                         const std::string& fix = "the file is damaged, copy it again") const;

 private:
  /// Numbers of a storage, picked by strides. type: nothing for whole numbers.
  struct Strided;
  Strided describe(const std::string& name, std::size_t tensor) const;
  std::vector<std::int64_t> integers(std::size_t index) const;
  const std::vector<float>& storage(const Strided& strided);
  std::vector<float> pick(const std::string& name, const Strided& strided);

  ZipArchive archive_;
  std::string path_, folder_;
  Pickle pickle_;
  std::int64_t values_left_ = 0;  ///< how many more may be read: tensors may share storages
  std::string last_storage_;
  std::vector<float> storage_;
};

}  // namespace letterpress
