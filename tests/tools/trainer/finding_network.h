#pragma once
// What tests of exports share.
#include "tests/tools/trainer/trained_run.h"

namespace letterpress {

/// A run, in `run`, whose network finds things: one for all tests of a program, none of which
/// changes it. They write beside it.
inline const TrainerBench& finding_network() {
  struct Trained : TrainerBench {
    Trained() {
      const ProgramResult fitted =
          trainer({"fit", "--store", path("store"), "--out", path("run"), "--batch", "4",
                   "--epochs", "40", "--lr", "0.004", "--device", "cpu"});
      REQUIRE_MESSAGE(fitted.exit_code == 0, fitted.err);
    }
  };
  static const Trained bench;
  return bench;
}

/// The path of a program there that runs these lines of shell.
inline std::string shell_program(const std::string& name, const std::string& lines) {
  const std::filesystem::path file = finding_network().folder.write(name, "#!/bin/sh\n" + lines);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file.string();
}

}  // namespace letterpress
