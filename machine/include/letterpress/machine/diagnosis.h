#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace letterpress {

/// What `doctor` finds: lines for people, an object for programs.
class Diagnosis {
 public:
  /// subject: "memory", the key of `facts` too.
  void add(const std::string& subject, const std::string& text, nlohmann::json facts);
  /// What will not work here, and what helps.
  void add_fault(const std::string& text) { faults_.push_back(text); }

  bool is_healthy() const { return faults_.empty(); }
  /// A page: a line for each subject, then each fault, or that there is none.
  std::string text() const;
  /// {"memory": {...}, ..., "faults": ["..."]}
  nlohmann::ordered_json json() const;

 private:
  struct Line {
    std::string subject, text;
    nlohmann::json facts;
  };
  std::vector<Line> lines_;
  std::vector<std::string> faults_;
};

void add_processor(Diagnosis& diagnosis);
void add_memory(Diagnosis& diagnosis);
/// Tries the disk of `folder` or of the nearest folder above it. Returns bytes/s that it takes.
double add_disk(Diagnosis& diagnosis, const std::filesystem::path& folder);
/// The disk of a folder that is only read, by way of one of its files; nothing is written.
void add_read_disk(Diagnosis& diagnosis, const std::filesystem::path& folder,
                   const std::filesystem::path& file);

}  // namespace letterpress
