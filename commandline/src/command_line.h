#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "letterpress/commandline/command.h"

namespace letterpress {

/// What a command line asks for.
struct Selection {
  std::string title;           ///< "letterpress-preprocess build"
  std::function<int()> run{};  ///< the command with its flags, or a text on stdout: its exit code
  bool json = false;           ///< whether a failure is told as JSON, too
  std::string store{};         ///< of --store
};

/// The parser of a program's words.
class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& summary,
              const std::vector<Command>& commands);
  ~CommandLine();
  /// words: without the program's name. known: becomes what can be told of words that cannot be
  /// read. Throws Error (usage). The result must not outlive this.
  Selection parse(std::vector<std::string> words, Selection& known);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace letterpress
