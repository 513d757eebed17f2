#pragma once
#include <sys/types.h>

#include <fstream>
#include <sstream>
#include <string>

namespace letterpress {

/// Whether a process runs: it is there and no zombie that waits for whoever adopted it.
inline bool is_alive(pid_t process) {
  std::ostringstream text;
  text << std::ifstream("/proc/" + std::to_string(process) + "/stat").rdbuf();
  const std::size_t name_end = text.str().rfind(')');
  return name_end != std::string::npos && text.str().substr(name_end).find(") Z") != 0;
}

}  // namespace letterpress
