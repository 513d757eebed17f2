#include "preprocess/inputs/contested_pictures.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "preprocess/inputs/inputs.h"

namespace letterpress {
namespace {

// A name as its label file writes it, which may have another system's slashes.
std::string slashed(std::string name) {
  std::ranges::replace(name, '\\', '/');
  std::string path = std::filesystem::path(name).lexically_normal().generic_string();
  while (path.starts_with("../")) path.erase(0, 3);
  return path;
}

std::string_view place_of(const Item& item) {
  return item.member.empty() ? std::string_view(item.path) : std::string_view(item.member);
}

struct Named {
  Candidate* candidate;
  std::string part;  // that differs from the path
};

std::string part_of(const Item& item) {
  if (part_that_differs(item.name, place_of(item)).empty()) return {};
  return std::string(part_that_differs(slashed(item.name), place_of(item)));
}

void reject(const Named& one, const Named& other) {
  Candidate& candidate = *one.candidate;
  const std::string name = "'" + candidate.item.name + "'", path = picture_path(candidate.item);
  const std::string what = other.part.empty()
                               ? name + " would be " + path +
                                     " by the end of its path, which another label names as it is"
                               : name + " and '" + other.candidate->item.name + "' would both be " +
                                     path + ", by the ends of their paths";
  Reject reject{candidate.item.where, what,
                "give --root with the folder that paths start from; if both mean this "
                "picture, put its boxes into one label file"};
  reject.name = candidate.item.name;
  reject.path = path;
  candidate.reject = std::make_shared<const Reject>(std::move(reject));
}

void settle(const std::vector<Named>& named) {
  for (const Named& one : named) {
    if (one.part.empty()) continue;
    const auto whole = std::ranges::find(named, "", &Named::part);
    const auto other =
        whole != named.end()
            ? whole
            : std::ranges::find_if(named, [&](const Named& o) { return o.part != one.part; });
    if (other != named.end()) reject(one, *other);
  }
}

}  // namespace

std::string_view part_that_differs(std::string_view name, std::string_view path) {
  std::size_t end = name.size(), path_end = path.size();
  while (end > 0 && path_end > 0 && name[end - 1] == path[path_end - 1]) --end, --path_end;
  if (end == 0 && (path_end == 0 || path[path_end - 1] == '/')) return {};
  const std::size_t within = end == 0 ? 0 : end - 1;
  const std::size_t slash = within == 0 ? std::string_view::npos : name.rfind('/', within - 1);
  const std::size_t start = slash == std::string_view::npos ? 0 : slash + 1;
  return name.substr(start, name.find('/', within) - start);
}

void reject_contested(Inputs& inputs) {
  std::unordered_map<std::string, std::vector<Named>> by_path;
  for (const Candidate& candidate : inputs.candidates) {
    if (!candidate.reject && !part_of(candidate.item).empty())
      by_path[picture_path(candidate.item)];
  }
  if (by_path.empty()) return;
  for (Candidate& candidate : inputs.candidates) {
    if (candidate.reject) continue;
    const auto path = by_path.find(picture_path(candidate.item));
    if (path != by_path.end()) path->second.push_back({&candidate, part_of(candidate.item)});
  }
  for (const auto& [path, named] : by_path) settle(named);
}

}  // namespace letterpress
