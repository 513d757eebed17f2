#include "trainer/commands/import_classes.h"

#include <utility>

#include "letterpress/annotations/class_list.h"
#include "letterpress/base/error.h"

namespace letterpress {

std::vector<std::string> imported_classes(const StartWeights& start,
                                          const std::filesystem::path& list) {
  if (list.empty() && start.classes.empty()) {
    throw Error({.where = "--classes",
                 .what = "is not given, and " + start.file + " does not name its classes",
                 .fix = "name a file with one per line, in the order of the weights' classes"},
                Exit::usage);
  }
  if (list.empty()) {
    try {
      annotations::check_class_names(start.classes, start.file);
    } catch (const Error& error) {
      Message message = error.message();
      message.fix =
          "name a file with one per line by --classes, in the order of the weights' classes";
      throw Error(std::move(message), Exit::usage);
    }
    return start.classes;
  }
  const std::vector<std::string> classes = annotations::read_class_list(list);
  if (!start.classes.empty() || !start.has_outputs ||
      start.graph.classes == static_cast<int>(classes.size()))
    return classes;
  throw Error(
      {.where = list.string(),
       .what = "names " + std::to_string(classes.size()) + " classes, the output layers of " +
               start.file + " are made for " + std::to_string(start.graph.classes),
       .fix = "name those, in their order (fit --pretrained takes over what fits other "
              "classes)"},
      Exit::configuration);
}

}  // namespace letterpress
