#pragma once
#include "letterpress/base/work_folder.h"

namespace letterpress {

/// The folder of one piece of work under the system's temporary folder.
class Workplace : public WorkFolder {
 public:
  Workplace()
      : WorkFolder(std::filesystem::absolute(std::filesystem::temp_directory_path()),
                   "letterpress-parity-") {}
};

}  // namespace letterpress
