#include "letterpress/machine/diagnosis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "letterpress/base/bytes_text.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/folder.h"
#include "letterpress/machine/disk_trial.h"
#include "letterpress/machine/file_system.h"
#include "letterpress/machine/memory.h"
#include "letterpress/machine/processor.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

std::string cores_text(const Processor& processor) {
  std::string text = fmt::format("{} cores", processor.cores);
  if (processor.usable != processor.cores)
    text += fmt::format(", {} for this process", processor.usable);
  if (processor.share > 0)
    text += fmt::format(", whose control group grants the time of {:.3g}", processor.share);
  return text;
}

void add_disk_line(Diagnosis& diagnosis, const fs::path& there, const DiskTrial& trial) {
  const FileSystem system = file_system_of(there);
  std::string text =
      fmt::format("{} on {}{}, {} free", fs::absolute(there).lexically_normal().string(),
                  system.name, system.local ? "" : ", which is not local",
                  bytes_text(static_cast<double>(trial.bytes_free)));
  if (trial.written_per_s > 0)
    text += fmt::format("; writes {}/s", bytes_text(trial.written_per_s));
  if (trial.read_per_s > 0)
    text += fmt::format("{} reads {}/s", trial.written_per_s > 0 ? "," : ";",
                        bytes_text(trial.read_per_s));
  diagnosis.add("disk", text,
                {{"folder", there.string()},
                 {"file_system", system.name},
                 {"local", system.local},
                 {"bytes_free", trial.bytes_free},
                 {"written_per_s", trial.written_per_s},
                 {"read_per_s", trial.read_per_s}});
}

}  // namespace

void Diagnosis::add(const std::string& subject, const std::string& text, nlohmann::json facts) {
  lines_.push_back({subject, text, std::move(facts)});
}

std::string Diagnosis::text() const {
  std::string text;
  std::size_t width = 0;
  for (const Line& line : lines_) width = std::max(width, line.subject.size());
  for (const Line& line : lines_)
    text += fmt::format("{:<{}}  {}\n", line.subject, width, line.text);
  for (const std::string& fault : faults_) text += "will not work: " + fault + "\n";
  return text + (faults_.empty() ? "all works here\n" : "");
}

nlohmann::ordered_json Diagnosis::json() const {
  nlohmann::ordered_json json;
  for (const Line& line : lines_) json[line.subject] = line.facts;
  json["faults"] = faults_;
  return json;
}

void add_processor(Diagnosis& diagnosis) {
  const Processor processor = processor_of_machine();
  diagnosis.add(
      "processor",
      fmt::format("{}: {}; {}", processor.name.empty() ? "unknown" : processor.name,
                  cores_text(processor),
                  processor.sets.empty() ? "neither AVX2 nor AVX-512"
                                         : fmt::format("{}", fmt::join(processor.sets, ", "))),
      {{"name", processor.name},
       {"cores", processor.cores},
       {"usable", processor.usable},
       {"share", processor.share},
       {"sets", processor.sets}});
}

void add_memory(Diagnosis& diagnosis) {
  const MachineMemory memory = memory_of_machine();
  const auto text = [](std::int64_t bytes) { return bytes_text(static_cast<double>(bytes)); };
  diagnosis.add(
      "memory",
      fmt::format(
          "{}, {} of it available; {} hold files that were read (page cache){}", text(memory.total),
          text(memory.available), text(memory.cached),
          memory.limit > 0 ? fmt::format("; the container's limit is {}", text(memory.limit)) : ""),
      {{"total", memory.total},
       {"available", memory.available},
       {"cached", memory.cached},
       {"limit", memory.limit},
       {"for_files", memory_for_files(memory)}});
}

double add_disk(Diagnosis& diagnosis, const fs::path& folder) {
  try {
    const fs::path there = existing_folder(folder);
    const DiskTrial trial = try_disk(there);
    add_disk_line(diagnosis, there, trial);
    if (!trial.fault.empty()) diagnosis.add_fault(trial.fault);
    return trial.written_per_s;
  } catch (const fs::filesystem_error& refused) {  // a folder above it is closed to this user
    diagnosis.add_fault(error_of(refused).what());
    return 0;
  }
}

void add_read_disk(Diagnosis& diagnosis, const fs::path& folder, const fs::path& file) {
  std::error_code ignored;
  const auto free = static_cast<std::int64_t>(fs::space(folder, ignored).available);
  add_disk_line(diagnosis, folder,
                {.bytes_free = std::max<std::int64_t>(free, 0), .read_per_s = read_per_s(file)});
}

}  // namespace letterpress
