#include "letterpress/machine/memory.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "letterpress/base/control_groups.h"

namespace letterpress {

MachineMemory memory_of_machine(const std::filesystem::path& root) {
  MachineMemory memory;
  std::ifstream lines(root / "proc/meminfo");
  for (std::string name, unit; lines >> name;) {
    std::int64_t kilobytes = 0;
    lines >> kilobytes;
    std::getline(lines, unit);
    if (name == "MemTotal:") memory.total = kilobytes * 1024;
    if (name == "MemAvailable:") memory.available = kilobytes * 1024;
    if (name == "Cached:") memory.cached = kilobytes * 1024;
  }
  for (const std::filesystem::path& group : control_groups("memory", root)) {
    std::int64_t limit = 0;  // of version 2, where none is "max"; of version 1, where none is huge
    if (!(std::ifstream(group / "memory.max") >> limit))
      std::ifstream(group / "memory.limit_in_bytes") >> limit;
    if (limit > 0 && limit < memory.total && (memory.limit == 0 || limit < memory.limit))
      memory.limit = limit;
  }
  return memory;
}

std::int64_t memory_for_files(const MachineMemory& memory) {
  return memory.limit > 0 ? std::min(memory.available, memory.limit) : memory.available;
}

}  // namespace letterpress
