// Pages as man(7) describes its macros; the rendering is man's, where it is installed.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "tests/commandline/printed.h"
#include "tests/contains.h"
#include "tests/skip.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

struct PageFlags {
  std::string store;
  int size = 416;
  bool dry_run = false;
  std::vector<std::string> input;
};

Command build_command() {
  using F = Flag<PageFlags>;
  FlagTable<PageFlags> flags(FlagLife::kept);
  flags.add({F("store", &PageFlags::store, "folder of the user's shards").required(),
             F("size", &PageFlags::size, "pixels, or a\\b ~ ^ `c`").at_least(32),
             F("dry-run", &PageFlags::dry_run, ".5 s of work: say what would be done").once(),
             F("input", &PageFlags::input, "label files")});
  Command made =
      command("build", "pictures -> it's shards", flags, [](const PageFlags&) { return 0; });
  made.footer = "A build is repeatable.";
  return made;
}

Outcome print_manual(const std::vector<Command>& commands, std::vector<std::string> words = {}) {
  words.insert(words.begin(), "manual");
  return printed_by("my-tool", commands, std::move(words));
}

std::vector<Command> two_commands() {
  return {build_command(),
          {.name = "info", .summary = "what a store holds", .run = [](auto&) { return 0; }}};
}

// What man shows of a page; it prints what it finds wrong on stderr.
std::string rendered(const std::string& page) {
  const TempDir dir;
  const std::string file = dir.write("page.1", page).string();
  const auto shown = (dir / "shown").string(), wrong = (dir / "wrong").string();
  REQUIRE(std::system(("MANWIDTH=100 LC_ALL=C.UTF-8 man --warnings -P cat -l '" + file + "' 2> '" +
                       wrong + "' | col -bx > '" + shown + "'")
                          .c_str()) == 0);
  std::ostringstream complaints, text;
  complaints << std::ifstream(wrong).rdbuf();
  CHECK(complaints.str() == "");
  text << std::ifstream(shown).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("the page of a command states each flag with value, limits, default and later runs") {
  const Outcome page = print_manual(two_commands(), {"build"});
  CHECK(page.code == 0);
  CHECK(
      page.out.starts_with(".TH MY\\-TOOL\\-BUILD 1 \"\" \"my\\-tool 0.1.0\"\n"
                           ".SH NAME\n"
                           "my\\-tool\\-build \\- pictures \\-> it\\(aqs shards\n"
                           ".SH SYNOPSIS\n"
                           "\\fBmy\\-tool\\fR \\fBbuild\\fR \\fB\\-\\-store\\fR \\fITEXT\\fR "
                           "[\\fIflags\\fR]\n"));
  CHECK_CONTAINS(page.out,
                 ".TP\n\\fB\\-\\-store\\fR \\fITEXT\\fR\nfolder of the user\\(aqs shards.\n"
                 ".br\nDefault: none, it is required.\n.br\nIn later runs: taken over.\n");
  CHECK_CONTAINS(page.out,
                 ".TP\n\\fB\\-\\-size\\fR \\fIINT\\fR\npixels, or a\\eb \\(ti \\(ha \\(gac\\(ga.\n"
                 ".br\nMust be: 32 or more.\n.br\nDefault: 416.\n");
  CHECK_CONTAINS(page.out,
                 ".TP\n\\fB\\-\\-dry\\-run\\fR\n\\&.5 s of work: say what would be done.\n"
                 ".br\nIn later runs: not stored.\n");
  CHECK_CONTAINS(page.out, ".SH NOTES\nA build is repeatable.\n");
  CHECK(page.out.ends_with(".SH SEE ALSO\n.BR my\\-tool (1)\n"));
}

TEST_CASE("the page of a program names its commands and their pages") {
  const Outcome page = print_manual(two_commands());
  CHECK(page.code == 0);
  CHECK(
      page.out.starts_with(".TH MY\\-TOOL 1 \"\" \"my\\-tool 0.1.0\"\n.SH NAME\n"
                           "my\\-tool \\- a tool\n"));
  CHECK_CONTAINS(page.out, ".TP\n\\fBinfo\\fR\nwhat a store holds.\n");
  CHECK(page.out.ends_with(".SH SEE ALSO\n.BR my\\-tool\\-build (1),\n.BR my\\-tool\\-info (1)\n"));
}

TEST_CASE("the page of a program without commands has its flags") {
  Command only = build_command();
  only.name = "";
  const Outcome page = print_manual({only});
  CHECK(page.code == 0);
  CHECK_CONTAINS(page.out, "\\fBmy\\-tool\\fR \\fB\\-\\-store\\fR \\fITEXT\\fR [\\fIflags\\fR]\n");
  CHECK_CONTAINS(page.out, ".TP\n\\fB\\-\\-size\\fR \\fIINT\\fR\n");
}

TEST_CASE("a page of no command, or of two, is usage") {
  const Outcome unknown = print_manual(two_commands(), {"biuld"});
  CHECK(unknown.code == 64);
  CHECK(unknown.err ==
        "my-tool: manual: unknown command 'biuld'; did you mean 'build'? known: build, info\n");
  const Outcome two = print_manual(two_commands(), {"build", "info"});
  CHECK(two.code == 64);
  CHECK(two.err == "my-tool: manual: unexpected argument 'info'; name one command\n");
}

TEST_CASE("man shows the pages without a warning, each character as it is" *
          doctest::test_suite("needs man")) {
  if (std::system("command -v man > /dev/null && command -v col > /dev/null") != 0)
    return skip("no man here");
  const std::string build = rendered(print_manual(two_commands(), {"build"}).out);
  CHECK_CONTAINS(build, "my-tool build --store TEXT [flags]");
  CHECK_CONTAINS(build, "pictures -> it's shards");
  CHECK_CONTAINS(build, "pixels, or a\\b ~ ^ `c`.");
  CHECK_CONTAINS(build, ".5 s of work: say what would be done.");
  CHECK_CONTAINS(rendered(print_manual(two_commands()).out), "my-tool-build(1), my-tool-info(1)");
}
