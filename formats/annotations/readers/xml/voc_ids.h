#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "formats/annotations/files/file_tree.h"

namespace letterpress::annotations {

/// One picture of a VOC set, by its XML.
struct VocId {
  std::string id;               ///< the XML's path in the folder of XMLs, without .xml
  std::string where;            ///< the list's line; empty when no list names it
  std::string ending = ".xml";  ///< the XML's own: a.XML may be beside a.xml
  std::string file() const { return id + ending; }
};

struct VocIdList {
  std::vector<VocId> ids;
  bool has_column = false;         ///< ImageSets/Main/<class>_train.txt: id and -1, 0 or 1
  bool has_picture_paths = false;  ///< a line is the path of a picture: "images/1.jpg"
};

/// The ids of a list, which may have .xml or a picture's extension, or stand behind their picture
/// ("a.jpg a.xml"). A list with a column says for
/// one class which pictures show it: all its pictures belong to the set, and their XMLs say more.
/// list: its name, for `where`.
VocIdList read_voc_ids(std::string_view text, const std::string& list);

/// Where the XMLs are, as a path from a list in ImageSets/Main.
inline constexpr const char* kVocXmls = "../../Annotations";
/// The same for this list, by where the first of its ids are files: there, in ../Annotations, in
/// Annotations or beside it; nullptr: nowhere.
const char* voc_folder_of_ids(const FileTree& files, const std::filesystem::path& list,
                              const VocIdList& ids);

/// Of ids that are paths, for which there is no XML as they are, what is below the last folder of
/// XMLs or pictures in them: "./JPEGImages/1" is "1".
void take_ids_below_folders(const FileTree& files, const std::filesystem::path& folder,
                            VocIdList& ids);

/// The id of an XML, by its path in the folder of XMLs.
VocId voc_id_of_file(const std::string& file);

/// Whether a folder is called as those of XMLs are: Annotations, labels or xml, say.
bool is_annotations_folder(const std::filesystem::path& folder);

/// The folder of XMLs that a folder means: Annotations in it, or itself.
std::filesystem::path voc_xml_folder_in(const FileTree& files, const std::filesystem::path& folder);

}  // namespace letterpress::annotations
