// Pascal VOC: an XML per picture in Annotations, pictures in JPEGImages, lists of ids in
// ImageSets/Main (VOC 2012 development kit).
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "formats/annotations/files/disk_walk.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/comment_lines.h"
#include "formats/annotations/pictures/names_apart.h"
#include "formats/annotations/pictures/names_by_id.h"
#include "formats/annotations/pictures/picture_finder.h"
#include "formats/annotations/shared/class_names.h"
#include "formats/annotations/shared/format.h"
#include "letterpress/base/parallel.h"
#include "letterpress/base/picture_extension.h"
#include "letterpress/base/suggest.h"
#include "voc_filenames.h"
#include "voc_ids.h"
#include "voc_picture.h"
#include "voc_recognition.h"

namespace letterpress::annotations {
extern const AnnotationFormat voc;
namespace {
namespace fs = std::filesystem;

class VocReader {
 public:
  VocReader(const FileTree& files, const fs::path& xml_folder, const AnnotationOptions& options,
            AnnotationSet& set)
      : files_(files),
        xml_folder_((xml_folder / "").lexically_normal().parent_path()),
        prefix_(xml_folder_ == "." ? "" : xml_folder_ / ""),
        dataset_(is_annotations_folder(xml_folder_) ? folder_of(xml_folder_) : xml_folder_),
        options_(options),
        finder_(files_, dataset_, picture_folders(), options),
        set_(set) {
    finder_.guess_first(picture_folders().size() - 1);
    set_.lists_classes = !options.classes.empty();
    if (!set_.lists_classes) return;
    for (const std::string& name : read_class_names(files_, options.classes)) class_of(name);
    fixed_classes_ = set_.classes.size();
  }

  // Leaves out of a list's ids what is a comment: no XML is called so, and no picture.
  void leave_out_comments(std::vector<VocId>& ids) {
    std::erase_if(ids, [&](const VocId& id) {
      return !id.where.empty() && !files_.exists(xml_folder_ / id.file()) &&
             comments_.passes_over(finder_, id.id);
    });
  }

  // Parsing is most of the work and needs no order; its results are added in the order of the ids.
  void read_pictures(const std::vector<VocId>& ids) {
    constexpr std::size_t kAtOnce = 4096;
    for (std::size_t first = 0; first < ids.size(); first += kAtOnce) {
      std::vector<Xml> xmls;
      for (std::size_t i = first; i < std::min(first + kAtOnce, ids.size()); ++i)
        xmls.push_back(xml_of(ids[i]));
      parallel_for(xmls.size(), 0, [&](std::size_t i) {
        if (!xmls[i].reject) read_xml(xmls[i], ids[first + i]);
      });
      for (std::size_t i = 0; i < xmls.size(); ++i) {
        auto& [path, picture, reject, objects] = xmls[i];
        const VocId& id = ids[first + i];
        if (picture) add(path, id, *picture);
        if (!reject) continue;
        reject_picture(set_, finder_.of_picture(*reject, picture_names_by_id(id.id, "")), objects);
      }
    }
  }

  void finish() {
    names_apart_.settle(set_);
    order_classes();
    add_remarks();
  }

 private:
  void add_remarks() {
    comments_.add_to(set_.remarks);
    filenames_.add_to(set_.remarks);
    finder_.notes().add_to(set_.remarks);
    for (std::string& remark : doubts_.remarks()) set_.remarks.push_back(std::move(remark));
  }

  // Ids in the order of the names, unless --classes has fixed them.
  void order_classes() {
    if (fixed_classes_ > 0) return;
    std::vector<std::string> sorted = set_.classes;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::int32_t> place(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i)
      place[static_cast<std::size_t>(ids_[sorted[i]])] = static_cast<std::int32_t>(i);
    for (Item& item : set_.items) {
      for (LabelBox& box : item.boxes) box.class_id = place[static_cast<std::size_t>(box.class_id)];
    }
    set_.classes = std::move(sorted);
  }

  // One XML on its way: a picture or a reject.
  struct Xml {
    std::string path;
    std::optional<VocPicture> picture{};
    std::optional<Reject> reject{};
    std::int64_t objects = 0;  ///< of a reject
  };

  Xml xml_of(const VocId& id) const {
    Xml xml{.path = prefix_ + id.file()};
    if (stays_below(id.id)) return xml;
    xml.path = (xml_folder_ / id.file()).lexically_normal().string();
    if (!finder_.may_read(fs::absolute(xml.path).lexically_normal()))
      xml.reject = finder_.outside(id.where, id.id, xml.path);
    return xml;
  }

  // Changes nothing but `xml`: several threads are here at once.
  void read_xml(Xml& xml, const VocId& id) const {
    const std::string where = printable(xml.path, 1000);
    const Expected<std::string> text = read_label_file(files_, xml.path);
    if (!text) {
      xml.reject = with_list_line(text.reject(), id);
      return;
    }
    // A short file cannot hold too many; others are counted before a tree of them takes memory.
    const bool may_be_too_many = text->size() / std::string_view("<object/>").size() >
                                 static_cast<std::size_t>(options_.max_boxes);
    xml.objects = may_be_too_many ? count_objects(*text) : 0;
    if (xml.objects > options_.max_boxes) {
      xml.reject = too_many_boxes(where, xml.objects, options_.max_boxes);
      return;
    }
    const bool from_zero = options_.coordinates == Coordinates::shares || options_.voc_origin == 0;
    Expected<VocPicture> picture = parse_voc(*text, where, from_zero ? 0 : 1);
    if (picture) {
      xml.picture = std::move(*picture);
    } else {
      xml.reject = picture.reject();
      xml.objects = count_objects(*text);
    }
  }

