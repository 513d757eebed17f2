#include "preprocess/plan/plan_folder.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/folder.h"
#include "letterpress/base/nesting.h"
#include "letterpress/base/own_file.h"
#include "letterpress/base/parse_as.h"
#include "preprocess/plan/software_version.h"
#include "preprocess/upkeep/garbage.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

const std::string kPartsSuffix = ".parts";
using Json = nlohmann::ordered_json;

std::string to_json(const PlanTerms& terms, const Hash128& plan, std::int64_t generation) {
  Json rejects = Json::array();
  for (const Reject& reject : terms.rejects) {
    rejects.push_back({reject.where, reject.what, reject.fix, reject.scope == Reject::Scope::box});
  }
  const Json json{{"plan", plan.hex()},
                  {"generation", generation},
                  {"max_rejects", terms.gates.max_rejects},
                  {"max_drift", terms.gates.max_drift},
                  {"for_parts", terms.for_parts},
                  {"rejects", rejects}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_at(const Json& array, std::size_t i) { return array.at(i).get<std::string>(); }

// Discarded where it is not JSON.
Json parsed_terms(const fs::path& file) {
  const std::string text = read_own_file(file, kMostJsonBytes);
  check_nesting(text, file.string());
  return Json::parse(text, nullptr, false);
}

PlanTerms read_terms(const fs::path& file) {
  try {
    const Json json = parsed_terms(file);
    PlanTerms terms{
        .gates = {.max_rejects = json.at("max_rejects"), .max_drift = json.at("max_drift")},
        .rejects = {},
        .for_parts = json.value("for_parts", true)};
    for (const Json& reject : json.at("rejects")) {
      const bool box = reject.at(3);
      terms.rejects.push_back({text_at(reject, 0), text_at(reject, 1), text_at(reject, 2),
                               box ? Reject::Scope::box : Reject::Scope::picture});
    }
    return terms;
  } catch (const Json::exception& error) {
    throw Error({.where = file.string(),
                 .what = std::string("damaged (") + error.what() + ")",
                 .fix = "run `letterpress-preprocess plan` again"});
  }
}

// The hash that terms.json names of the plan's file; nothing where there are none.
std::optional<Hash128> planned_hash(const fs::path& terms) {
  std::error_code ignored;
  if (!fs::exists(terms, ignored)) return std::nullopt;
  const Json json = parsed_terms(terms);
  const bool named = json.is_object() && json.contains("plan") && json.at("plan").is_string();
  const std::string text = named ? json.at("plan").get<std::string>() : "";
  const bool is_hash =
      text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_hash ? std::optional(Hash128::from_hex(text)) : std::nullopt;
}

// Whether `plan` made it, whose parts work without the store's lock; a build holds that while it
// works. Nothing where the terms do not tell, as those of older programs.
std::optional<bool> is_for_parts(const fs::path& folder) {
  const Json json = parsed_terms(folder / "terms.json");
  const bool tells =
      json.is_object() && json.contains("for_parts") && json.at("for_parts").is_boolean();
  return tells ? std::optional(json.at("for_parts").get<bool>()) : std::nullopt;
}

// Of the snapshot that a plan is for; 0 when its folder holds no whole plan: then nobody can
// publish it. Plans of older programs do not tell, so that age alone removes them.
std::int64_t planned_generation(const fs::path& folder) {
  if (!fs::exists(folder / "plan.h5") || !fs::exists(folder / "terms.json")) return 0;
  const Json json = parsed_terms(folder / "terms.json");
  const bool told =
      json.is_object() && json.contains("generation") && json.at("generation").is_number_integer();
  return told ? json.at("generation").get<std::int64_t>()
              : std::numeric_limits<std::int64_t>::max();
}

// plan.h5 of a plan that is named by its file or its folder.
fs::path plan_file(const fs::path& path) {
  fs::path name = fs::absolute(path).lexically_normal();
  if (name.filename() == "plan.h5") return name;
  return (name.has_filename() ? name : name.parent_path()) / "plan.h5";
}

void check_version(const fs::path& file, const std::string& planned_by) {
  if (planned_by == software_version()) return;
  throw Error(
      {.where = file.string(),
       .what = "was planned by '" + planned_by + "', this is '" + software_version() +
               "': its shards could have other bytes",
       .fix = "run the same program with the same libraries on all machines, or plan again"},
      Exit::configuration);
}

void check_hash(const fs::path& file) {
  const auto named = planned_hash(file.parent_path() / "terms.json");
  if (!named || hash_file(file) == *named) return;
  throw Error({.where = file.string(),
               .what = "damaged: its bytes have another hash than terms.json names",
               .fix = "run `letterpress-preprocess plan` again"});
}

// The n of "<n>.parts"; 0 for any other name.
int parts_in(const fs::path& file) {
  if (file.extension() != kPartsSuffix) return 0;
  return std::max(0, parse_as<int>(file.stem().string()).value_or(0));
}

}  // namespace

fs::path record_path(const Store& store, const Hash128& digest, std::int32_t shard) {
  return store.plan_folder(digest) / (std::to_string(shard) + ".json");
}

void write_plan_folder(const Store& store, const Plan& plan, const Hash128& digest,
                       const PlanTerms& terms) {
  const fs::path folder = store.plan_folder(digest);
  make_folders(folder);
  const fs::path plan_file = folder / "plan.h5", terms_file = folder / "terms.json";
  std::optional<Hash128> written;
  check_own_file(plan_file);
  if (fs::exists(plan_file)) written = planned_hash(terms_file);
  std::optional<TemporaryFile> made;
  if (!written || hash_file(plan_file) != *written) {
    made.emplace(store.temporary_folder());
    written = made->under_name(plan_file, [&](const fs::path& path) {
      write_plan(path, plan);
      return hash_file(path);
    });
  }
  PlanTerms all = terms;
  all.for_parts =
      terms.for_parts || (fs::exists(terms_file) && is_for_parts(folder).value_or(false));
  const std::string text = to_json(all, *written, plan.snapshot.generation);
  if (!fs::exists(terms_file) || read_own_file(terms_file, kMostJsonBytes) != text) {
    TemporaryFile temporary(store.temporary_folder());
    temporary.write_at(0, std::as_bytes(std::span(text)), terms_file);
    temporary.replace(terms_file);
  }
  if (made)
    made->replace(plan_file);
  else
    sync_folder(folder);  // who wrote it may have been killed before that
}

StoredPlan open_plan(const fs::path& path) {
  const fs::path file = plan_file(path);
  if (!fs::exists(file)) {
    throw Error({.where = path.string(),
                 .what = "there is no such plan",
                 .fix = "is it published already (`letterpress-preprocess info`)? else plan again"},
                Exit::no_input);
  }
  check_no_link(file.parent_path(), "name the plan's folder itself");
  Plan plan = read_plan(file);
  const Hash128 digest = plan_digest(plan);
  const fs::path store = store_of_plan(path);
  if (file.parent_path().filename() != digest.hex() || !Store::is_at(store)) {
    throw Error({.where = file.string(),
                 .what = "is not where `plan` wrote it (store/plans/" + digest.hex() + "/)",
                 .fix = "name the plan in its store"});
  }
  check_version(file, plan.snapshot.producer);
  check_hash(file);
  return {Store::open(store), std::move(plan), digest,
          read_terms(file.parent_path() / "terms.json")};
}

fs::path store_of_plan(const fs::path& path) {
  return plan_file(path).parent_path().parent_path().parent_path();
}

fs::path only_plan(const Store& store) {
  std::vector<fs::path> plans;
  for (const fs::path& folder : store.plan_folders()) {
    if (fs::exists(folder / "plan.h5")) plans.push_back(folder / "plan.h5");
  }
  if (plans.size() == 1) return plans.front();
  if (plans.empty()) {
    throw Error({.where = store.folder().string(),
                 .what = "has no plan",
                 .fix = "run `letterpress-preprocess plan`, or it is published already"},
                Exit::no_input);
  }
  std::string names;
  for (const fs::path& plan : plans) names += "\n  " + plan.string();
  throw Error({.where = store.folder().string(),
               .what = "has several plans",
               .fix = "name one with --plan:" + names},
              Exit::usage);
}

std::optional<std::string> interrupted_configuration(const Store& store) {
  std::optional<fs::path> youngest;
  std::error_code ignored;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(store.folder() / "plans", ignored)) {
    const fs::path plan = entry.path() / "plan.h5";
    if (entry.is_symlink(ignored) || !fs::exists(plan, ignored)) continue;
    if (!youngest || fs::last_write_time(plan, ignored) > fs::last_write_time(*youngest, ignored))
      youngest = plan;
  }
  if (!youngest) return std::nullopt;
  try {
    return read_plan(*youngest).snapshot.configuration_json;
  } catch (const Error&) {
    return std::nullopt;  // the flags have to be given then, as a later message tells
  }
}

