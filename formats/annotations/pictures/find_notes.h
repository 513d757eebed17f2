#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace letterpress::annotations {

/// Which pictures were found otherwise than as their labels write them, or lie elsewhere: a guess
/// is told.
class FindNotes {
 public:
  enum class Kind {
    end,       ///< by the longest end of its path that leads to a file
    spelling,  ///< the disk spells it otherwise
    nearby,    ///< in a folder of pictures near the labels
    lost,      ///< not found
  };
  void add(Kind kind, const std::string& name, const std::string& file);
  /// places: the folders elsewhere that hold a file of its name.
  void add_lost(const std::string& name, const std::vector<std::string>& places);
  void add(const FindNotes& others);
  /// Adds a line for each kind that occurred, with the first picture of it.
  void add_to(std::vector<std::string>& remarks) const;

 private:
  struct Note {
    std::int64_t n = 0;
    std::string name{}, place{};  ///< of the first
    std::string other_place{};    ///< of a lost one; empty: none
  };
  static std::string way_to(const Note& lost);
  std::array<Note, 4> notes_{};
};

}  // namespace letterpress::annotations
