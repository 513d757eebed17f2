#pragma once
#include <string>
#include <vector>

#include "inside_folder.h"

namespace letterpress::annotations {

/// What a file holds in place of labels: nothing, NUL bytes, a page of HTML, or the pointer of Git
/// LFS, with what to do. Empty: it may be a label file.
struct BrokenContent {
  std::string what, fix;
};
BrokenContent broken_content(const Input& file);

/// Where all that was found names its split, one of it train: throws Error at a label file that is
/// called as these are but for another split, and that nothing can be read of; at the first XML of
/// such a folder where XMLs are read. Lists and tables with other content may be no labels: a
/// test.csv of names.
void refuse_broken_splits(const Input& folder, const std::vector<InsideFolder>& found,
                          const AnnotationOptions& options);

}  // namespace letterpress::annotations
