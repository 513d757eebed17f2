#include "find_notes.h"

#include "formats/annotations/files/text.h"
#include "letterpress/base/shell_word.h"

namespace letterpress::annotations {

void FindNotes::add(Kind kind, const std::string& name, const std::string& file) {
  Note& note = notes_[static_cast<std::size_t>(kind)];
  if (++note.n == 1) note = {note.n, name, file};
}

void FindNotes::add_lost(const std::string& name, const std::vector<std::string>& places) {
  Note& note = notes_[static_cast<std::size_t>(Kind::lost)];
  // The first that lies in one place helps most, then one that lies in several.
  const bool is_better =
      !places.empty() && (note.place.empty() || (places.size() == 1 && !note.other_place.empty()));
  ++note.n;
  if (note.n > 1 && !is_better) return;
  note = {note.n, name};
  if (!places.empty()) note.place = places[0];
  if (places.size() > 1) note.other_place = places[1];
}

void FindNotes::add(const FindNotes& others) {
  for (std::size_t i = 0; i < notes_.size(); ++i) {
    const Note& other = others.notes_[i];
    const std::int64_t n = notes_[i].n + other.n;
    if (notes_[i].n == 0 || notes_[i].place.empty()) notes_[i] = other;
    notes_[i].n = n;
  }
}

void FindNotes::add_to(std::vector<std::string>& remarks) const {
  const auto& [end, spelling, nearby, lost] = notes_;
  const auto pictures = [](const Note& note) { return counted(note.n, "picture", "pictures"); };
  const auto first = [](const Note& note) {
    return "the first, " + in_quotes(note.name) + ", is " + printable(note.place, 1000);
  };
  if (end.n > 0) {
    remarks.push_back(pictures(end) +
                      " by the longest end of the path that leads to a file here: " + first(end));
  }
  if (spelling.n > 0)
    remarks.push_back(pictures(spelling) + " spelt otherwise on this disk: " + first(spelling));
  if (nearby.n > 0)
    remarks.push_back(pictures(nearby) + " in a folder near the labels: " + first(nearby));
  if (lost.n > 0) remarks.push_back(pictures(lost) + " not found; " + way_to(lost));
}

std::string FindNotes::way_to(const Note& lost) {
  const std::string folder = printable(lost.place, 1000), name = in_quotes(lost.name);
  if (folder.empty())
    return (lost.n > 1 ? "the first, " + name + "," : name) +
           " is nowhere near: restore it, correct the path, or give --root with the folder that "
           "paths start from";
  if (!lost.other_place.empty())
    return name + " is in " + folder + " and in " + printable(lost.other_place, 1000) +
           ": add --root with the folder whose pictures the labels are of";
  return name + " is in " + folder + ": add --root " + shell_word(folder);
}

}  // namespace letterpress::annotations
