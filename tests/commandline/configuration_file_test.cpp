// Flags in a TOML file.
#include <doctest/doctest.h>

#include "tests/commandline/run_tool.h"
#include "tests/temp_dir.h"

using namespace letterpress;

TEST_CASE("a TOML file gives flags and the command line wins") {
  const TempDir dir;
  const auto file =
      dir.write("c.toml",
                "store = \"from file\"\nsize = 320\njson = true\ninput = [\"x\", \"y z\"]\n")
          .string();
  Flags flags;
  CHECK(run({"build", "--config", file, "--size", "640"}, flags).code == 0);
  CHECK(flags.store == "from file");
  CHECK(flags.size == 640);
  CHECK(flags.json);
  CHECK(flags.input == std::vector<std::string>{"x", "y z"});
  CHECK(program_flags().to_json(flags) ==
        R"({"input":["x","y z"],"json":true,"seed":1,"size":640,"store":"from file"})");
}

TEST_CASE("a value that is empty does not take the next word") {
  const TempDir dir;
  const auto file = dir.write("c.toml", "store = \"\"\nsize = 320\ninput = [\"\"]\n").string();
  Flags flags;
  flags.store = "before";
  CHECK(run({"build", "--config", file, "--seed", "7"}, flags).code == 0);
  CHECK(flags.store.empty());
  CHECK(flags.size == 320);
  CHECK(flags.seed == 7);
  CHECK(flags.input == std::vector<std::string>{""});
  flags.store = "before";
  CHECK(run({"build", "--store=", "--size=96", "--json"}, flags).code == 0);
  CHECK(flags.store.empty());
  CHECK(flags.size == 96);
  CHECK(flags.json);
  const Outcome number = run({"build", "--store", "s", "--size=", "--seed", "7"}, flags);
  CHECK(number.code == 64);
  CHECK_MESSAGE(number.err.find("--size") != std::string::npos, number.err);
  const Outcome with_switch = run({"build", "--store", "s", "--json="}, flags);
  CHECK(with_switch.code == 64);
  const std::string wanted = "--json=: is a switch with no value; write --json, or --json=false";
  CHECK_MESSAGE(with_switch.err.find(wanted) != std::string::npos, with_switch.err);
  flags.json = true;
  CHECK(run({"build", "--store", "s", "--json=false"}, flags).code == 0);
  CHECK_FALSE(flags.json);
  const Outcome no_file = run({"build", "--store", "s", "--config="}, flags);
  CHECK(no_file.code == 64);
  CHECK_MESSAGE(no_file.err.find("--config is empty, must be a TOML file") != std::string::npos,
                no_file.err);
}

TEST_CASE("a value in square brackets is one value, on the line and in a file") {
  const TempDir dir;
  Flags flags;
  const std::vector<std::string> names{"[x]", "[a,b]", "[]", "y]"};
  std::vector<std::string> words{"build", "--store=[s]", "--input"};
  words.insert(words.end(), names.begin(), names.end());
  CHECK(run(words, flags).code == 0);
  CHECK(flags.input == names);
  CHECK(flags.store == "[s]");
  const Outcome stray = run({"build", "[x]", "--store", "s"}, flags);
  CHECK(stray.err.find("unexpected argument '[x]'") != std::string::npos);
  CHECK(run({"build", "--store", "s", "--input=[x]"}, flags).code == 0);
  CHECK(flags.input == std::vector<std::string>{"[x]"});
  const auto file =
      dir.write("c.toml", "store = \"[s]\"\ninput = [\"[x]\", \"[a,b]\", \"[]\", \"y]\"]\n")
          .string();
  CHECK(run({"build", "--config", file}, flags).code == 0);
  CHECK(flags.input == names);
  CHECK(flags.store == "[s]");
}

TEST_CASE("wrong flags are told as JSON whichever way JSON is asked for") {
  const TempDir dir;
  const std::string file = dir.write("c.toml", "store = \"s\"\njson = true\n").string();
  Flags flags;
  for (const std::string& asked :
       std::vector<std::string>{"--json", "--json=true", "--json=false", "--config=" + file}) {
    CAPTURE(asked);
    const Outcome refused = run({"build", asked, "--bogus"}, flags);
    CHECK(refused.code == 64);
    CHECK(refused.out.starts_with("{") == (asked != "--json=false"));
  }
}

TEST_CASE("a value of a TOML file is one whatever it looks like") {
  const TempDir dir;
  Flags flags;
  for (const std::string value : {"--seed", "--seed=", "--json", "-5", "a=b", "="}) {
    CAPTURE(value);
    flags = {};
    const auto file = dir.write("c.toml", "store = '" + value + "'\ninput = ['" + value + "']\n");
    CHECK(run({"build", "--config", file.string(), "--seed", "7"}, flags).code == 0);
    CHECK(flags.store == value);
    CHECK(flags.input == std::vector<std::string>{value});
    CHECK(flags.seed == 7);
    CHECK_FALSE(flags.json);
  }
}

TEST_CASE("a TOML file that is wrong is named with its line") {
  const TempDir dir;
  Flags flags;
  const auto check = [&](const std::string& content, const std::string& text) {
    CAPTURE(content);
    const Outcome outcome =
        run({"build", "--config", dir.write("c.toml", content).string()}, flags);
    CHECK(outcome.code == 64);
    CHECK_MESSAGE(outcome.err.find(text) != std::string::npos, outcome.err);
  };
  check("store = \"s\"\nsice = 3\n", "c.toml:2: unknown key 'sice'; did you mean 'size'?");
  check("store = \"s\"\n\njson = 3\n", "c.toml:3: json is a switch, must be true or false");
  check("store = \n", "c.toml:1: is not TOML");
  check("store = \"s\"\nsize = [1, 2]\n", "c.toml:2: size is an array, must be one text or number");
  check("store = true\n",
        "c.toml:1: store is true, must be a text or a number: only switches are true or false");
  check("store = \"s\"\ninput = [\"a\", false]\n", "c.toml:2: input is false, must be a text");
  check("store = \"s\"\ninput = [[\"a\"]]\n",
        "c.toml:2: input must be a text, a number or an array of these");
  CHECK(run({"build", "--config", (dir / "none.toml").string()}, flags).code == 66);
}

TEST_CASE("a key of more parts than the stack has room for is refused") {
  const TempDir dir;
  std::string key = "a";
  for (int part = 1; part < 100'000; ++part) key += ".a";
  const auto file = dir.write("c.toml", key + " = 1\n").string();
  Flags flags;
  const Outcome result = run({"build", "--config", file}, flags);
  CHECK(result.code == 64);
  const std::string wanted =
      file + ": has a key of more than 64 parts with dots between them; write key = value";
  CHECK_MESSAGE(result.err.find(wanted) != std::string::npos, result.err);
}