  // Those that are guessed, then the XMLs' own. What people name by --root comes before a guess.
  std::vector<fs::path> picture_folders() const {
    std::vector<fs::path> folders;
    if (options_.roots.empty()) {
      folders.push_back(dataset_ / "JPEGImages");
      if (files_.is_folder(dataset_ / "images")) folders.push_back(dataset_ / "images");
    }
    folders.push_back(xml_folder_);
    return folders;
  }

  // Datumaro lists pictures without objects, for which it writes no XML.
  static Reject with_list_line(Reject reject, const VocId& id) {
    if (id.where.empty()) return reject;
    if (reject.what == kMissing)
      reject.fix += "; of a picture without objects, write <annotation></annotation> to it";
    return {id.where, "label file " + reject.where + " " + reject.what, reject.fix};
  }

  // The id names the picture, as in VOC; <filename> gives the extension, and a name to try when it
  // is another one.
  Expected<std::string> find_picture(const std::string& id, const std::string& filename,
                                     const std::string& where) {
    const std::string stated(last_part(filename));
    const std::vector<std::string> names = picture_names_by_id(id, stated);
    return has_picture_extension(stated) ? finder_.find_stated(names, where)
                                         : finder_.find(names, where);
  }

  std::int32_t class_of(const std::string& name) {
    const auto [entry, fresh] =
        ids_.try_emplace(name, static_cast<std::int32_t>(set_.classes.size()));
    if (fresh) set_.classes.push_back(name);
    return entry->second;
  }

  // Which name of the picture --classes lacks, or nothing.
  std::string set_classes(VocPicture& picture) {
    for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
      if (fixed_classes_ > 0 && !ids_.contains(picture.class_names[i]))
        return unknown_name("class", printable(picture.class_names[i]), set_.classes);
      picture.boxes[i].class_id = class_of(picture.class_names[i]);
    }
    return {};
  }

  void add(const std::string& xml_path, const VocId& id, VocPicture& picture) {
    Item item;
    item.where = printable(xml_path, 1000);
    const auto n = static_cast<std::int64_t>(picture.boxes.size());
    Expected<std::string> path = find_picture(id.id, picture.filename, item.where);
    if (!path) return reject_picture(set_, path.reject(), n);
    item.path = std::move(*path);
    item.name = item.path.substr(item.path.rfind('/') + 1);
    std::string whole = voc_name_with_folders(id.id, item.path);
    // Of a list's, another list may have the picture.
    if (!whole.empty() && !id.where.empty()) item.name = whole;
    filenames_.note(finder_, item, id.id, picture.filename);
    const std::string unknown = set_classes(picture);
    if (!unknown.empty()) {
      return reject_picture(
          set_, of_picture({item.where, unknown, "add it to --classes or correct the label"}, item),
          n);
    }
    item.boxes = std::move(picture.boxes);
    doubts_.add(picture.doubts);
    item.width = picture.width;
    item.height = picture.height;
    set_.boxes_found += n;
    const std::size_t before = set_.items.size();
    if (!whole.empty()) names_apart_.add(before, std::move(whole));
    add_picture(set_, std::move(item));
    if (id.where.empty()) note_label_folder(set_, before, id.id);
  }

  FileTree files_;
  fs::path xml_folder_;
  std::string prefix_;  // of an XML's path: the folder with its slash
  fs::path dataset_;
  const AnnotationOptions& options_;
  PictureFinder finder_;
  CommentLines comments_;
  AnnotationSet& set_;
  std::unordered_map<std::string, std::int32_t> ids_;
  std::size_t fixed_classes_ = 0;
  VocFilenames filenames_;
  NamesApart names_apart_;
  VocDoubts doubts_;
};

// Of a set's folder Annotations is read; another folder of XMLs in it may be a split.
void note_other_folders(const Input& input, const fs::path& read, AnnotationSet& set) {
  for (const std::string& name : input.files.names_in(input.path)) {
    const fs::path folder = input.path / name;
    if (folder == read || is_left_by_a_system(name + "/") || !input.files.is_folder(folder) ||
        !input.files.holds_file(folder, ".xml"))
      continue;
    set.remarks.push_back(printable(folder.string(), 1000) +
                          " holds XMLs too, which are not read: name it by a --val, --split or "
                          "--input of its own if it is of this set");
  }
}

void read_voc(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  VocIdList list;
  fs::path folder;
  if (input.is_folder) {
    folder = voc_xml_folder_in(input.files, input.path);
    if (folder != input.path) note_other_folders(input, folder, set);
    for (const std::string& file : input.files.files_below(folder, ".xml", &set))
      list.ids.push_back(voc_id_of_file(file));
  } else if (matches(input.path.filename().string(), ".xml")) {
    folder = folder_of(input.path);
    list.ids.push_back(voc_id_of_file(input.path.filename().string()));
  } else {
    list = read_voc_ids(input.files.read_text(input.path), input.path.string());
    const char* place = voc_folder_of_ids(input.files, input.path, list);
    folder = folder_of(input.path) / (place ? place : kVocXmls);
    take_ids_below_folders(input.files, folder, list);
  }
  VocReader reader(input.files, folder, options, set);
  reader.leave_out_comments(list.ids);
  reader.read_pictures(list.ids);
  reader.finish();
}

}  // namespace

constinit const AnnotationFormat voc{"voc",
                                     "Pascal VOC: an ImageSets list, a folder of XMLs, or one XML; "
                                     "pictures in JPEGImages, images or beside the XMLs",
                                     recognise_voc, read_voc};

}  // namespace letterpress::annotations
