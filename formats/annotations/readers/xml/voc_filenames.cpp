#include "voc_filenames.h"

#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/folder_names.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace {

// A name as names without extension are compared.
std::string alike_stem(std::string_view file) { return alike_name(without_extension(file)); }

}  // namespace

std::string voc_name_with_folders(const std::string& id, const std::string& path) {
  const std::string_view name = last_part(path), own = last_part(id);
  const std::string folders = id.substr(0, id.size() - own.size());
  if (folders.empty() || alike_stem(name) != alike_name(own)) return {};
  std::string whole = folders + std::string(name);
  return path.ends_with("/" + whole) ? "" : std::move(whole);
}

void VocFilenames::note(PictureFinder& finder, const Item& item, const std::string& id,
                        const std::string& filename) {
  const std::string base(last_part(filename));
  const std::string_view own = last_part(item.where), taken = last_part(item.path);
  if (base.empty() || without_extension(base) == without_extension(own)) return;
  const bool by_xml = alike_stem(taken) == alike_stem(own);
  const std::string beside = id.substr(0, id.size() - last_part(id).size()) + base;
  const auto is_another = [&] { return finder.has_exactly(beside) || finder.has_exactly(base); };
  if (by_xml && (base == taken || !is_another())) return;
  Remark& remark = by_xml ? by_xml_ : by_filename_;
  if (remark.n++ == 0)
    remark.first =
        item.where + " takes " + printable(taken) + ", its <filename> is " + in_quotes(base);
}

void VocFilenames::add_to(std::vector<std::string>& remarks) const {
  if (by_xml_.n > 0) {
    remarks.push_back(counted(by_xml_.n, "XML names", "XMLs name") +
                      " in <filename> another picture that exists; the one with the XML's "
                      "name is taken: the first, " +
                      by_xml_.first + "; rename the XML if its boxes belong to the other");
  }
  if (by_filename_.n > 0) {
    remarks.push_back(counted(by_filename_.n, "XML has", "XMLs have") +
                      " no picture of the same name; the one in <filename> is taken: the first, " +
                      by_filename_.first +
                      "; rename the XML if that is the right one, else correct <filename>");
  }
}

}  // namespace letterpress::annotations
