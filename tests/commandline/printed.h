#pragma once
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "letterpress/commandline/program.h"

namespace letterpress {

/// What a program ended with and printed.
struct Outcome {
  int code;
  std::string out, err;
};

/// run_program() with these words behind its name.
inline Outcome printed_by(const std::string& program, const std::vector<Command>& commands,
                          std::vector<std::string> words) {
  words.insert(words.begin(), program);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  std::ostringstream out, err;
  auto* const old_out = std::cout.rdbuf(out.rdbuf());
  auto* const old_err = std::cerr.rdbuf(err.rdbuf());
  const int code =
      run_program(program, "a tool", commands, static_cast<int>(argv.size()), argv.data());
  std::cout.rdbuf(old_out);
  std::cerr.rdbuf(old_err);
  return {code, out.str(), err.str()};
}

}  // namespace letterpress
