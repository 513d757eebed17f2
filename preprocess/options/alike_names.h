#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace letterpress {

/// What two class names may differ in and still be one class.
struct AlikeBy {
  bool letter_case = false;
  bool unicode = false;  ///< a letter with its accent as one character or as two (NFC, NFD)
  bool space = false;    ///< blanks around it, runs of them, no-break and zero-width ones

  /// words: of "case", "unicode", "space". Throws Error (usage) naming another one.
  static AlikeBy of(const std::vector<std::string>& words);
};

/// A text that is equal for names that are alike: Unicode's NFC and case folding. A name that is
/// not UTF-8 is like itself only.
std::string alike_form(std::string_view name, const AlikeBy& by);

/// One line that names classes which differ in nothing but that, and the flag that joins them;
/// empty: none do.
std::string alike_names_text(const std::vector<std::string>& names);

}  // namespace letterpress
