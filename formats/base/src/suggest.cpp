#include "letterpress/base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace letterpress {
namespace {

// Optimal string alignment distance: insert, delete, replace, swap of neighbours each cost 1.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::vector<std::string> nearest_first(std::string_view name, std::span<const std::string> known) {
  std::vector<std::string> names(known.begin(), known.end());
  std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return distance(name, a) < distance(name, b);
  });
  return names;
}

bool is_near(std::string_view name, std::string_view other) {
  return distance(name, other) <= std::max<std::size_t>(1, name.size() / 3);
}

std::string either_of(std::span<const std::string> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string> known) {
  const std::vector<std::string> names = nearest_first(name, known);
  std::string text = "unknown " + std::string(kind) + " '" + std::string(name) + "'";
  const bool near = !names.empty() && is_near(name, names.front());
  text += near ? "; did you mean '" + names.front() + "'? known: " : "; known: ";
  return text + fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace letterpress
