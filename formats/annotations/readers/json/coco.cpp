// COCO detection JSON (cocodataset.org/#format-data).
#include <unordered_map>

#include "coco_document.h"
#include "coco_extents.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/picture_finder.h"
#include "formats/annotations/shared/class_names.h"
#include "formats/annotations/shared/format.h"
#include "formats/annotations/shared/shapes.h"
#include "formats/annotations/shared/stated_splits.h"
#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"

namespace letterpress::annotations {
extern const AnnotationFormat coco;
namespace {

using Index = std::unordered_map<std::int64_t, std::size_t>;

constexpr double kRounding = 1;  // pixels
constexpr const char* kDatumaro = "has Datumaro's own items";
constexpr const char* kFixDatumaro =
    "export it as COCO (`datum convert -f coco_instances`), VOC or YOLO";

// By its key, or by its categories, {"label": {"labels": [...]}}, where COCO has a list.
bool is_datumaros(std::string_view text) {
  constexpr std::string_view kKey = "\"categories\"";
  if (text.find("\"dm_format_version\"") != std::string_view::npos) return true;
  const std::size_t at = text.find(kKey);
  if (at == std::string_view::npos) return false;
  std::string_view rest = text.substr(at + kKey.size());
  take_until(rest, ':');
  return trim(rest).starts_with('{') && rest.find("\"labels\"") != std::string_view::npos;
}

class CocoReader {
 public:
  CocoReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : input_(input),
        path_(input.path.string()),
        options_(options),
        files_(input.files),
        finder_(files_, input.folder(), {input.folder()}, options, input.path),
        extents_(options.coordinates == Coordinates::shares),
        set_(set),
        document_(read_coco_document(files_, input.path,
                                     options.coordinates == Coordinates::shares ? 0 : kRounding)) {}

  void read() {
    set_classes();
    index_images();
    group_annotations();
    for (std::size_t i = 0; i < document_.images.size(); ++i) read_image(i);
    finder_.notes().add_to(set_.remarks);
    if (!document_.group_of_all.empty())
      set_.remarks.push_back("category " + in_quotes(document_.group_of_all) +
                             " is the supercategory of all others and has no annotation: it is "
                             "left out");
    splits_.settle(input_, options_, set_);
    around_.add_to(set_.remarks);
    extents_.add_to(set_.remarks);
    if (ignored_ > 0)
      set_.remarks.push_back(
          counted(ignored_, "annotation has", "annotations have") +
          " \"ignore\" and no \"iscrowd\": read as objects, as COCO's own program does; where they "
          "mark what is to be left out write \"iscrowd\": 1");
  }

 private:
  std::string image_where(std::size_t i) const {
    const CocoImage& image = document_.images[i];
    return path_ + ": " +
           (image.id == -1 ? "images[" + std::to_string(i) + "]"
                           : "image " + document_.ids.text(image.id));
  }

  // Category id order, or the order of --classes.
  void set_classes() {
    if (!options_.classes.empty()) {
      set_.classes = read_class_names(files_, options_.classes);
    } else {
      for (const CocoCategory& category : document_.categories)
        set_.classes.push_back(category.name);
    }
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < set_.classes.size(); ++i) places.emplace(set_.classes[i], i);
    set_.class_ids.assign(set_.classes.size(), -1);
    for (const CocoCategory& category : document_.categories) {
      const auto place = places.find(category.name);
      if (place == places.end()) continue;
      classes_.emplace(category.id, place->second);
      set_.class_ids[place->second] = std::max<std::int64_t>(category.id, -1);
    }
  }

  void index_images() {
    images_.reserve(document_.images.size());
    for (std::size_t i = 0; i < document_.images.size(); ++i) {
      CocoImage& image = document_.images[i];
      // The boxes of one that cannot be used are rejected with it.
      if (!image.fault.empty() && image.id == -1) continue;
      const auto [known, is_new] = images_.emplace(image.id, i);
      if (is_new) continue;
      for (CocoImage* const one : {&document_.images[known->second], &image}) {
        if (one->fault.empty())
          one->fault = "its id is given twice, so its annotations are unclear";
      }
    }
  }

  // Annotations of image i are order_[first_[i]..first_[i + 1]), in file order: a counting sort.
  void group_annotations() {
    const std::vector<CocoAnnotation>& annotations = document_.annotations;
    std::vector<std::size_t> image_of(annotations.size());
    const std::size_t n = document_.images.size();
    first_.assign(n + 1, 0);
    for (std::size_t i = 0; i < annotations.size(); ++i) {
      const auto image = images_.find(annotations[i].image_id);
      image_of[i] = image == images_.end() ? n : image->second;
      if (image_of[i] == n) {
        reject_orphan(i);
      } else {
        ++first_[image_of[i] + 1];
      }
    }
    for (std::size_t i = 0; i < n; ++i) first_[i + 1] += first_[i];
    order_.resize(first_[n]);
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < annotations.size(); ++i) {
      if (image_of[i] != n) order_[next[image_of[i]]++] = i;
    }
  }

  void reject_orphan(std::size_t i) {
    const CocoAnnotation& annotation = document_.annotations[i];
    std::string what = annotation.fault;
    if (what.empty())
      what = "no usable image has the id " + document_.ids.text(annotation.image_id);
    Reject reject{path_ + ": annotations[" + std::to_string(i) + "]", what,
                  "add the image or remove the annotation", Reject::Scope::box};
    reject_picture(set_, std::move(reject), 1);
  }

