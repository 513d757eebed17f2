#pragma once
#include <span>
#include <string>

#include "formats/annotations/files/input.h"

namespace letterpress::annotations {

/// Which labels of other formats in a folder may be those that are meant.
enum class Rivals {
  none,       ///< a file in the folder lists what is read
  in_splits,  ///< those in folders that are called after splits
  all,        ///< it fits by labels anywhere below the folder, which may be strays
};

/// Whether an input is of a format, and why or why not: "line 1 ends in a box x1,y1,x2,y2,class".
struct Recognition {
  bool fits = false;
  std::string why;
  /// It is nearly of the format, and `why` ends in what people can do: said alone where nothing
  /// fits.
  bool is_near = false;
  /// It fits, and `why` tells how the columns are guessed, which --format does not settle.
  bool is_guess = false;
  Rivals rivals = Rivals::in_splits;
};

/// One label format. Its file holds everything about it and ends in this entry.
struct AnnotationFormat {
  const char* name;
  const char* help;
  Recognition (*recognise)(const Input& input, const AnnotationOptions& options);
  /// Fills everything but format and recognised_by. Throws Error when the input cannot be read as a
  /// whole.
  void (*read)(const Input& input, const AnnotationOptions& options, AnnotationSet& set);
};
std::span<const AnnotationFormat* const> formats();  ///< alphabetical

}  // namespace letterpress::annotations
