#include "letterpress/hdf5/columns.h"

namespace letterpress::hdf5 {

Hasher& ColumnHasher::begin(const std::string& name, Number number, std::size_t n) {
  return hasher_.add(name)
      .add(std::string_view("\0", 1))
      .add(to_string(number))
      .add_value(static_cast<std::uint64_t>(n));
}

void ColumnHasher::write(const std::string& name, const StringColumns& strings) {
  write<std::uint8_t>(name + "_bytes", strings.bytes);
  write<std::uint64_t>(name + "_offset", strings.offsets);
}

ColumnWriter::ColumnWriter(const std::filesystem::path& path, const std::string& kind, int format)
    : file_(create_file(path)) {
  write_attribute(file_, "kind", kind);
  write_attribute(file_, "format", format);
}

void ColumnWriter::write(const std::string& name, const StringColumns& strings) {
  write_strings(file_, name, strings);
  hasher_.write(name, strings);
}

void ColumnWriter::finish() {
  write_attribute(file_, "checksum", hasher_.digest().hex());
  close_file(std::exchange(file_, {}));
}

ColumnReader::ColumnReader(const std::filesystem::path& path, const std::string& kind, int format)
    : where_(path.string()), file_(open_file(path, "not a readable " + kind)) {
  const std::string found = read_text_attribute(file_, "kind");
  if (found != kind)
    throw Error({.where = where_, .what = "is a " + found + ", must be a " + kind});
  const std::int64_t number = read_integer_attribute(file_, "format");
  if (number <= format) return;
  throw Error({.where = where_,
               .what = kind + " format " + std::to_string(number) +
                       " is newer than this program's " + std::to_string(format),
               .fix = "update Letterpress"},
              Exit::configuration);
}

std::vector<std::string> ColumnReader::read_strings(const std::string& name) {
  std::vector<std::string> strings = hdf5::read_strings(file_, name);
  hasher_.write(name, to_columns(strings));
  return strings;
}

bool ColumnReader::has(const std::string& name) const { return has_dataset(file_, name); }

void ColumnReader::finish() const {
  const std::string stored = read_text_attribute(file_, "checksum"),
                    computed = hasher_.digest().hex();
  if (stored == computed) return;
  throw Error({.where = where_,
               .what = "damaged: its content has checksum " + computed + ", it says " + stored,
               .fix = "restore or rebuild this file"});
}

void ColumnReader::rethrow(const Error& error) const {
  if (error.message().where.starts_with(where_)) throw error;
  throw Error({.where = where_,
               .what = std::string("damaged: ") + error.what(),
               .fix = "restore or rebuild this file"},
              error.exit());
}

}  // namespace letterpress::hdf5
