#include "yaml_size.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <sstream>

#include "letterpress/base/error.h"
#include "letterpress/base/nesting.h"

namespace letterpress::annotations {
namespace {

constexpr std::size_t kMostValues = 100'000;

struct TooMany {};

class CountValues : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override { add(); }
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override { add(); }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {
    add();
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    add();
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    add();
  }
  void OnMapEnd() override {}

 private:
  void add() {
    if (++values_ > kMostValues) throw TooMany();
  }
  std::size_t values_ = 0;
};

}  // namespace

void check_yaml_size(const std::string& yaml, const std::string& where) {
  if (is_all_brackets(yaml)) {
    throw Error({.where = where,
                 .what = "has too many brackets within brackets",
                 .fix = "write names as one list"});
  }
  std::istringstream text(yaml);
  YAML::Parser parser(text);
  CountValues count;
  try {
    parser.HandleNextDocument(count);
  } catch (const TooMany&) {
    throw Error({.where = where,
                 .what = "has more than 100,000 values",
                 .fix = "list pictures in a .txt file that it names"});
  }
}

}  // namespace letterpress::annotations