std::optional<fs::path> plan_for_parts(const Store& store, std::int64_t newest) {
  for (const fs::path& folder : store.plan_folders()) {
    std::error_code gone;  // published or removed since it was listed
    const auto age = fs::file_time_type::clock::now() - fs::last_write_time(folder, gone);
    if (gone || age > kPlanLife || planned_generation(folder) <= newest) continue;
    if (is_for_parts(folder).value_or(true)) return folder;
  }
  return std::nullopt;
}

void remove_plans(const Store& store, std::int64_t published, BuildListener& listener,
                  const std::optional<Hash128>& done) {
  const auto is_lost = [&](const fs::path& folder) {
    return done && folder != store.plan_folder(*done) && planned_generation(folder) == published &&
           is_for_parts(folder).value_or(false);
  };
  try {
    for (const fs::path& folder : store.plan_folders()) {
      if (!fs::is_directory(folder)) continue;
      const auto age = fs::file_time_type::clock::now() - fs::last_write_time(folder);
      if (planned_generation(folder) > published && age <= kPlanLife) continue;
      if (is_lost(folder))
        listener.note("plan " + folder.filename().string() + " is removed: its snapshot would be " +
                      std::to_string(published) +
                      ", too, which is published now; where its parts are needed, plan again");
      remove_plan(folder);
    }
  } catch (const std::exception& error) {
    listener.note(std::string(error.what()) +
                  " (it is no longer needed; the next build tries again)");
  }
}

void note_parts(const StoredPlan& stored, int n, const fs::path& temporary_folder) {
  const fs::path file =
      stored.store.plan_folder(stored.digest) / (std::to_string(n) + kPartsSuffix);
  if (write_new_file(file, "", temporary_folder)) return;
  std::error_code ignored;  // it was chosen before, perhaps by another user
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
}

std::string parts_missing(const Store& store, const Plan& plan, const Hash128& digest,
                          const std::vector<std::size_t>& shards) {
  // Each number of parts makes all shards: the one that was chosen last is the one in use.
  int n = 0;
  fs::file_time_type chosen{};
  for (const fs::path& file : entries_of(store.plan_folder(digest))) {
    std::error_code gone;
    const fs::file_time_type time = fs::last_write_time(file, gone);
    if (parts_in(file) == 0 || gone || (n > 0 && time < chosen)) continue;
    n = parts_in(file);
    chosen = time;
  }
  if (n == 0) return {};
  std::set<int> parts;
  for (const std::size_t shard : shards) parts.insert(plan.shards[shard].group % n);
  std::string text;
  for (const int part : parts)
    text += (text.empty() ? "" : ", ") + std::to_string(part) + "/" + std::to_string(n);
  return text;
}

}  // namespace letterpress
