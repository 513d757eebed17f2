#include <nlohmann/json.hpp>

#include "json_text.h"
#include "letterpress/shards/plan.h"

namespace letterpress {

constexpr int kRecordFormat = 1;

void to_json(nlohmann::json& object, const ShardRecord::Dead& dead) {
  object = {{"row", dead.row}, {"status", dead.status}, {"what", dead.what}, {"fix", dead.fix}};
}

void from_json(const nlohmann::json& object, ShardRecord::Dead& dead) {
  object.at("row").get_to(dead.row);
  object.at("status").get_to(dead.status);
  // Before they were kept apart, both were one text, "reason".
  object.at(object.contains("what") ? "what" : "reason").get_to(dead.what);
  dead.fix = object.value("fix", "");
}

std::string to_json(const ShardRecord& record) {
  return seal("record", kRecordFormat,
              {{"shard", record.shard},
               {"digest", record.digest},
               {"dead", record.dead},
               {"channel_sum", record.channel_sum},
               {"pixels", record.pixels}});
}

ShardRecord shard_record_from_json(const std::string& text, const std::string& where) {
  const nlohmann::json content = unseal(text, "record", kRecordFormat, where).content;
  return read_fields(where, [&] {
    ShardRecord record;
    content.at("shard").get_to(record.shard);
    content.at("digest").get_to(record.digest);
    content.at("dead").get_to(record.dead);
    content.at("channel_sum").get_to(record.channel_sum);
    content.at("pixels").get_to(record.pixels);
    return record;
  });
}

}  // namespace letterpress
