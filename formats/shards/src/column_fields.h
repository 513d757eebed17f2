#pragma once
#include <algorithm>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/hdf5/columns.h"

namespace letterpress {

// The column of one field: `value(record)` of every record, as a T. records: any range.
template <class T, class Sink, class Records, class Value>
void write_field(Sink& sink, const std::string& name, const Records& records, Value value) {
  std::vector<T> column;
  for (const auto& record : records) column.push_back(static_cast<T>(value(record)));
  sink.write(name, std::span<const T>(column));
}

template <class Sink, class Record, class Value>
void write_texts(Sink& sink, const std::string& name, const std::vector<Record>& records,
                 Value value) {
  hdf5::StringColumns column;
  for (const Record& record : records) column.add(value(record));
  sink.write(name, column);
}

// The elements of a member of all records, one record after the other, without a copy, which would
// be as large as the records.
template <class Record, class Element>
auto elements_of(const std::vector<Record>& records, std::vector<Element> Record::*member) {
  return records | std::views::transform(member) | std::views::join;
}

// Throws unless the column has one element per record.
inline void check_length(const std::string& name, std::size_t got, std::size_t wanted) {
  if (got == wanted) return;
  throw Error("column " + name + " has " + std::to_string(got) + " elements, must be " +
              std::to_string(wanted));
}

// How many elements of a flat column belong to each record: the counts must not be negative and
// must sum up to `total`.
inline void check_counts(const std::string& name, const std::vector<std::int64_t>& counts,
                         std::size_t total) {
  std::size_t sum = 0;
  for (const std::int64_t count : counts) {
    if (count < 0 || static_cast<std::size_t>(count) > total - sum) {
      throw Error("column " + name + " counts more than the " + std::to_string(total) +
                  " elements there are");
    }
    sum += static_cast<std::size_t>(count);
  }
  check_length(name, sum, total);
}

// set(record, value) for every record.
template <class T, class Record, class Set>
void read_field(hdf5::ColumnReader& reader, const std::string& name, std::vector<Record>& records,
                Set set) {
  const std::vector<T> column = reader.read<T>(name);
  check_length(name, column.size(), records.size());
  for (std::size_t i = 0; i < records.size(); ++i) set(records[i], column[i]);
}

template <class Record, class Set>
void read_texts(hdf5::ColumnReader& reader, const std::string& name, std::vector<Record>& records,
                Set set) {
  std::vector<std::string> column = reader.read_strings(name);
  check_length(name, column.size(), records.size());
  for (std::size_t i = 0; i < records.size(); ++i) set(records[i], std::move(column[i]));
}

}  // namespace letterpress
