#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "formats/annotations/shared/format.h"
#include "letterpress/annotations/annotations.h"

namespace letterpress::annotations {

/// The lists train, val and test in ImageSets/Main of a Pascal VOC set (VOC 2012 development kit),
/// by any name that split_words.h has for them; trainval is train's where there is none of val or
/// none of train. Where there are lists of single classes only (cat_train.txt), one of each split,
/// since in VOC each has all pictures of its split. Where Main has none, those in ImageSets, else
/// in the set's own folder, if two are of splits. Only lists that `voc` reads count: published sets
/// have lists of pictures whose labels are not published. None where there is no list of train. A
/// remark names each list that is there and is not taken.
std::vector<LabelPart> listed_splits(const Input& folder, const AnnotationFormat& voc,
                                     const AnnotationOptions& options,
                                     std::vector<std::string>& remarks);

/// A remark names lists of a folder that are called after splits, and are not read since its XMLs
/// are in another folder than Annotations. labels: that folder.
void note_lists_beside(const Input& folder, const std::filesystem::path& labels,
                       std::vector<std::string>& remarks);

/// A remark names the folder above that of the XMLs whose lists state splits.
void note_lists_above(const Input& labels, const AnnotationFormat& voc,
                      const AnnotationOptions& options, std::vector<std::string>& remarks);

}  // namespace letterpress::annotations
