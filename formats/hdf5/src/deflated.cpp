#include "letterpress/hdf5/deflated.h"

#include <algorithm>

#include "types.h"

namespace letterpress::hdf5 {
namespace {

std::vector<hsize_t> chunk_of(const std::vector<std::int64_t>& shape) {
  std::vector<hsize_t> chunk(shape.begin(), shape.end());
  chunk.front() = 1;
  return chunk;
}

PropertyList one_row_per_chunk(const std::string& where, const std::vector<std::int64_t>& shape,
                               int level) {
  PropertyList list(H5Pcreate(H5P_DATASET_CREATE), {where, "dataset properties cannot be made"});
  const std::vector<hsize_t> chunk = chunk_of(shape);
  require(H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data()), where,
          "chunks cannot be set");
  require(H5Pset_deflate(list, static_cast<unsigned>(level)), where,
          "the deflate filter cannot be set");
  require(H5Pset_fill_time(list, H5D_FILL_TIME_NEVER), where, "fill time cannot be set");
  require(H5Pset_obj_track_times(list, false), where, "times cannot be switched off");
  return list;
}

bool is_deflated_by_row(const Dataset& dataset, const std::string& where,
                        const std::vector<std::int64_t>& shape) {
  const PropertyList list(H5Dget_create_plist(dataset), {where, "its layout cannot be read"});
  std::vector<hsize_t> chunk(shape.size());
  const int rank = static_cast<int>(shape.size());
  if (rank == 0 || H5Pget_layout(list) != H5D_CHUNKED ||
      H5Pget_chunk(list, rank, chunk.data()) != rank || chunk != chunk_of(shape))
    return false;
  unsigned flags = 0;
  std::size_t values = 0;
  return H5Pget_nfilters(list) == 1 && H5Pget_filter2(list, 0, &flags, &values, nullptr, 0, nullptr,
                                                      nullptr) == H5Z_FILTER_DEFLATE;
}

// Whether no row has another's bytes; rows may be in any order.
bool are_apart(std::vector<FileRange> rows, std::int64_t file_size) {
  std::sort(rows.begin(), rows.end(),
            [](const FileRange& a, const FileRange& b) { return a.offset < b.offset; });
  std::int64_t free = 0;
  for (const FileRange& row : rows) {
    if (row.offset < free || row.bytes < 1 || row.bytes > file_size ||
        row.offset > file_size - row.bytes)
      return false;
    free = row.offset + row.bytes;
  }
  return true;
}

}  // namespace

void create_deflated_rows(const File& file, const std::string& name, Number number,
                          const std::vector<std::int64_t>& shape, int level) {
  silence();
  make_dataset(file, name, number, shape, one_row_per_chunk(where_of(file, name), shape, level));
}

void write_deflated_rows(const File& file, const std::string& name,
                         const std::function<std::span<const std::byte>(std::int64_t)>& deflated) {
  silence();
  const std::string where = where_of(file, name), path = path_of(file);
  const Dataset dataset = open_dataset(file, name);
  const std::vector<std::int64_t> shape = shape_of(dataset, where);
  std::vector<hsize_t> first(shape.size(), 0);
  for (std::int64_t row = 0; row < shape.front(); ++row) {
    const std::span<const std::byte> bytes = deflated(row);
    first.front() = static_cast<hsize_t>(row);
    ask_to_change("write", path);
    require(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, first.data(), bytes.size(), bytes.data()),
            where, "row " + std::to_string(row) + " cannot be written");
  }
}

DeflatedRows find_deflated_rows(const File& file, const std::string& name) {
  silence();
  const std::string where = where_of(file, name);
  const Dataset dataset = open_dataset(file, name);
  DeflatedRows found{.number = number_of(dataset, where), .shape = shape_of(dataset, where)};
  if (!is_deflated_by_row(dataset, where, found.shape))
    throw Error(
        {.where = where, .what = "must have one chunk per row and the deflate filter alone"});
  const Space space(H5Dget_space(dataset), {where, "its shape cannot be read"});
  hsize_t there = 0, file_size = 0;
  require(H5Dget_num_chunks(dataset, space, &there), where, "its rows cannot be counted");
  require(H5Fget_filesize(file, &file_size), where, "the file's size cannot be read");
  if (there != static_cast<hsize_t>(found.shape.front())) {
    throw Error({.where = where,
                 .what = "has " + std::to_string(there) + " compressed rows, must be " +
                         std::to_string(found.shape.front()),
                 .fix = "restore or rebuild this file"});
  }
  found.rows.resize(there);
  std::vector<hsize_t> first(found.shape.size());
  for (hsize_t i = 0; i < there; ++i) {
    unsigned left_out = 0;  // a bit per filter that was not applied to this chunk
    haddr_t offset = 0;
    hsize_t bytes = 0;
    require(H5Dget_chunk_info(dataset, space, i, first.data(), &left_out, &offset, &bytes), where,
            "a row cannot be found");
    if (left_out != 0 || first.front() >= there)
      throw Error(
          {.where = where, .what = "row " + std::to_string(first.front()) + " is not deflated"});
    found.rows[first.front()] = {static_cast<std::int64_t>(offset),
                                 static_cast<std::int64_t>(bytes)};
  }
  if (are_apart(found.rows, static_cast<std::int64_t>(file_size))) return found;
  throw Error({.where = where,
               .what = "its compressed rows overlap or reach past the end of the file (" +
                       std::to_string(file_size) + " bytes)",
               .fix = "restore or rebuild this file"});
}

}  // namespace letterpress::hdf5
