#include "label_studio_tasks.h"

#include <algorithm>
#include <string_view>

#include "formats/annotations/files/text.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace {

// "/data/local-files/?d=set/a.jpg" -> "set/a.jpg"
std::string path_of(std::string link) {
  constexpr std::string_view kLocal = "?d=";
  if (const std::size_t at = link.find(kLocal); at != std::string::npos)
    link.erase(0, at + kLocal.size());
  return link;
}

// "https://store/set/a.jpg?X-Amz-Expires=9" -> "https://store/set/a.jpg", of a presigned link
std::string without_query(std::string link) {
  if (link.find("://") == std::string::npos || link.find("?d=") != std::string::npos) return link;
  return link.substr(0, link.find('?'));
}

// "1f2e3d4c-a.jpg" -> "a.jpg", without what an upload puts before it.
std::string before_upload(std::string_view last) {
  constexpr std::size_t kPrefix = 8;
  const bool uploaded = last.size() > kPrefix + 1 && last[kPrefix] == '-' &&
                        last.find_first_not_of("0123456789abcdef") == kPrefix;
  return std::string(uploaded ? last.substr(kPrefix + 1) : last);
}

bool is_end_of(std::string_view end, std::string_view path) {
  return path.ends_with(end) &&
         (path.size() == end.size() || path[path.size() - end.size() - 1] == '/');
}

// "a.jpg" beside "s3://set/a.jpg" or "/data/upload/3/1f2e3d4c-a.jpg" is its name.
bool are_of_one_picture(const std::string& one, const std::string& other) {
  const std::string a = path_of(one), b = path_of(other);
  return is_end_of(a, b) || is_end_of(b, a) || a == before_upload(last_part(b)) ||
         b == before_upload(last_part(a));
}

Message several_pictures(const std::string& one, const std::string& other) {
  return {.what = "names several pictures, " + in_quotes(one) + " and " + in_quotes(other) +
                  ", and the export does not say which of them its results are of",
          .fix = "make tasks of one picture each"};
}

Message no_picture(json::element fields) {
  json::object object;
  if (fields.get(object)) return {.what = "names no picture", .fix = "export tasks of pictures"};
  for (const auto& [key, value] : object) {
    for (const json::element one : list_of(value)) {
      if (has_picture_extension(without_query(text_of(one))))
        return {.what = "has its pictures in a list, " + in_quotes(key) + ", which is not read",
                .fix = "make tasks of one picture each"};
    }
  }
  return {.what = "names no picture", .fix = "export tasks of pictures"};
}

bool is_region(json::element value) {
  return value_at(value, "original_width") || value_at(value, "x") || value_at(value, "points");
}

}  // namespace

LabelStudioTasks::LabelStudioTasks(const std::vector<json::element>& tasks) {
  for (const json::element task : tasks) {
    note_tags(task);
    if (!value_at(task, "data")) note_region_keys(task);
    for (const auto& [key, link] : links_in(value_at(task, "data").value_or(task))) {
      const std::string path = path_of(link);
      auto& [first, has_others] = uploads_[before_upload(last_part(path))];
      has_others = has_others || (!first.empty() && first != path);
      if (first.empty()) first = path;
    }
  }
}

void LabelStudioTasks::note_tags(json::element task) {
  for (const json::element annotation : list_at(task, "annotations")) {
    for (const json::element result : list_at(annotation, "result")) {
      if (std::string tag = text_at(result, "to_name"); !tag.empty()) tags_.insert(std::move(tag));
    }
  }
}

void LabelStudioTasks::note_region_keys(json::element task) {
  json::object object;
  if (task.get(object)) return;
  for (const auto& [key, value] : object) {
    if (std::ranges::any_of(list_of(value), is_region)) region_keys_.emplace(key);
  }
}

std::optional<Message> LabelStudioTasks::fault_of_lists(json::element task) const {
  std::optional<Message> fault;
  json::object object;
  if (task.get(object)) return fault;
  for (const auto& [key, value] : object) {
    const bool must_be_list = region_keys_.contains(key) || is_region(value) ||
                              text_of(value).find("\"original_width\"") != std::string::npos;
    if (must_be_list && !value.is_null()) list_or_fault(value, in_quotes(key), fault);
  }
  return fault;
}

LabelStudioTasks::Links LabelStudioTasks::links_in(json::element fields) {
  Links links;
  json::object object;
  if (fields.get(object)) return links;
  for (const auto& [key, value] : object) {
    std::string link = without_query(text_of(value));
    if (has_picture_extension(link)) links.emplace_back(key, std::move(link));
  }
  return links;
}

const std::string* LabelStudioTasks::link_of_results(const Links& links) const {
  if (tags_.size() != 1) return nullptr;
  const auto named = std::ranges::find(links, *tags_.begin(), &Links::value_type::first);
  return named == links.end() ? nullptr : &named->second;
}

StatedPicture LabelStudioTasks::picture_of(json::element fields) const {
  StatedPicture picture;
  const Links links = links_in(fields);
  if (links.empty()) {
    picture.fault = no_picture(fields);
    return picture;
  }
  const std::string* link = &links.front().second;
  const auto other = std::ranges::find_if(
      links, [&](const auto& one) { return !are_of_one_picture(*link, one.second); });
  if (other != links.end()) {
    const std::string* const settled = link_of_results(links);
    if (!settled) picture.fault = several_pictures(*link, other->second);
    if (settled) link = settled;
  }
  const std::string path = path_of(*link);
  const std::string last(last_part(path)), uploaded = before_upload(last);
  picture.names.push_back(path);
  // A server's own folder says nothing of where the picture is here; the prefix is its alone.
  if (uploaded != last && path.find("/data/upload/") != std::string::npos)
    picture.names.insert(picture.names.begin(), last);
  if (uploaded == last) return picture;
  picture.earlier_name = uploaded;
  if (uploads_.at(uploaded).second) picture.name = last;
  return picture;
}

}  // namespace letterpress::annotations
