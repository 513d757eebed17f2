#include "trainer/parity/python_program.h"

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "trainer/parity/reference_program.h"
#include "trainer/parity/run_to_end.h"

namespace letterpress {
namespace {

constexpr int kNotInstalled = 77;  // exit code of the programs

}  // namespace

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n");
  if (end == std::string::npos) return "nothing on stderr";
  const std::size_t before = text.rfind('\n', end);
  return text.substr(before + 1, end - before);
}

std::optional<std::string> run_python(const PythonProgram& program, const Workplace& workplace,
                                      const StopRequest& stop) {
  for (const ReferenceFile& file : kReferencePrograms)
    replace_file(workplace / file.name, file.text);
  std::vector<std::string> words{program.python, "-B", (workplace / program.name).string()};
  words.insert(words.end(), program.words.begin(), program.words.end());
  const auto ended = run_to_end(words, workplace.path(), stop);
  if (!ended) return std::nullopt;
  if (ended->exit_code == kNotInstalled)
    throw Error({.where = program.flag,
                 .what = program.python + " " + last_line(ended->err),
                 .fix = "pip install " + program.packages + ", name another --python, or " +
                        program.otherwise},
                Exit::configuration);
  if (ended->exit_code != 0)
    throw Error({.where = program.flag,
                 .what = program.name + " ended with exit code " +
                         std::to_string(ended->exit_code) + ": " + last_line(ended->err)});
  return ended->out.substr(0, ended->out.find('\n'));
}

}  // namespace letterpress
