#include "preprocess/options/label_flags.h"

#include "preprocess/options/alike_names.h"

namespace letterpress {
namespace {

using O = BuildOptions;
using F = Flag<O>;

// A store that was built before the flag existed reads as one that was built with its default.
F unless_default(F flag) {
  flag.stored_as([flag](const O& options) {
    const FlagValue value = flag.get(options);
    return value == flag.get(O{}) ? FlagValue{} : value;
  });
  return flag;
}

}  // namespace

void add_label_flags(FlagTable<O>& table) {
  table.add({
      unless_default(F("merge-classes-by", &O::merge_classes_by,
                       "classes whose names differ only in case, unicode (accents as one character "
                       "or two) or space are one; several by commas")
                         .commas()
                         .check([](const O& o) { (void)AlikeBy::of(o.merge_classes_by); })),
      F("new-class-order", &O::new_class_order,
        "labels were written again by a class list of another order, or by COCO categories "
        "whose ids have other names; for this build only")
          .once(),
      unless_default(F("coordinates", &O::coordinates,
                       "of boxes, in formats that do not say: pixels, or shares of the picture's "
                       "width and height; auto: pixels, and a label file whose boxes "
                       "lie within 0..1 is refused")
                         .choices({"auto", "pixels", "shares"})),
      unless_default(F("voc-origin", &O::voc_origin,
                       "of the first pixel in VOC files; 0: corners are taken as they stand")
                         .between(0, 1, "0 or 1")),
      unless_default(
          F("label-size", &O::label_size,
            "a picture of another size than its label file states: reject; scale (its boxes, where "
            "the aspect is the same); or ignore (the stated size)")
              .choices({"reject", "scale", "ignore"})),
      unless_default(F("truncated", &O::truncated,
                       "JPEGs that end early: reject, or keep (what is missing is grey); a store "
                       "keeps to one of them")
                         .choices({"reject", "keep"})),
      unless_default(F("duplicates", &O::duplicates,
                       "pictures of equal bytes with other boxes: unite, first (keeps its own "
                       "boxes) or error")
                         .choices({"unite", "first", "error"})),
  });
}

}  // namespace letterpress
