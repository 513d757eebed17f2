#include "trainer/fit/epoch_checkpoints.h"

#include <cstdio>
#include <set>

#include "letterpress/base/file.h"
#include "letterpress/base/folder.h"

namespace letterpress {
namespace {

const std::string kPrefix = "epoch-", kSuffix = ".safetensors";

bool is_epoch_checkpoint(const std::string& name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return false;
  const std::string digits =
      name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
  return digits.size() >= 6 && digits.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

std::string epoch_checkpoint_name(std::int64_t epoch) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%06lld", static_cast<long long>(epoch));
  return kPrefix + digits + kSuffix;
}

void remove_old_epoch_checkpoints(const std::filesystem::path& folder, int keep) {
  if (keep <= 0) return;
  std::set<std::pair<std::size_t, std::string>> names;  // longer numbers are larger
  for (const std::string& name : names_in(folder)) {
    if (is_epoch_checkpoint(name)) names.insert({name.size(), name});
  }
  while (names.size() > static_cast<std::size_t>(keep)) {
    remove_file(folder / names.begin()->second);
    names.erase(names.begin());
  }
}

}  // namespace letterpress
