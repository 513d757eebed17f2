// The scripts are run by the shells themselves, where they are installed.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "tests/commandline/printed.h"
#include "tests/skip.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

// A program of two commands, one with a flag whose help would break careless quoting; alone: of the
// first one, which needs no name.
Outcome run_tool(std::vector<std::string> words, bool alone = false) {
  struct Flags {
    bool dry_run = false, json = false;
    std::string store, size;
  };
  using F = Flag<Flags>;
  FlagTable<Flags> build_flags, info_flags;
  build_flags.add({F("store", &Flags::store, "folder of the user's [shards]: one"),
                   F("size", &Flags::size, "pixels"),
                   F("dry-run", &Flags::dry_run, "say what would be done")});
  info_flags.add({F("json", &Flags::json, "summary")});
  const auto nothing = [](const Flags&) { return 0; };
  const Command build = command("build", "pictures -> it's shards: [all]", build_flags, nothing);
  if (alone) return printed_by("my-tool", {command("", "pictures", build_flags, nothing)}, words);
  const Command info = command("info", "what a store holds", info_flags, nothing);
  return printed_by("my-tool", {build, info}, std::move(words));
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// What bash offers after `typed`, whose last word is the one to be completed; one offer per line.
std::string offered(const TempDir& dir, const std::string& typed, bool alone = false) {
  dir.write("script", run_tool({"completion", "bash"}, alone).out);
  dir.write("a b.toml", "");
  dir.write("drive", "cd '" + dir.path().string() + "'\n. ./script\nCOMP_WORDS=(" + typed +
                         ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_my_tool\nprintf '%s\\n' "
                         "\"${COMPREPLY[@]}\" > offers\n");
  REQUIRE(
      std::system(("bash '" + (dir / "drive").string() + "' 2> '" + (dir / "errors").string() + "'")
                      .c_str()) == 0);
  CHECK(text_of(dir / "errors") == "");
  return text_of(dir / "offers");
}

bool installed(const std::string& shell) {
  return std::system(("command -v " + shell + " > /dev/null").c_str()) == 0;
}

void check_syntax(const std::string& shell) {
  if (!installed(shell)) return skip("no " + shell + " here");
  const TempDir dir;
  const auto script = dir.write(shell, run_tool({"completion", shell}).out);
  CHECK(std::system((shell + " -n '" + script.string() + "'").c_str()) == 0);
}

}  // namespace

TEST_CASE("bash is offered commands, then the flags of the one typed, then files") {
  const TempDir dir;
  CHECK(offered(dir, "my-tool b") == "build\n");
  CHECK(offered(dir, "my-tool ''") ==
        "build\ninfo\ncompletion\nmanual\nreference\n--version\n--help\n");
  CHECK(offered(dir, "my-tool build --s") == "--store\n--size\n");
  CHECK(offered(dir, "my-tool build --store s --d") == "--dry-run\n");
  CHECK(offered(dir, "my-tool info --") == "--help\n--config\n--json\n");
  CHECK(offered(dir, "my-tool build --config a") == "a b.toml\n");
  CHECK(offered(dir, "my-tool build --dry-run a") == "\n");
  CHECK(offered(dir, "my-tool completion z") == "zsh\n");
  CHECK(offered(dir, "my-tool manual ''") == "build\ninfo\n");
}

TEST_CASE("bash is offered files behind the flags of a program without commands") {
  const TempDir dir;
  CHECK(offered(dir, "my-tool --s", true) == "--store\n--size\n");
  CHECK(offered(dir, "my-tool --store a", true) == "a b.toml\n");
  CHECK(offered(dir, "my-tool --dry-run a", true) == "\n");
}

TEST_CASE("zsh reads its script without complaint" * doctest::test_suite("needs zsh")) {
  check_syntax("zsh");
}

// Of the two ways to have it: a file of $fpath is run when it is first needed, as the function that
// it is named after.
TEST_CASE("zsh completes the first word by a script that lies in its path" *
          doctest::test_suite("needs zsh")) {
  if (!installed("zsh")) return skip("no zsh here");
  const TempDir dir;
  dir.write("_my_tool", run_tool({"completion", "zsh"}).out);
  // compdef and _describe are the completion system's; these stand-ins tell that they were called.
  const auto drive = dir.write("drive", "fpath=('" + dir.path().string() +
                                            "')\nautoload -Uz _my_tool\n"
                                            "compdef() { print \"compdef $*\" }\n"
                                            "_describe() { print \"describe $1\" }\n"
                                            "words=(my-tool b) CURRENT=2\n_my_tool\n");
  REQUIRE(std::system(
              ("zsh -f '" + drive.string() + "' > '" + (dir / "out").string() + "'").c_str()) == 0);
  CHECK(text_of(dir / "out") == "compdef _my_tool my-tool\ndescribe command\n");
}