  void reject_mask(const std::string& where) {
    Reject reject{where, "has no bbox, and its segmentation is a mask",
                  "give it the bbox of the mask", Reject::Scope::box};
    reject_picture(set_, std::move(reject), 1);
  }

  void refuse(const CocoImage& image, Reject reject, std::int64_t boxes) {
    reject_picture(set_, finder_.of_picture(std::move(reject), image.file_name), boxes);
  }

  void read_image(std::size_t i) {
    CocoImage& image = document_.images[i];
    const bool indexed = image.fault.empty();
    const std::size_t first = first_[i], last = first_[i + 1];
    auto n = static_cast<std::int64_t>(last - first);
    Item item;
    item.where = image_where(i);
    if (!indexed)
      return refuse(image, {item.where, image.fault, "correct this entry of images"}, n);
    if (n > options_.max_boxes)
      return refuse(image, too_many_boxes(item.where, n, options_.max_boxes), n);
    for (std::size_t k = first; k < last; ++k) {
      CocoAnnotation& annotation = document_.annotations[order_[k]];
      const auto where = [&] {
        return path_ + ": annotations[" + std::to_string(order_[k]) + "] (image " +
               document_.ids.text(image.id) + ")";
      };
      if (annotation.fault.empty() && annotation.is_mask) {
        reject_mask(where());
        --n;
        continue;
      }
      extents_.add(annotation, image, order_[k]);
      const std::string fault = add_box(annotation, item);
      if (!fault.empty())
        return refuse(image, {where(), fault, "correct or remove the annotation"}, n);
    }
    Expected<std::string> path = finder_.find(image.file_name, item.where);
    if (!path) return reject_picture(set_, path.reject(), n);
    item.path = std::move(*path);
    item.name = std::move(image.file_name);
    item.width = image.width;
    item.height = image.height;
    item.image_id = std::max<std::int64_t>(image.id, -1);
    set_.boxes_found += n;
    add_picture(set_, std::move(item));
    splits_.add(image.split_word);
  }

  std::string add_box(CocoAnnotation& annotation, Item& item) {
    if (!annotation.fault.empty()) return annotation.fault;
    around_.shapes += annotation.from_outline;
    ignored_ += annotation.ignored && !annotation.crowd;
    const auto place = classes_.find(annotation.category_id);
    if (place == classes_.end()) return category_fault(annotation.category_id);
    LabelBox box = box_at(annotation.x, annotation.y, annotation.width, annotation.height);
    box.class_id = static_cast<std::int32_t>(place->second);
    box.flags = static_cast<std::uint8_t>((annotation.crowd ? kCrowd : 0) |
                                          (annotation.difficult ? kDifficult : 0));
    box.area = annotation.area;
    const bool is_turned = annotation.rotation != 0 && annotation.outline.empty();
    around_.turned += is_turned;
    if (is_turned) {
      box = upright_around(box, annotation.rotation);
    } else {
      box.outline = std::move(annotation.outline);
    }
    item.boxes.push_back(std::move(box));
    return {};
  }

  std::string category_fault(std::int64_t id) const {
    for (const CocoCategory& category : document_.categories) {
      if (category.id == id)
        return unknown_name("class", printable(category.name), set_.classes) + " (--classes)";
    }
    return "category " + document_.ids.text(id) + " is unknown: the file names " +
           counted(static_cast<std::int64_t>(document_.categories.size()), "category",
                   "categories");
  }

  const Input& input_;
  std::string path_;
  const AnnotationOptions& options_;
  FileTree files_;
  PictureFinder finder_;
  AroundCounts around_;
  std::int64_t ignored_ = 0;
  CocoExtents extents_;
  StatedSplits splits_;
  AnnotationSet& set_;
  CocoDocument document_;
  Index images_, classes_;
  std::vector<std::size_t> first_, order_;
};

// As a key, and of a list: "projectType": "images" is Supervisely's, "categories": {...} may be of
// a description of columns.
bool holds_list(std::string_view text, const std::string& name) {
  const std::string key = '"' + name + '"';
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    std::string_view rest = trim(text.substr(at + key.size()));
    if (!rest.starts_with(':')) continue;
    rest = trim(rest.substr(1));
    if (rest.empty() || rest.starts_with('[')) return true;  // or the head ends there
  }
  return false;
}

Recognition recognise_coco(const Input& input, const AnnotationOptions&) {
  if (input.is_folder) return {false, "a folder, must be a JSON file"};
  std::string_view text = input.head;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (!trim(text).starts_with('{')) return {false, "does not start with {, must be a JSON object"};
  if (text.find("\"data_row\"") != std::string_view::npos)
    return {false, "has Labelbox's data rows"};
  if (is_datumaros(text)) return {false, std::string(kDatumaro) + "; " + kFixDatumaro};
  if (input.path.extension() == ".jsonl") return {false, "lines of JSON, must be one JSON object"};
  for (const char* key : {"images", "annotations", "categories"}) {
    if (holds_list(text, key)) return {true, std::string("a JSON object with \"") + key + "\""};
  }
  return {
      false,
      "a JSON object without \"images\", \"annotations\" or \"categories\" in its first 64 KiB"};
}

void read_coco(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  if (is_datumaros(input.head))
    throw Error({.where = input.path.string(), .what = kDatumaro, .fix = kFixDatumaro});
  CocoReader(input, options, set).read();
}

}  // namespace

constinit const AnnotationFormat coco{
    "coco", "COCO detection JSON; --root names the folder of the pictures", recognise_coco,
    read_coco};

}  // namespace letterpress::annotations