// What becomes of `typed` in an interactive zsh when Tab is pressed.
std::string completed_by_zsh(const std::string& typed, bool alone = false) {
  const TempDir dir;
  dir.write("script", run_tool({"completion", "zsh"}, alone).out);
  dir.write("a b.toml", "");
  const auto drive = dir.write(
      "drive", "cd '" + dir.path().string() +
                   "'\nzmodload zsh/zpty\nzpty z zsh -f -i\n"
                   "await() { for i in {1..600}; do [[ -e $1 ]] && return; sleep 0.1; done }\n"
                   "zpty -w z 'autoload -Uz compinit; compinit -u -D; source ./script; "
                   "probe() { zle complete-word; print -r -- \"$BUFFER\" > new; mv new offer }; "
                   "zle -N probe; bindkey \"^T\" probe; touch ready'\nawait ready\n"
                   "zpty -w -n z '" +
                   typed + "'$'\\x14'\nawait offer\nzpty -d z\n");
  REQUIRE(std::system(("zsh -f '" + drive.string() + "' > '" + (dir / "out").string() + "' 2>&1")
                          .c_str()) == 0);
  return text_of(dir / "offer");
}

TEST_CASE("zsh completes flags and files behind a command, and of a program without commands" *
          doctest::test_suite("needs zsh")) {
  if (!installed("zsh")) return skip("no zsh here");
  if (std::system("zsh -fc 'zmodload zsh/zpty && zpty p true' > /dev/null 2>&1") != 0)
    return skip("no terminal for a zsh here");
  CHECK(completed_by_zsh("my-tool build --dr") == "my-tool build --dry-run \n");
  CHECK(completed_by_zsh("my-tool build --sto") == "my-tool build --store=\n");
  CHECK(completed_by_zsh("my-tool build --store a") == "my-tool build --store a\\ b.toml \n");
  CHECK(completed_by_zsh("my-tool build --store=a") == "my-tool build --store=a\\ b.toml \n");
  CHECK(completed_by_zsh("my-tool manual inf") == "my-tool manual info \n");
  CHECK(completed_by_zsh("my-tool --sto", true) == "my-tool --store=\n");
  CHECK(completed_by_zsh("my-tool --store a", true) == "my-tool --store a\\ b.toml \n");
}

TEST_CASE("fish reads its script without complaint" * doctest::test_suite("needs fish")) {
  check_syntax("fish");
}

TEST_CASE("fish offers the flags of a command with their help" *
          doctest::test_suite("needs fish")) {
  if (!installed("fish")) return skip("no fish here");
  const TempDir dir;
  const auto script = dir.write("script", run_tool({"completion", "fish"}).out);
  const auto drive =
      dir.write("drive", "source '" + script.string() + "'\ncomplete -C 'my-tool build --s'\n");
  REQUIRE(std::system(("HOME='" + dir.path().string() + "' fish '" + drive.string() + "' > '" +
                       (dir / "out").string() + "'")
                          .c_str()) == 0);
  CHECK(text_of(dir / "out") == "--size\tpixels\n--store\tfolder of the user's [shards]: one\n");
}

TEST_CASE("completion wants a shell that it knows") {
  const Outcome none = run_tool({"completion"});
  CHECK(none.code == 64);
  CHECK(none.err == "my-tool: completion: name a shell: bash, zsh or fish\n");
  const Outcome wrong = run_tool({"completion", "bsah"});
  CHECK(wrong.code == 64);
  CHECK(wrong.err ==
        "my-tool: completion: unknown shell 'bsah'; did you mean 'bash'? known: bash, zsh, fish\n");
  const Outcome more = run_tool({"completion", "bash", "zsh"});
  CHECK(more.code == 64);
  CHECK(more.err == "my-tool: completion: unexpected argument 'zsh'; name one shell\n");
}
